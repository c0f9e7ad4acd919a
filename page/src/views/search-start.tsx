/** The search view before the first query: recent records and examples. */

import type { CairnRecord } from '../../../src/core/record.js'
import { listNewest } from '../api/client.js'
import { shortDay } from '../parts/moments.js'
import { detailOf, nameOf } from '../parts/names.js'
import { RecordLine } from '../parts/record-bits.js'
import { Nothing, Shown } from '../parts/states.js'
import { addressOf } from '../state/addresses.js'
import { useLoad } from '../state/load.js'

const NEWEST = 9

const WAYS: readonly (readonly [ask: string, means: string])[] = [
  ['when do we release?', 'a question, in plain words'],
  ['"connection refused"', 'exactly these words'],
  ['pool -staging', 'without a word'],
  ['tag:decision', 'with a tag'],
  ['title:attention', 'in the title alone'],
  ['auth*', 'what begins so'],
]

const dateOf = ({ work, occurredAt, createdAt }: CairnRecord): string =>
  work?.year == null ? shortDay(occurredAt ?? createdAt) : String(work.year)

export function Start() {
  const loaded = useLoad('newest', (signal) => listNewest(NEWEST, signal))
  return (
    <div class="start">
      <section aria-labelledby="newest">
        <h2 id="newest">Newest</h2>
        <Shown loaded={loaded} lines={6}>
          {({ records }) =>
            records.length === 0 ? (
              <Nothing title="There is nothing here yet.">
                <p>
                  <a href="/add">Add a record or drop files</a> to begin.
                </p>
              </Nothing>
            ) : (
              <ul class="lines">
                {records.map((record) => (
                  <li key={record.id}>
                    <RecordLine
                      id={record.id}
                      kind={record.kind}
                      name={nameOf(record)}
                      detail={detailOf(record)}
                      aside={dateOf(record)}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </section>
      <section aria-labelledby="ways" class="ways">
        <h2 id="ways">Ways to ask</h2>
        <dl>
          {WAYS.map(([ask, means]) => (
            <div key={ask}>
              <dt>
                <a href={addressOf('/', { q: ask })}>
                  <code>{ask}</code>
                </a>
              </dt>
              <dd>{means}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}
