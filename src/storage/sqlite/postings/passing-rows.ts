/** The rows that pass a filter are found in the cheapest of three ways, and kept where they may be asked for again. */

import { type Condition, compileFilter, type PreparedFilter } from '../filter.js'
import type { Statements } from '../statements.js'
import { type Bits, bitsOf } from './bits.js'
import type { PostingsReader } from './open-postings.js'
import type { Plan } from './plan.js'

/** An agent asks with the same few filters again and again. */
const MAX_KEPT = 8
/** As many rows as this, and a fiftieth of all, are few for an index to lead to. */
const FEW = 2000
const FEW_SHARE = 1 / 50
/** Looking a row up takes about as long as walking over so many. */
const STEPS_PER_LOOKUP = 4

const SQL = {
  all: (condition: string) => `SELECT group_concat(r.row) FROM records r
    WHERE r.present AND ${condition}`,
  few: (condition: string) => `SELECT count(*) AS n, group_concat(row) AS rows FROM (
    SELECT r.row FROM records r WHERE r.present AND ${condition} LIMIT :most)`,
  among: (condition: string) => `SELECT group_concat(r.row) FROM json_each(:candidates) wanted
    CROSS JOIN records r ON r.row = wanted.value WHERE ${condition}`,
  last: 'SELECT coalesce(max(row), 0) FROM records',
} as const

/** Null where every row passes. */
export type PassingRows = (
  filter: PreparedFilter,
  plan: Plan,
  reader: PostingsReader,
) => Bits | null

export function createPassingRows(statements: Statements): PassingRows {
  const kept = new Map<string, Bits>()
  let keptFor = ''

  const toBits = (rows: unknown): Bits =>
    bitsOf(rows === null ? '' : String(rows), Number(statements.value(SQL.last)))

  const readFew = ({ sql, values }: Condition, records: number): Bits | null => {
    const most = Math.ceil(FEW + records * FEW_SHARE)
    const [found] = statements.all(SQL.few(sql), { ...values, most })
    return found === undefined || Number(found.n) >= most ? null : toBits(found.rows)
  }

  const readAmong = ({ sql, values }: Condition, rows: Uint32Array): Bits => {
    const candidates = JSON.stringify([...rows])
    return toBits(statements.value(SQL.among(sql), { ...values, candidates }))
  }

  return (filter, plan, reader) => {
    const condition = compileFilter(filter)
    if (condition === null) return null
    if (keptFor !== reader.marker) kept.clear()
    keptFor = reader.marker
    const key = JSON.stringify(condition)
    const keep = (bits: Bits): Bits => {
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
      kept.set(key, bits)
      return bits
    }
    const few = kept.get(key) ?? (isIndexed(filter) ? readFew(condition, reader.records) : null)
    if (few !== null) return keep(few)
    const lookups = reader.mostMatching(plan) * STEPS_PER_LOOKUP
    if (isMomentary(filter) || lookups < reader.records) {
      return readAmong(condition, reader.candidates(plan))
    }
    return keep(toBits(statements.value(SQL.all(condition.sql), condition.values)))
  }
}

function isIndexed({ namespaces, tagsAny, tagsAll, idsIn }: PreparedFilter): boolean {
  return (namespaces ?? tagsAny ?? tagsAll ?? idsIn) !== undefined
}

/** Asked for once and never again: what passes depends on the moment. */
function isMomentary({ asOfMs, dates, minSalience }: PreparedFilter): boolean {
  return asOfMs !== undefined || dates !== undefined || minSalience !== undefined
}
