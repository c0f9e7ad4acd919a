/** Selects hits, and tags, cites, exports or deletes those selected; without a selection, exports what is listed. */

import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { CITATION_STYLES, EXPORT_FORMATS } from '../../../src/core/work.js'
import {
  citeAll,
  deleteRecords,
  editRecord,
  exportWorks,
  type FoundHit,
  getRecords,
  restoreRecords,
  search,
} from '../api/client.js'
import { attempt, say } from '../state/notices.js'
import {
  type SearchChoices,
  searchAddress,
  toLensOptions,
  toSearchInput,
} from '../state/search-address.js'
import { Button } from './button.js'
import { copyText, download } from './give.js'
import { Icon } from './icon.js'
import { Menu, MenuForm, MenuList } from './menu.js'
import { FORMAT_NAMES, STYLE_NAMES } from './names.js'
import { counted } from './numbers.js'

/** Another list begins with none. */
const selection = signal<ReadonlySet<string>>(new Set())

function toggleSelected(id: string): void {
  const next = new Set(selection.value)
  if (!next.delete(id)) next.add(id)
  selection.value = next
}

function select(ids: readonly string[]): void {
  selection.value = new Set(ids)
}

export function SelectBox({
  hit: { id, title },
}: {
  readonly hit: Pick<FoundHit, 'id' | 'title'>
}) {
  return (
    <input
      type="checkbox"
      class="select-box"
      aria-label={`Select ${title ?? 'this record'}`}
      checked={selection.value.has(id)}
      onChange={() => toggleSelected(id)}
    />
  )
}

type Parts = {
  readonly choices: SearchChoices
  readonly hits: readonly FoundHit[]
  readonly reload: () => void
}

export function ListTools({ choices, hits, reload }: Parts) {
  const address = searchAddress(choices)
  useEffect(() => {
    if (selection.value.size > 0) select([])
  }, [address])
  const chosen = hits.filter(({ id }) => selection.value.has(id))
  if (hits.length === 0) return null
  const works = chosen.filter(({ kind }) => kind === 'work').map(({ id }) => id)
  const ids = chosen.map(({ id }) => id)
  return (
    <section class="list-tools" aria-label="Selected records">
      <label class="check">
        <input
          type="checkbox"
          checked={chosen.length === hits.length}
          onChange={({ currentTarget }) =>
            select(currentTarget.checked ? hits.map(({ id }) => id) : [])
          }
        />
        <span aria-live="polite">
          {chosen.length === 0 ? 'Select all' : `${counted(chosen.length, 'record')} selected`}
        </span>
      </label>
      {chosen.length > 0 && <TagMenu hits={chosen} reload={reload} />}
      {works.length > 0 && <CiteMenu works={works} />}
      <ExportMenu choices={choices} ids={ids} works={works} />
      {chosen.length > 0 && (
        <Button class="button-small button-quiet" onClick={() => remove(ids, reload)}>
          <Icon name="trash" size={14} /> Delete
        </Button>
      )}
    </section>
  )
}

function remove(ids: readonly string[], reload: () => void): Promise<void> {
  return attempt(async () => {
    await deleteRecords(ids)
    select([])
    reload()
    say(`${counted(ids.length, 'record')} deleted.`, async () => {
      await restoreRecords(ids)
      reload()
    })
  })
}

function TagMenu({
  hits,
  reload,
}: {
  readonly hits: readonly FoundHit[]
  readonly reload: () => void
}) {
  const [tag, setTag] = useState('')
  const add = (): Promise<void> =>
    attempt(async () => {
      const added = tag.trim().replace(/^#/, '')
      for (const { id, record } of hits) {
        if (!record.tags.includes(added)) await editRecord(id, { tags: [...record.tags, added] })
      }
      say(`${counted(hits.length, 'record')} tagged with “${added}”.`)
      reload()
    })
  return (
    <Menu name="Tag" icon="tag">
      {(close) => (
        <MenuForm
          name="Tag to add"
          value={tag}
          onChange={setTag}
          done="Add the tag"
          isReady={tag.trim() !== ''}
          onDone={() => add().then(close)}
        />
      )}
    </Menu>
  )
}

function CiteMenu({ works }: { readonly works: readonly string[] }) {
  const copy = (style: string): Promise<void> =>
    attempt(async () => {
      const { references } = await citeAll(works, style)
      await copyText(references.map(({ text }) => text).join('\n'))
      say(`${counted(references.length, 'reference')} copied.`)
    })
  return (
    <Menu name="Copy references" icon="copy">
      {(close) => (
        <MenuList
          items={CITATION_STYLES.map((style) => [
            STYLE_NAMES[style],
            () => copy(style).then(close),
          ])}
        />
      )}
    </Menu>
  )
}

const MOST_EXPORTED = 1000
const JSON_FORMAT = 'json'

/** Works in the formats of other programs; everything else as JSON. */
function ExportMenu({
  choices,
  ids,
  works,
}: {
  readonly choices: SearchChoices
  readonly ids: readonly string[]
  readonly works: readonly string[]
}) {
  const write = (format: string): Promise<void> =>
    attempt(async () => {
      if (format === JSON_FORMAT) {
        const records = await (ids.length > 0 ? readSelected(ids) : readListed(choices))
        download('records.json', JSON.stringify(records, null, 2))
        return say(`${counted(records.length, 'record')} exported.`)
      }
      const { mode: _, sort: __, lens: ___, kinds: ____, query, ...filter } = toLensOptions(choices)
      const which =
        ids.length > 0
          ? { works }
          : { ...filter, ...(query !== '' && { query, limit: MOST_EXPORTED }) }
      const { text, works: count } = await exportWorks({ format, ...which })
      download(`works.${FORMAT_NAMES[format as keyof typeof FORMAT_NAMES][1]}`, text)
      say(`${counted(count, 'work')} exported.`)
    })
  const hasWorks = ids.length === 0 || works.length > 0
  const names: readonly (readonly [format: string, name: string])[] = [
    ...(hasWorks ? EXPORT_FORMATS : []).map(
      (one) => [one, `Works as ${FORMAT_NAMES[one][0]}`] as const,
    ),
    [JSON_FORMAT, 'All records as JSON'],
  ]
  return (
    <Menu name={ids.length === 0 ? 'Export all found' : 'Export'} icon="download">
      {(close) => (
        <MenuList items={names.map(([format, name]) => [name, () => write(format).then(close)])} />
      )}
    </Menu>
  )
}

const readSelected = async (ids: readonly string[]) => (await getRecords(ids)).records

async function readListed(choices: SearchChoices) {
  const input = toSearchInput(choices, MOST_EXPORTED)
  const plain = { facets: false, wideFacets: false, explain: false, highlight: false }
  const { hits } = await search({ ...input, ...plain })
  return readSelected(hits.map(({ id }) => id))
}
