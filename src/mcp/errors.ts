/** Turns an error into one or two sentences that an agent can act on. */

import type { Cairn } from '../cairn/cairn.js'
import { CairnError } from '../core/errors.js'
import { parseIdPrefix } from '../core/ids.js'
import type { Log } from '../core/log.js'
import { brief, shortenIds } from './reply.js'

/** So many of the latest records are compared. */
const COMPARED = 1000
/** Ids of one day begin alike; fewer characters in common say nothing. */
const MIN_IN_COMMON = 6
const MAX_SUGGESTED = 3

/** The tools that stand for the commands which the library's hints name. */
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

export async function describeError(
  error: unknown,
  open: () => Promise<Cairn>,
  log: Log,
): Promise<string> {
  if (!(error instanceof CairnError)) {
    const reason = error instanceof Error ? error.message : String(error)
    log('error', 'mcp.fault', { reason, stack: (error instanceof Error && error.stack) || '' })
    return `This is a fault of Cairn and not of the arguments: ${reason}`
  }
  const { message, missingId } = error
  if (missingId !== null) {
    const suggested = await open()
      .then((cairn) => suggestIds(cairn, missingId))
      .catch(() => '')
    return `${message} ${suggested}`.trimEnd()
  }
  const hint = (error.hint ?? '').replace(
    /`cairn ([a-z]+) ?([^`]*)`/g,
    (all, name: string, words: string) => COMMANDS[name]?.(words) ?? all,
  )
  return `${message} ${hint}`.trimEnd()
}

/** The records whose ids begin most like the given one, or the latest. */
export async function suggestIds(cairn: Cairn, given: string): Promise<string> {
  const { records } = await cairn.list({ limit: COMPARED })
  if (records.length === 0) return 'There are no records yet: remember makes one.'
  const typed = parseIdPrefix(given) ?? given.toUpperCase()
  const scored = records.map((record) => ({ record, common: countInCommon(typed, record.id) }))
  const most = Math.max(...scored.map(({ common }) => common))
  const isNear = most >= MIN_IN_COMMON
  const chosen = (isNear ? scored.filter(({ common }) => common === most) : scored)
    .slice(0, MAX_SUGGESTED)
    .map(({ record }) => record)
  const shorten = await shortenIds(cairn, chosen)
  const names = chosen.map(({ id, title, body }) => `${shorten(id)} (${brief(title ?? body, 40)})`)
  return isNear
    ? `Did you mean ${names.join(' or ')}?`
    : `search and timeline show ids; the latest are ${names.join(', ')}.`
}

function countInCommon(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i += 1
  return i
}
