/** Shortens the ids that are shown, and resolves the sessions that a user names. */

import type { Cairn } from '../cairn/cairn.js'
import type { RecordId } from '../core/ids.js'

export type ShortId = (id: RecordId) => string

export async function shortIds(
  cairn: Cairn,
  records: readonly { readonly id: RecordId }[],
): Promise<ShortId> {
  const all = [...new Set(records.map(({ id }) => id))]
  const short = await cairn.shorten(all)
  const byId = new Map(all.map((id, i) => [id, short[i]]))
  return (id) => byId.get(id) ?? id
}

/** Replaces the names of sessions by their ids; a session that does not exist is an error. */
export async function withKnownSessions<I extends { sessions?: unknown }>(
  input: I,
  cairn: Cairn,
): Promise<I> {
  const { sessions } = input
  if (!Array.isArray(sessions)) return input
  const known = await Promise.all(sessions.map((one: string) => cairn.sessions.find(one)))
  return { ...input, sessions: known.map(({ id }) => id) }
}
