/** Composes replies within a token budget, as text for a reader and as data for a program, and turns errors into replies. */

import type { Cairn } from '../cairn/cairn.js'
import { CairnError } from '../core/errors.js'
import { parseIdPrefix, type RecordId } from '../core/ids.js'
import type { Log } from '../core/log.js'
import { sentenceEnds } from '../text/sentences.js'

/** A token counts as this many characters, whatever the model's own tokenizer would say. */
export const CHARACTERS_PER_TOKEN = 4
/** Time and counter of an id. Eight characters are the same for a second; these will stay unique. */
export const SHOWN_ID_CHARACTERS = 14
const LEAN_CHARACTERS = 120
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

/** The same thing for a reader and for a program. */
export type Part = { readonly text: string; readonly data: unknown }
/** `lean` is shown where the budget has no room for the whole. */
export type Item = Part & { readonly lean: Part }

export type Data = { readonly [key: string]: unknown }
export type Reply = { readonly text: string; readonly data: Data }

export type Page = {
  /** Lines above the list. */
  readonly head: readonly string[]
  readonly base?: Data
  /** The name of the list in the data. */
  readonly list: string
  readonly items: readonly Item[]
  /** The last line: what was left out, and how to get it. */
  readonly foot?: (shown: number, left: number) => string | null
}

export function createItem(text: string, data: Data): Item {
  return { text, data, lean: { text: brief(text, LEAN_CHARACTERS), data } }
}

/** Shows as many items as the text and the data both have room for; the first is always there. */
export function compose(budget: number, page: Page): Reply & { readonly shown: number } {
  const room = budget * CHARACTERS_PER_TOKEN
  const { head, base, items, list, foot = defaultFoot } = page
  const feet = [0, items.length].map((n) => lineLength(foot(n, items.length - n) ?? ''))
  const shown = takeItems(items, {
    text: room - 16 - Math.max(...feet) - lineLength(head.join('\n')),
    json: room - JSON.stringify({ ...base, [list]: [], left: items.length }).length,
  })
  const left = items.length - shown.length
  const last = foot(shown.length, left)
  const text = [...head, ...shown.map((part) => part.text), ...(last === null ? [] : [last])]
  return {
    text: cutText(text.join('\n'), room),
    data: { ...base, [list]: shown.map(({ data }) => data), left },
    shown: shown.length,
  }
}

function defaultFoot(_: number, left: number): string | null {
  return left === 0 ? null : `${left} left out: ask with a larger "budget".`
}

function takeItems(items: readonly Item[], room: { text: number; json: number }): Part[] {
  const shown: Part[] = []
  let { text, json } = room
  for (const item of items) {
    const forms: Part[] = shown.length === 0 ? [item, item.lean] : [item]
    const form = forms.find((one) => lineLength(one.text) <= text && jsonLength(one.data) <= json)
    if (form === undefined) break
    shown.push(form)
    text -= lineLength(form.text)
    json -= jsonLength(form.data)
  }
  return shown
}

/** With the line break that follows. */
function lineLength(text: string): number {
  return text.length + 1
}

/** With the comma that follows. */
export function jsonLength(data: unknown): number {
  return JSON.stringify(data).length + 1
}

/** Cuts a text at the end of a sentence, a line or a word. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const window = text.slice(0, Math.max(0, maxLength))
  const border = Math.max(
    sentenceEnds(text.slice(0, maxLength + 1)).at(-1) ?? 0,
    window.lastIndexOf('\n'),
  )
  if (border > maxLength / 3) return window.slice(0, border).trimEnd()
  const space = window.search(/\s\S*$/)
  return space > maxLength / 3 ? window.slice(0, space).trimEnd() : dropHalfPair(window)
}

/** A short text in one line, with an ellipsis where something is missing. */
export function brief(text: string, maxLength: number): string
export function brief(text: string | null, maxLength: number): string | null
export function brief(text: string | null, maxLength: number): string | null {
  if (text === null) return null
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= maxLength) return line
  const window = line.slice(0, maxLength - 1)
  const space = window.lastIndexOf(' ')
  return `${space > (maxLength - 1) / 2 ? window.slice(0, space) : dropHalfPair(window)}…`
}

/** A cut must not leave the first half of a surrogate pair. */
function dropHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}

export type ShortenId = (id: string) => string

/** Shortens the ids of these records as far as they stay unique; any other id stays whole. */
export async function shortenIds(
  cairn: Cairn,
  records: readonly { readonly id: RecordId }[],
): Promise<ShortenId> {
  const ids: readonly RecordId[] = records.map(({ id }) => id)
  const unique = await cairn.shorten(ids)
  const lengths = new Map<string, number | undefined>(ids.map((id, i) => [id, unique[i]?.length]))
  return (id) => id.slice(0, Math.max(SHOWN_ID_CHARACTERS, lengths.get(id) ?? id.length))
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
