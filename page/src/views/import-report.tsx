/** The report of an import: counts, and what was skipped and why. */

import type { ImportReport } from '../../../src/cairn/import.js'
import { Icon } from '../parts/icon.js'
import { count, counted } from '../parts/numbers.js'

const COUNTS: readonly (readonly [keyof ImportReport, string])[] = [
  ['created', 'created'],
  ['updated', 'updated'],
  ['restored', 'restored'],
  ['unchanged', 'unchanged'],
  ['duplicates', 'already there'],
  ['deleted', 'deleted'],
  ['links', 'links'],
  ['sessions', 'sessions'],
]

const SHOWN = 100

export function Report({ name, report }: { readonly name: string; readonly report: ImportReport }) {
  const { format, works, dryRun, skippedCount } = report
  const counts = COUNTS.filter(([key]) => Number(report[key]) > 0)
  return (
    <li class="report">
      <p class="report-head">
        <bdi>{name}</bdi>
        <span class="label">{format}</span>
        {dryRun && <span class="label label-superseded">dry run: nothing was written</span>}
      </p>
      <ul class="counts">
        {counts.map(([key, label]) => (
          <li key={key}>
            <b>{count(Number(report[key]))}</b> {label}
          </li>
        ))}
        {works !== undefined && (
          <li>
            <b>{count(works.created)}</b> new {works.created === 1 ? 'work' : 'works'},{' '}
            {count(works.updated)} updated, {count(works.unchanged)} unchanged
          </li>
        )}
        {skippedCount > 0 && (
          <li>
            <b>{count(skippedCount)}</b> skipped
          </li>
        )}
        {counts.length === 0 && works === undefined && skippedCount === 0 && <li>It was empty.</li>}
      </ul>
      <Skipped report={report} />
      <Conflicts report={report} />
    </li>
  )
}

function Skipped({ report: { skipped, skippedCount } }: { readonly report: ImportReport }) {
  if (skipped.length === 0) return null
  return (
    <details open={skipped.length <= 5}>
      <summary>
        <Icon name="chevron" size={14} /> Skipped, and why
      </summary>
      <ul class="skipped">
        {skipped.slice(0, SHOWN).map(({ name, line, reason }) => (
          <li key={`${name} ${line}`}>
            <bdi>{name}</bdi>
            {line !== null && `, line ${line}`}: <span class="quiet">{reason}</span>
          </li>
        ))}
        {skippedCount > SHOWN && <li class="quiet">and {count(skippedCount - SHOWN)} more</li>}
      </ul>
    </details>
  )
}

function Conflicts({ report: { conflicts, conflictCount } }: { readonly report: ImportReport }) {
  if (conflictCount === 0) return null
  return (
    <details>
      <summary>
        <Icon name="chevron" size={14} /> {counted(conflictCount, 'conflict')}; what was stored is
        kept
      </summary>
      <ul class="skipped">
        {conflicts.slice(0, SHOWN).map(({ name, field, stored, incoming }) => (
          <li key={`${name} ${field}`}>
            <bdi>{name}</bdi>, {field}:{' '}
            <span class="quiet">
              stored <bdi>{String(stored)}</bdi>, here <bdi>{String(incoming)}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
