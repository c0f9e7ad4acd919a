/** An entry that refers to its book or proceedings has what it leaves to them, wherever they stand. */

import type { Fields } from './parse-entry.js'

export type BibtexEntry = {
  readonly type: string
  readonly key: string | null
  readonly fields: Fields
  readonly line: number
}

/** What belongs to the parent alone. */
const OWN: ReadonlySet<string> = new Set([
  'title',
  'subtitle',
  'shorttitle',
  'crossref',
  'xref',
  'xdata',
  'ids',
  'doi',
  'url',
  'eprint',
  'pages',
  'abstract',
  'keywords',
  'note',
  'annote',
  'file',
  'entrysubtype',
  'openalex',
])

/** Fields of the child win; `xdata` gives everything, `crossref` what a part takes from its whole. */
export function inherit(entries: readonly BibtexEntry[]): BibtexEntry[] {
  const byKey = new Map<string, BibtexEntry>()
  for (const entry of entries) {
    const key = entry.key?.toLowerCase()
    if (key !== undefined && !byKey.has(key)) byKey.set(key, entry)
  }
  return entries.map((entry) => ({ ...entry, fields: fieldsOf(entry, byKey, new Set([entry])) }))
}

function fieldsOf(
  entry: BibtexEntry,
  byKey: ReadonlyMap<string, BibtexEntry>,
  seen: ReadonlySet<BibtexEntry>,
): Fields {
  const shared = keysIn(entry.fields.get('xdata'))
  const parents = keysIn(entry.fields.get('crossref'))
  if (shared.length + parents.length === 0) return entry.fields
  const fields = new Map(entry.fields)
  for (const key of [...shared, ...parents]) {
    const parent = byKey.get(key.toLowerCase())
    // Two entries that refer to each other, or a chain without end, stop here.
    if (parent === undefined || seen.has(parent)) continue
    const given = fieldsOf(parent, byKey, new Set([...seen, parent]))
    const taken = shared.includes(key) ? given : partOf(entry.type, given)
    for (const [name, value] of taken) if (!fields.has(name)) fields.set(name, value)
  }
  return fields
}

function keysIn(value: string | undefined): string[] {
  return value?.split(',').flatMap((key) => key.trim() || []) ?? []
}

/** The title of the whole is the `booktitle` of its part, or the `journaltitle` of an article. */
function partOf(type: string, whole: Fields): Fields {
  const part = new Map([...whole].filter(([name]) => !OWN.has(name)))
  const isArticle = type === 'article'
  const renamed: readonly [string, string][] = [
    ['title', isArticle ? 'journaltitle' : 'booktitle'],
    ['subtitle', isArticle ? 'journalsubtitle' : 'booksubtitle'],
  ]
  for (const [from, to] of renamed) {
    const value = whole.get(from)
    if (value !== undefined && !part.has(to)) part.set(to, value)
  }
  return part
}
