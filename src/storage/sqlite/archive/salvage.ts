/** Reads the readable entries of a damaged file for an archive, and names the lost ones. */

import {
  ARCHIVE_KINDS,
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveValue,
  type LostEntries,
  parseArchiveLine,
} from '../../archive.js'
import type { Statements, Value } from '../statements.js'
import { createEntryReader, getArchiveTable } from './archive-tables.js'
import { listOddFields } from './odd-rows.js'

const SQL = {
  indexes: `SELECT name FROM pragma_index_list(:table) WHERE NOT partial`,
} as const

type Key = Readonly<Record<string, Value>>

/** A line of an archive refers only to lines above it, so an entry that names a lost entry is lost as well. */
export function* salvageEntries(statements: Statements, onLost: (lost: LostEntries) => void) {
  const { read } = createEntryReader(statements)
  const written = new Map<string, Set<unknown>>()
  for (const kind of ARCHIVE_KINDS) {
    const { table, salvage } = getArchiveTable(kind)
    const ids = new Set<unknown>()
    written.set(table, ids)
    const { keys, isWhole } = listKeys(statements, kind)
    const lost: (string | Key)[] = []
    const partial: string[] = []
    const readRow = (key: Key, sql: string) => {
      const [row] = statements.all(sql, key)
      if (row === undefined) throw new Error('the row is gone')
      return { value: read(kind, row), isWhole: listOddFields(kind, row).length === 0 }
    }
    for (const key of keys) {
      const whole = attempt(() => readRow(key, salvage.one))
      const value = (whole ?? attempt(() => readRow(key, salvage.alone)))?.value ?? null
      const name = value !== null && 'id' in value ? String(value.id) : key
      const entry = value && attempt(() => checkEntry(kind, value, written))
      if (entry) {
        if ('id' in entry.value) ids.add(entry.value.id)
        if (!whole?.isWhole) partial.push(...nameEntries(statements, kind, [name]))
        yield entry
      } else lost.push(name)
    }
    if (lost.length > 0 || !isWhole) {
      const names = nameEntries(statements, kind, lost)
      onLost({ kind, names, mayBeMore: !isWhole, isPartial: false })
    }
    if (partial.length > 0) onLost({ kind, names: partial, mayBeMore: false, isPartial: true })
  }
}

/**
 * Lists the keys of all rows by the table, forwards and backwards, and by each of its indexes. Each scan stops at a damaged
 * page, but at another row. `isWhole` is true if one scan reached its end.
 */
function listKeys(statements: Statements, kind: ArchiveKind) {
  const { table, salvage } = getArchiveTable(kind)
  const names = attempt(() => statements.all(SQL.indexes, { table })) ?? []
  const ways = [
    salvage.keys('NOT INDEXED'),
    `${salvage.keys('NOT INDEXED')} ${salvage.backwards}`,
    ...names.map(({ name }) => salvage.keys(`INDEXED BY "${String(name)}"`)),
  ]
  const keys = new Map<string, Key>()
  let isWhole = false
  for (const sql of ways) {
    try {
      for (const row of statements.each(sql)) keys.set(JSON.stringify(row), row as Key)
      isWhole = true
    } catch {}
  }
  return { keys: keys.values(), isWhole }
}

/** The entry as an import accepts it; throws if an import would refuse it. */
function checkEntry<K extends ArchiveKind>(
  kind: K,
  value: ArchiveValue<K>,
  written: ReadonlyMap<string, ReadonlySet<unknown>>,
): ArchiveEntry {
  const isLost = (table: string, id: unknown): boolean =>
    id !== null && id !== undefined && written.get(table)?.has(id) !== true
  const parsed = parseArchiveLine(JSON.stringify({ [kind]: value }), 0)
  if (parsed.kind !== 'entry') throw new Error('it is no entry')
  const { entry } = parsed
  // The text of a revision is worth more than the name of its successor.
  if (entry.kind === 'revision' && isLost('records', entry.value.successor)) {
    return checkEntry('revision', { ...entry.value, successor: null }, written)
  }
  const fields = new Map<string, unknown>(Object.entries(entry.value))
  for (const [field, table] of Object.entries(getArchiveTable(kind).refersTo)) {
    if (isLost(table, fields.get(field))) throw new Error(`its ${field} is lost`)
  }
  if (entry.kind === 'link' && entry.value.target === null && entry.value.targetRef === null) {
    throw new Error('its target is lost')
  }
  if (entry.kind !== 'recall') return entry
  const results = entry.value.results.filter(
    ({ record, fact }) => !isLost('records', record) && !isLost('facts', fact),
  )
  return { kind: 'recall', value: { ...entry.value, results } }
}

function nameEntries(statements: Statements, kind: ArchiveKind, lost: readonly (string | Key)[]) {
  const { ids } = getArchiveTable(kind).salvage
  const known = new Map<unknown, string>()
  if (ids !== null && lost.some((one) => typeof one !== 'string')) {
    attempt(() => {
      for (const { row, id } of statements.each(ids)) known.set(row, String(id))
    })
  }
  return lost.map((one) => {
    if (typeof one === 'string') return one
    const parts = Object.entries(one).map(([column, part]) => `${column} ${part}`)
    return known.get(one.row) ?? parts.join(', ')
  })
}

function attempt<T>(run: () => T): T | null {
  try {
    return run()
  } catch {
    return null
  }
}
