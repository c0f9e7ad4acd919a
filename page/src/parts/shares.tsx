/** Shares of a whole as labelled bars. */

import { count, percent } from './numbers.js'
import { Term } from './term.js'

export type Share = { readonly name: string; readonly tone: string; readonly value: number }

export function Shares({
  title,
  shares,
  isExplained = false,
}: {
  readonly title: string
  readonly shares: readonly Share[]
  /** The names are terms of the memory model, shown with their explanation. */
  readonly isExplained?: boolean
}) {
  const total = shares.reduce((sum, { value }) => sum + value, 0)
  if (total === 0) return null
  const most = Math.max(...shares.map(({ value }) => value))
  return (
    <section class="shares card">
      <h2>{title}</h2>
      <dl>
        {shares.map(({ name, tone, value }) => (
          <div key={name}>
            <dt>{isExplained ? <Term name={name} /> : <bdi>{name}</bdi>}</dt>
            <dd>
              <svg
                class="share-bar"
                viewBox="0 0 100 8"
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                <rect class="track" width="100" height="8" rx="0" />
                <rect class={`fill-${tone}`} width={(100 * value) / most} height="8" />
              </svg>
              <span class="share-number">{count(value)}</span>
              <span class="quiet">{percent(value / total)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
