/** How many records each month, year or decade has; pressing or dragging over bars chooses that time. */

import { useRef, useState } from 'preact/hooks'
import type { FacetValue } from '../../../src/core/answer.js'
import { toBins } from './bins.js'
import { counted } from './numbers.js'

type Days = { readonly since: string; readonly until: string }

export function TimeHistogram({
  months,
  since,
  until,
  onChange,
}: Days & { readonly months: readonly FacetValue[]; readonly onChange: (days: Days) => void }) {
  const bins = toBins(months)
  const [drag, setDrag] = useState<readonly [number, number] | null>(null)
  const [at, setAt] = useState(bins.length - 1)
  const bars = useRef<HTMLDivElement>(null)
  if (bins.length < 2) return null
  const most = Math.max(...bins.map(({ count }) => count))
  const isLit = (i: number): boolean => {
    if (drag !== null) return i >= Math.min(...drag) && i <= Math.max(...drag)
    const bin = bins[i]
    if (bin === undefined || !/^\d{4}-/.test(since + until)) return false
    return (until === '' || bin.since <= until) && (since === '' || bin.until >= since)
  }
  const choose = (from: number, to: number): void => {
    const [first, last] = [bins[Math.min(from, to)], bins[Math.max(from, to)]]
    setDrag(null)
    if (first === undefined || last === undefined) return
    const isSame = first.since === since && last.until === until
    onChange(isSame ? { since: '', until: '' } : { since: first.since, until: last.until })
  }
  const focus = (next: number): void => {
    const i = Math.max(0, Math.min(bins.length - 1, next))
    setAt(i)
    bars.current?.querySelectorAll('button')[i]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -bins.length, End: bins.length }[event.key]
    if (step === undefined) return
    event.preventDefault()
    focus(at + step)
  }
  const [first, last] = [bins[0], bins.at(-1)]
  return (
    <section class="facet" aria-labelledby="facet-time">
      <h2 id="facet-time">Time</h2>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the buttons inside */}
      <div ref={bars} class="time-bars" onKeyDown={onKeyDown} onPointerLeave={() => setDrag(null)}>
        {bins.map((bin, i) => (
          <button
            key={bin.name}
            type="button"
            tabIndex={i === Math.min(at, bins.length - 1) ? 0 : -1}
            class={isLit(i) ? 'is-lit' : undefined}
            aria-pressed={isLit(i)}
            aria-label={`${bin.name}: ${counted(bin.count, 'record')}`}
            title={`${bin.name}: ${counted(bin.count, 'record')}`}
            onPointerDown={(event) => {
              event.currentTarget.releasePointerCapture(event.pointerId)
              setDrag([i, i])
            }}
            onPointerEnter={() => drag !== null && setDrag([drag[0], i])}
            onPointerUp={() => drag !== null && choose(drag[0], i)}
            onClick={({ detail }) => detail === 0 && choose(i, i)}
            onFocus={() => setAt(i)}
          >
            <span
              style={{ height: `${bin.count === 0 ? 0 : Math.max(6, (bin.count / most) * 100)}%` }}
            />
          </button>
        ))}
      </div>
      <p class="time-ends quiet" aria-hidden="true">
        <span>{first?.name}</span>
        <span>{last?.name}</span>
      </p>
    </section>
  )
}
