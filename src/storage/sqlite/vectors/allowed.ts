/** A filter becomes one bit a record, made once for as long as nobody writes. */

import type { Database } from 'better-sqlite3'
import type { NearSearch } from '../../vectors.js'
import { compileFilter, type PreparedFilter } from '../filter.js'
import { compileMatch } from '../match.js'
import { bitsOf } from '../postings/bits.js'

/** A search whose filter needs nothing more from the file. */
export type PreparedNear = Omit<NearSearch, 'filter'> & { readonly filter: PreparedFilter }

type Restriction = Pick<PreparedNear, 'filter' | 'required' | 'unwanted' | 'fields'>

const SQL = {
  rows: (condition: string) => `SELECT group_concat(r.row) FROM records r
    WHERE r.present AND ${condition}`,
  matching: 'r.row IN (SELECT rowid FROM records_ft WHERE records_ft MATCH :required)',
  notMatching: 'r.row NOT IN (SELECT rowid FROM records_ft WHERE records_ft MATCH :unwanted)',
  last: 'SELECT coalesce(max(row), 0) FROM records',
} as const

/** An agent asks with the same few filters again and again. */
const MAX_KEPT = 8

/** Null where every record may be found. */
export function createAllowed(db: Database) {
  const kept = new Map<string, Uint8Array>()
  let keptFor = ''
  return (search: Restriction, version: string): Uint8Array | null => {
    const condition = compileRestriction(search)
    if (condition === null) return null
    if (keptFor !== version) kept.clear()
    keptFor = version
    const key = JSON.stringify(condition)
    const known = kept.get(key)
    if (known !== undefined) return known
    const bits = readBits(db, condition)
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
    kept.set(key, bits)
    return bits
  }
}

type Compiled = { readonly sql: string; readonly values: Readonly<Record<string, string | number>> }

function compileRestriction({ filter, required, unwanted, fields }: Restriction): Compiled | null {
  const condition = compileFilter(filter)
  const parts = condition === null ? [] : [condition.sql]
  const values: Record<string, string | number> = { ...condition?.values }
  const wanted = required === null ? null : compileMatch(required, fields)
  if (wanted !== null) {
    parts.push(SQL.matching)
    values.required = wanted
  }
  const refused = unwanted === null ? null : compileMatch(unwanted, fields)
  if (refused !== null) {
    parts.push(SQL.notMatching)
    values.unwanted = refused
  }
  return parts.length === 0 ? null : { sql: parts.join(' AND '), values }
}

function readBits(db: Database, { sql, values }: Compiled): Uint8Array {
  const last = Number(db.prepare(SQL.last).pluck().get())
  const rows = db.prepare<unknown[], string | null>(SQL.rows(sql)).pluck().get(values)
  return bitsOf(rows ?? '', last)
}
