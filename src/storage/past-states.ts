/** SQL for the state of records at a time in the past, for every backend. */

import { type Filter, withoutFacets } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'

/** Conditions: a revision `v` belongs to the record with this alias, or to the record of the view `past r`. */
type Belonging = {
  readonly toRecord: (alias: string) => string
  readonly toPast: string
}

/** Over the view `past r`: each record in the one state it had then. */
const WAS = 'r.valid_from <= :asOfMs AND r.valid_until > :asOfMs'

export function createPastSql({ toRecord, toPast }: Belonging) {
  /** The last state of a record that is superseded now. */
  const isSuperseded = `r.superseded_at IS NOT NULL AND r.deleted_at IS NULL AND r.ended_by = 'supersede'
    AND r.number = (SELECT max(v.number) FROM revisions v WHERE ${toPast})`

  /** The last state of a record that was superseded then. */
  const wasSuperseded = `r.ended_by = 'supersede' AND r.valid_until <= :asOfMs
    AND (r.superseded_at IS NOT NULL OR r.deleted_at IS NOT NULL OR r.present_from > :asOfMs)
    AND NOT EXISTS (SELECT 1 FROM revisions v WHERE ${toPast} AND v.number > r.number AND v.valid_from <= :asOfMs)`

  /** An expression over the last past state `v` that began by `:atMs`; null if there is none. */
  const lastState = (record: string, expression: string): string =>
    `(SELECT ${expression} FROM revisions v WHERE ${toRecord(record)} AND v.valid_from <= :atMs
      ORDER BY v.number DESC LIMIT 1)`

  const wasAsNow = (record: string): string =>
    `(${record}.present AND coalesce(${record}.valid_from, ${record}.created_at) <= :atMs)`

  return {
    /** A condition over `past r` for the past states that a filter includes; null if it includes none. */
    compileStates<F extends Filter, Values extends object>(
      filter: F,
      compileFilter: (filter: F) => { readonly sql: string; readonly values: Values } | null,
    ) {
      const { asOfMs, includeSuperseded = false, supersededLoosely } = filter
      if (asOfMs === undefined && !includeSuperseded) return null
      const own = compileFilter(filter)
      const loose = supersededLoosely ? compileFilter(withoutFacets(filter)) : own
      const join = (states: string, condition: typeof own): string =>
        condition === null ? `(${states})` : `(${states} AND ${condition.sql})`
      const parts: string[] = []
      if (asOfMs !== undefined) parts.push(join(WAS, own))
      if (includeSuperseded) {
        parts.push(join(asOfMs === undefined ? isSuperseded : wasSuperseded, loose))
      }
      const time = asOfMs === undefined ? {} : { asOfMs }
      const values = { ...time, ...own?.values, ...loose?.values }
      return { sql: `(${parts.join(' OR ')})`, values: values as Values }
    },

    /** The record had been added and was not deleted at `:atMs`. */
    existedSql(record: string): string {
      const isDeleted = lastState(record, `v.ended_by = 'delete' AND v.valid_until <= :atMs`)
      return `(${record}.created_at <= :atMs
        AND (${wasAsNow(record)} OR NOT coalesce(${isDeleted}, ${record}.deleted_at IS NOT NULL)))`
    },

    pastBodySql: (record: string): string =>
      `CASE WHEN ${wasAsNow(record)} THEN ${record}.body
        ELSE coalesce(${lastState(record, 'v.body')}, ${record}.body) END`,

    /** The row of the record that had superseded it by `:atMs`; null if none had. */
    pastSuccessorSql: (record: string): string =>
      `CASE WHEN NOT ${wasAsNow(record)}
        THEN ${lastState(record, 'CASE WHEN v.valid_until <= :atMs THEN v.successor END')} END`,
  }
}

/** Each row is a step, from `start` to its next successor, `id`. A cycle is followed once. */
export function groupChains(steps: readonly object[]): Map<RecordId, RecordId[]> {
  const chains = new Map<RecordId, RecordId[]>()
  for (const { start, id } of steps as readonly Readonly<Record<'start' | 'id', RecordId>>[]) {
    const chain = chains.get(start) ?? []
    if (!chain.includes(id)) chain.push(id)
    chains.set(start, chain)
  }
  return chains
}
