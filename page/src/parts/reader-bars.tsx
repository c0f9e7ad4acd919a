/** The contents list of a long text, and the bar that steps through its matches. */

import { useState } from 'preact/hooks'
import { useKeys } from '../state/keys.js'
import { IconButton, TextButton } from './button.js'
import { counted } from './numbers.js'
import { jumpTo, type UnitList } from './unit-list.js'
import type { Heading } from './units.js'

export function Contents({
  headings,
  onGo,
}: {
  readonly headings: readonly Heading[]
  readonly onGo: (heading: Heading) => void
}) {
  if (headings.length < 3) return null
  const least = Math.min(...headings.map(({ depth }) => depth))
  const shown = headings.filter(({ depth }) => depth <= least + 2)
  return (
    <nav class="contents" aria-label="Contents">
      <details open={shown.length <= OPEN_CONTENTS}>
        <summary>Contents</summary>
        <ol>
          {shown.map((heading) => (
            <li key={heading.at} class={`depth-${heading.depth - least}`}>
              <TextButton onClick={() => onGo(heading)}>{heading.text}</TextButton>
            </li>
          ))}
        </ol>
      </details>
    </nav>
  )
}

const OPEN_CONTENTS = 12

/** Steps through the matches, with n and N too. */
export function MatchBar({
  count,
  list,
  host,
  at,
}: {
  readonly count: number
  readonly list: { readonly current: UnitList | null }
  readonly host: { readonly current: HTMLElement | null }
  readonly at: number | null
}) {
  const [place, setPlace] = useState<{ readonly at: number; readonly of: number } | null>(null)
  const step = (by: 1 | -1): void => {
    list.current?.fillAll()
    const marks = [...(host.current?.querySelectorAll('mark[data-match]') ?? [])]
    if (marks.length === 0) return
    const current = marks.findIndex((mark) => mark.classList.contains('is-current'))
    const from = current >= 0 ? current : firstFrom(marks, list.current?.reveal(at ?? 0) ?? null)
    const next = current < 0 && by === 1 ? from : (from + by + marks.length) % marks.length
    marks[current]?.classList.remove('is-current')
    marks[next]?.classList.add('is-current')
    jumpTo(marks[next] ?? null)
    setPlace({ at: next + 1, of: marks.length })
  }
  useKeys((event) => {
    if (event.key === 'n') step(1)
    if (event.key === 'N') step(-1)
  })
  return (
    <div class="match-bar">
      <span role="status">
        {place === null ? counted(count, 'match', 'matches') : `Match ${place.at} of ${place.of}`}
      </span>
      <IconButton
        class="match-back"
        icon="chevron"
        label="Previous match (N)"
        title="Previous match (N)"
        onClick={() => step(-1)}
      />
      <IconButton
        class="match-next"
        icon="chevron"
        label="Next match (n)"
        title="Next match (n)"
        onClick={() => step(1)}
      />
    </div>
  )
}

/** The first match at or after the passage. */
function firstFrom(marks: readonly Element[], passage: Element | null): number {
  const found = marks.findIndex(
    (mark) =>
      passage === null ||
      passage.contains(mark) ||
      (passage.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  )
  return Math.max(0, found)
}
