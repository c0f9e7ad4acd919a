/** History, timeline and similar records, below a record. */

import type { CairnRecord, Revision } from '../../../src/core/record.js'
import { findSimilar, timelineAround, undoEdit } from '../api/client.js'
import { Block, Detail } from '../parts/block.js'
import { Button } from '../parts/button.js'
import { Difference } from '../parts/difference-text.js'
import { Icon } from '../parts/icon.js'
import { shortDay, wholeMoment } from '../parts/moments.js'
import { detailOf, nameOf, wholeWords } from '../parts/names.js'
import { counted } from '../parts/numbers.js'
import { By, RecordLine } from '../parts/record-bits.js'
import { Shown } from '../parts/states.js'
import { recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'

const ENDED = {
  edit: 'edited',
  delete: 'deleted',
  supersede: 'superseded',
} as const

/** Newest first; each revision beside what came after it. */
export function HistorySection({
  record,
  revisions,
  onChange,
}: {
  readonly record: CairnRecord
  readonly revisions: readonly Revision[]
  readonly onChange: () => void
}) {
  if (revisions.length === 0) return null
  const goBackTo = (number: number): Promise<void> =>
    attempt(async () => {
      await undoEdit(record.id, number)
      say(`Restored version ${number}.`, async () => {
        await undoEdit(record.id)
        onChange()
      })
      onChange()
    })
  return (
    <Block
      class="record-section"
      title={`History · ${counted(revisions.length, 'earlier version')}`}
    >
      <ol class="revisions" reversed>
        {revisions
          .map((revision, i) => ({ revision, after: revisions[i + 1] ?? record }))
          .reverse()
          .map(({ revision, after }) => (
            <li key={revision.number}>
              <details>
                <summary>
                  <Icon name="chevron" size={14} />
                  <span>
                    Version {revision.number}, {ENDED[revision.endedBy]}{' '}
                    {shortDay(revision.validUntil).toLowerCase()}
                    <By author={revision.endedAuthor} />
                  </span>
                  <span class="quiet">{wholeMoment(revision.validUntil)}</span>
                </summary>
                <Changes before={revision} after={after} />
                {record.supersededAt === null && revision.endedBy === 'edit' && (
                  <Button onClick={() => goBackTo(revision.number)}>
                    <Icon name="undo" size={15} /> Restore this version
                  </Button>
                )}
              </details>
            </li>
          ))}
      </ol>
    </Block>
  )
}

type Text = Pick<Revision, 'title' | 'body' | 'tags'>

function Changes({ before, after }: { readonly before: Text; readonly after: Text }) {
  const lines: readonly (readonly [name: string, old: string, now: string])[] = [
    ['Title', before.title ?? '', after.title ?? ''],
    ['Text', before.body, after.body],
    ['Tags', before.tags.join(', '), after.tags.join(', ')],
  ]
  const changed = lines.filter(([, old, now]) => old !== now)
  if (changed.length === 0) return <p class="quiet">Title, text and tags stayed the same.</p>
  return (
    <dl class="changes">
      {changed.map(([name, old, now]) => (
        <Detail key={name} name={name}>
          <Difference before={old} after={now} />
        </Detail>
      ))}
    </dl>
  )
}

/** A memory happens when it is noted; a document may have no date, and a work only a year. */
const hasTime = ({ kind, occurredAt }: CairnRecord): boolean =>
  kind === 'memory' || (kind === 'document' && occurredAt !== null)

export function TimelineSection({ record }: { readonly record: CairnRecord }) {
  return hasTime(record) ? <Around id={record.id} /> : null
}

function Around({ id }: { readonly id: string }) {
  const loaded = useLoad(`around ${id}`, (signal) => timelineAround(id, signal))
  return (
    <Block class="record-section" title="Before and after">
      <Shown loaded={loaded}>
        {({ entries }) => (
          <ol class="lines around">
            {entries.map((entry) => (
              <li key={entry.id} aria-current={entry.isAnchor ? 'true' : undefined}>
                <RecordLine
                  address={recordAddress(entry.id)}
                  kind={entry.kind}
                  name={entry.title ?? wholeWords(entry.summary)}
                  aside={shortDay(entry.time)}
                />
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </Block>
  )
}

export function SimilarSection({ id }: { readonly id: string }) {
  const loaded = useLoad(`similar ${id}`, (signal) => findSimilar(id, signal))
  return (
    <Block class="record-section" title="Similar records">
      <Shown loaded={loaded}>
        {({ hits }) =>
          hits.length === 0 ? (
            <p class="quiet">No similar records.</p>
          ) : (
            <ul class="lines">
              {hits.map(({ id: near, kind, record, similarity }) => (
                <li key={near}>
                  <RecordLine
                    address={recordAddress(near)}
                    kind={kind}
                    name={nameOf(record)}
                    detail={detailOf(record)}
                    aside={similarity?.toFixed(2) ?? null}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Block>
  )
}
