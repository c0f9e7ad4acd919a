/** A titled block of named details. */

import type { ComponentChildren } from 'preact'

export function Block({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function Detail({
  name,
  children,
}: {
  readonly name: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
