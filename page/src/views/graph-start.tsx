/** Chooses where a graph starts and how far it goes. */

import { useState } from 'preact/hooks'
import { listWorks, readOverview } from '../api/client.js'
import { onSend, SelectField } from '../parts/fields.js'
import { nameOf } from '../parts/names.js'
import { counted } from '../parts/numbers.js'
import { RecordLine } from '../parts/record-bits.js'
import { Nothing, Shown } from '../parts/states.js'
import { addressOf, graphAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { go } from '../state/router.js'

export type GraphChoices = { readonly from: string; readonly depth: number; readonly max: number }

const DEPTHS = [1, 2, 3] as const
const SIZES = [50, 100, 250, 500] as const

export function readChoices(params: URLSearchParams): GraphChoices {
  const number = (name: string, allowed: readonly number[], otherwise: number): number =>
    allowed.find((one) => one === Number(params.get(name))) ?? otherwise
  return {
    from: params.get('from') ?? '',
    depth: number('depth', DEPTHS, 2),
    max: number('max', SIZES, 100),
  }
}

export function GraphControls({ choices }: { readonly choices: GraphChoices }) {
  const [from, setFrom] = useState(choices.from)
  const change = (part: Partial<GraphChoices>): void => {
    const { from: start, depth, max } = { ...choices, ...part }
    go(addressOf('/graph', { from: start, depth: String(depth), max: String(max) }))
  }
  return (
    <form
      class="controls"
      onSubmit={onSend(() => from.trim() !== '' && change({ from: from.trim() }))}
    >
      <input
        class="graph-from"
        data-search-field
        aria-label="Start from a question or a work"
        placeholder="A question, a DOI or a citation key"
        dir="auto"
        value={from}
        onInput={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <SelectField
        name="Steps"
        value={String(choices.depth)}
        options={DEPTHS.map((depth) => [String(depth), String(depth)])}
        onChange={(depth) => change({ depth: Number(depth) })}
      />
      <SelectField
        name="Works at most"
        value={String(choices.max)}
        options={SIZES.map((size) => [String(size), String(size)])}
        onChange={(max) => change({ max: Number(max) })}
      />
      <button type="submit" class="button">
        Show
      </button>
    </form>
  )
}

const NEWEST = 12

type Beginning = { readonly id: string; readonly name: string; readonly aside: string }

/** Works that have citations, the most first; where none has any, the newest works. */
async function findBeginnings(signal: AbortSignal) {
  const [{ mostCited }, { records }] = await Promise.all([
    readOverview(signal),
    listWorks(NEWEST, signal),
  ])
  const cited = mostCited.map(({ id, title, citations }): Beginning => {
    return { id, name: title ?? id, aside: counted(citations, 'citation') }
  })
  const newest = records.map((record): Beginning => {
    return { id: record.id, name: nameOf(record), aside: String(record.work?.year ?? '') }
  })
  return cited.length > 0
    ? { title: 'Start from a work with many citations', works: cited }
    : { title: 'Start from a work: the nearest in meaning are shown', works: newest }
}

export function Beginnings() {
  const loaded = useLoad('works', findBeginnings)
  return (
    <Shown loaded={loaded} lines={6}>
      {({ title, works }) =>
        works.length === 0 ? (
          <Nothing title="There are no works yet.">
            <p>
              <a href="/add">Add a bibliography</a> (BibTeX, RIS, CSL-JSON) or PDFs.
            </p>
          </Nothing>
        ) : (
          <section class="beginnings">
            <h2>{title}</h2>
            <ul class="lines">
              {works.map(({ id, name, aside }) => (
                <li key={id}>
                  <RecordLine address={graphAddress(id)} kind="work" name={name} aside={aside} />
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Shown>
  )
}
