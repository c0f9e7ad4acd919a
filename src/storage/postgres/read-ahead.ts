/** What a snapshot has read once, or reads ahead of being asked for it: so that a search waits for few round trips. */

import type { Statements } from './statements.js'

const known = new WeakMap<Statements, Map<string, Promise<unknown>>>()

/** The same answer for the same key, as long as the snapshot lasts. */
export function readOnce<T>(
  statements: Statements,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const answers = known.get(statements) ?? new Map<string, Promise<unknown>>()
  known.set(statements, answers)
  const before = answers.get(key) as Promise<T> | undefined
  if (before !== undefined) return before
  const answer = read()
  answers.set(key, answer)
  // A read that was stopped is done again. Perhaps nobody asks for it, or only after it has failed.
  answer.catch(() => answers.delete(key))
  return answer
}
