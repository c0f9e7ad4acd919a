/** Promise: what a command cannot do without is asked for in one sentence. */

import type { Cairn } from '../../cairn.js'
import { badInput } from '../../core/errors.js'
import type { Context } from './command.js'

const LISTS = {
  record: '`cairn list` shows the ids.',
  session: '`cairn session list` shows those there are.',
  fact: '`cairn fact list` shows the ids.',
  lens: '`cairn lens list` shows those there are.',
} as const

/** The word in that place, which names such a thing. */
export function wantOne(
  { words }: Pick<Context, 'words'>,
  kind: keyof typeof LISTS,
  place = 0,
): string {
  const word = words[place]
  if (word !== undefined) return word
  const name = kind === 'lens' ? 'name' : 'id'
  throw badInput(`Which ${kind}? Give its ${name}.`, LISTS[kind])
}

/** One id or more. */
export function wantIds({ words }: Pick<Context, 'words'>): readonly string[] {
  if (words.length === 0) throw badInput('Which record? Give one id or more.', LISTS.record)
  return words
}

/** Two records, one for each of these roles. */
export function wantTwo(
  { words }: Pick<Context, 'words'>,
  roles: readonly [string, string],
): readonly [string, string] {
  const [one, other] = words
  if (one !== undefined && other !== undefined) return [one, other]
  throw badInput(`Give two ids: ${roles[0]}, then ${roles[1]}.`, LISTS.record)
}

/** Sessions as they were typed become the ids of those there are. */
export async function withKnownSessions<I extends { sessions?: unknown }>(
  cairn: Cairn,
  input: I,
): Promise<I> {
  const { sessions } = input
  if (!Array.isArray(sessions)) return input
  const known = await Promise.all(sessions.map((one: string) => cairn.sessions.find(one)))
  return { ...input, sessions: known.map(({ id }) => id) }
}
