/** Whatever goes wrong becomes one or two sentences that an agent can act on. */

import type { Cairn } from '../cairn/cairn.js'
import { CairnError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { didYouMean } from './suggest.js'

const UNKNOWN_ID = /^No record has the id "(.*)"\.$/

/** What the library says to a person at a terminal, in the words of the tools. */
const COMMANDS: Readonly<Record<string, (words: string) => string>> = {
  list: () => 'search or timeline',
  restore: (id) => `update {"action": "restore", "ids": ["${id}"]}`,
  history: (id) => `explore {"id": "${id}", "relation": "history"}`,
  why: (id) => `explore {"id": "${id}", "relation": "why"}`,
  links: (id) => `explore {"id": "${id}", "relation": "related"}`,
  unlink: () => 'update {"action": "unlink", …}',
  supersede: () => 'update {"action": "supersede", "id": OLD, "by": NEW}',
  fact: () => 'explore with "relation": "why"',
  session: () => 'status',
}

export async function sentenceOf(
  error: unknown,
  open: () => Promise<Cairn>,
  log: Log,
): Promise<string> {
  if (!(error instanceof CairnError)) {
    const reason = error instanceof Error ? error.message : String(error)
    log('error', 'mcp.fault', { reason, stack: (error instanceof Error && error.stack) || '' })
    return `This is a fault of Cairn and not of the arguments: ${reason}`
  }
  const [, id] = UNKNOWN_ID.exec(error.message) ?? []
  const hint = id === undefined ? inToolWords(error.hint) : await suggestion(id, open)
  return hint === null ? error.message : `${error.message} ${hint}`
}

async function suggestion(id: string, open: () => Promise<Cairn>): Promise<string | null> {
  try {
    return await didYouMean(await open(), id)
  } catch {
    return null
  }
}

/** `cairn restore 01K9` is for a terminal; an agent has tools. */
export function inToolWords(hint: string | null): string | null {
  return (
    hint?.replace(/`cairn ([a-z]+) ?([^`]*)`/g, (all, name: string, words: string) => {
      const say = COMMANDS[name]
      return say === undefined ? all : say(words)
    }) ?? null
  )
}
