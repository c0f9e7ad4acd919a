/** The search view before the first query: recent records and examples. */

import { useState } from 'preact/hooks'
import type { CairnRecord } from '../../../src/core/record.js'
import { listNewest } from '../api/client.js'
import { Button } from '../parts/button.js'
import { shortDay } from '../parts/moments.js'
import { detailOf, nameOf } from '../parts/names.js'
import { counted } from '../parts/numbers.js'
import { RecordLine } from '../parts/record-bits.js'
import { Nothing, Shown } from '../parts/states.js'
import { addressOf, recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'

const NEWEST = 9

const WAYS: readonly (readonly [ask: string, means: string])[] = [
  ['when do we release?', 'a question in plain words'],
  ['"connection refused"', 'exactly this phrase'],
  ['pool -staging', 'without the word “staging”'],
  ['tag:decision', 'records with this tag'],
  ['title:attention', 'in the title only'],
  ['auth*', 'words that begin with “auth”'],
]

const dateOf = ({ work, occurredAt, createdAt }: CairnRecord): string =>
  work?.year == null ? shortDay(occurredAt ?? createdAt) : String(work.year)

export function Start() {
  const loaded = useLoad('newest', (signal) => listNewest(NEWEST, signal))
  return (
    <div class="start">
      <section aria-labelledby="newest">
        <h2 id="newest">Newest records</h2>
        <Shown loaded={loaded} lines={6}>
          {({ records }) =>
            records.length === 0 ? (
              <FirstRun onLoaded={loaded.reload} />
            ) : (
              <ul class="lines">
                {records.map((record) => (
                  <li key={record.id}>
                    <RecordLine
                      address={recordAddress(record.id)}
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
        <h2 id="ways">Ways to search</h2>
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

/** Nothing is stored yet: one press shows what a filled library looks like. */
function FirstRun({ onLoaded }: { readonly onLoaded: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const load = (): Promise<void> =>
    attempt(async () => {
      setBusy(true)
      try {
        const { loadSample } = await import('../state/sample.js')
        say(`${counted(await loadSample(), 'record')} of the sample library added.`)
        onLoaded()
      } finally {
        setBusy(false)
      }
    })
  return (
    <Nothing title="There are no records yet.">
      <p>
        <a href="/add">Add a record or import files</a>, or look around in a sample library: the
        notes of a small team, and papers that cite each other.
      </p>
      <Button class="button-main" disabled={isBusy} onClick={load}>
        {isBusy ? 'Loading…' : 'Load the sample library'}
      </Button>
    </Nothing>
  )
}
