/** Which states of the past a search may find is decided in one condition. */

import { type Condition, compileFilter, type PreparedFilter } from '../filter.js'

/** Over the view `past r`: each record in the one state it had then. */
const WAS = 'r.valid_from <= :asOfMs AND r.valid_until > :asOfMs'

/** Over `past r`: the last state of what is superseded now. */
const IS_SUPERSEDED = `r.superseded_at IS NOT NULL AND r.deleted_at IS NULL AND r.ended_by = 'supersede'
  AND r.number = (SELECT max(v.number) FROM revisions v WHERE v.record = r.row)`

/** Over `past r`: the last state of what was superseded then. */
const WAS_SUPERSEDED = `r.ended_by = 'supersede' AND r.valid_until <= :asOfMs
  AND (r.superseded_at IS NOT NULL OR r.deleted_at IS NOT NULL OR r.present_from > :asOfMs)
  AND NOT EXISTS (SELECT 1 FROM revisions v WHERE v.record = r.row
    AND v.number > r.number AND v.valid_from <= :asOfMs)`

/** True where what is there now is not the whole answer. */
export function reachesBack({ asOfMs, includeSuperseded }: PreparedFilter): boolean {
  return asOfMs !== undefined || includeSuperseded === true
}

/** The states that a filter reaches, as a condition over `past r`; null where it reaches none. */
export function compilePast(filter: PreparedFilter): Condition | null {
  const { asOfMs, includeSuperseded, supersededLoosely } = filter
  if (!reachesBack(filter)) return null
  const own = compileFilter(filter, 'past')
  const loose = supersededLoosely ? compileFilter(withoutFacets(filter), 'past') : own
  const states = [
    ...(asOfMs === undefined ? [] : [passing(WAS, own)]),
    ...(includeSuperseded
      ? [passing(asOfMs === undefined ? IS_SUPERSEDED : WAS_SUPERSEDED, loose)]
      : []),
  ]
  const moment = asOfMs === undefined ? {} : { asOfMs }
  return {
    sql: `(${states.join(' OR ')})`,
    values: { ...moment, ...own?.values, ...loose?.values },
  }
}

function passing(states: string, condition: Condition | null): string {
  return condition === null ? `(${states})` : `(${states} AND ${condition.sql})`
}

/** Everything that a facet counts, and a filter by its values narrows. */
function withoutFacets(filter: PreparedFilter): PreparedFilter {
  const { kinds, sectors, sources, years, factTypes, tagsAny, tagsAll, tagsNone, ...rest } = filter
  const { namespaces, includeGlobal, ...open } = rest
  return filter.isPinned ? rest : open
}

/** An expression over `past r`: whether that state is one that another record has taken the place of. */
export function isSupersededSql({ asOfMs }: PreparedFilter): string {
  return asOfMs === undefined ? '1' : 'r.valid_until <= :asOfMs'
}
