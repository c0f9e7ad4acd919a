/** An id that names nothing is answered with records that may have been meant. */

import type { Cairn } from '../cairn/cairn.js'
import { parseIdPrefix } from '../core/ids.js'
import { brief } from './budget.js'
import { shortIdsOf } from './short-ids.js'

/** So many of the latest records are compared. */
const COMPARED = 1000
/** Ids of one day begin alike; fewer characters in common say nothing. */
const LEAST_IN_COMMON = 6
const MOST_SUGGESTED = 3

/** Those whose ids begin most alike, or the latest. */
export async function didYouMean(cairn: Cairn, given: string): Promise<string> {
  const { records } = await cairn.list({ limit: COMPARED })
  if (records.length === 0) return 'There are no records yet: remember makes one.'
  const typed = parseIdPrefix(given) ?? given.toUpperCase()
  const scored = records.map((record) => ({ record, common: inCommon(typed, record.id) }))
  const most = Math.max(...scored.map(({ common }) => common))
  const isNear = most >= LEAST_IN_COMMON
  const chosen = (isNear ? scored.filter(({ common }) => common === most) : scored)
    .slice(0, MOST_SUGGESTED)
    .map(({ record }) => record)
  const shortOf = await shortIdsOf(
    cairn,
    chosen.map(({ id }) => id),
  )
  const names = chosen.map(({ id, title, body }) => `${shortOf(id)} (${brief(title ?? body, 40)})`)
  return isNear
    ? `Did you mean ${names.join(' or ')}?`
    : `search and timeline show ids; the latest are ${names.join(', ')}.`
}

function inCommon(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i += 1
  return i
}
