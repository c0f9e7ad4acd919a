/** A reader sees short ids that name one record, and will when there are more. */

import type { Cairn } from '../cairn/cairn.js'
import type { RecordId } from '../core/ids.js'

/** Time and counter: what comes later differs in them, where eight characters are the same for a second. */
export const SHOWN_CHARACTERS = 14

/** The whole id where it is not among those that were asked for. */
export type ShortIds = (id: string) => string

export async function shortIdsOf(cairn: Cairn, ids: readonly RecordId[]): Promise<ShortIds> {
  const short = await cairn.shorten(ids)
  const byId = new Map<string, string>(
    ids.map((id, i) => [
      id,
      id.slice(0, Math.max(SHOWN_CHARACTERS, short[i]?.length ?? id.length)),
    ]),
  )
  return (id) => byId.get(id) ?? id
}
