/** Ids are shown as short as they may be typed. */

import type { Cairn } from '../cairn/cairn.js'
import type { RecordId } from '../core/ids.js'

/** Says of each id the shortest beginning that still names its record alone. */
export type ShortId = (id: RecordId) => string

export async function shortIds(cairn: Cairn, ids: readonly RecordId[]): Promise<ShortId> {
  const all = [...new Set(ids)]
  const short = await cairn.shorten(all)
  const byId = new Map(all.map((id, i) => [id, short[i]]))
  return (id) => byId.get(id) ?? id
}
