/** A session that a person names is one there is, or they are told so. */

import type { Cairn } from '../cairn/cairn.js'

/** Sessions as they were typed become the ids of those there are. */
export async function withKnownSessions<I extends { sessions?: unknown }>(
  input: I,
  cairn: Cairn,
): Promise<I> {
  const { sessions } = input
  if (!Array.isArray(sessions)) return input
  const known = await Promise.all(sessions.map((one: string) => cairn.sessions.find(one)))
  return { ...input, sessions: known.map(({ id }) => id) }
}
