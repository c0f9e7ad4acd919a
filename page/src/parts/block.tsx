/** A titled block, and the named details in it. */

import type { ComponentChildren } from 'preact'

export function Block({
  title,
  class: look = 'block',
  children,
}: {
  readonly title: string
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return (
    <section class={look}>
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
