/** Composes replies within a token budget, as text for a reader and as data for a program, and turns errors into replies. */

import type { Cairn } from '../cairn/cairn.js'
import { CairnError, renameOptions } from '../core/errors.js'
import { parseIdPrefix, type RecordId } from '../core/ids.js'
import type { Log } from '../core/log.js'
import { CHARACTERS_PER_TOKEN } from '../schemas/fields.js'
import { sentenceEnds } from '../text/sentences.js'
import { brief, type Data, renderItem } from './render.js'

/** The time and the counter of an id, which stay unique; ids of one second have the same first eight characters. */
const SHOWN_ID_CHARACTERS = 14
/** How many of the latest records are compared. */
const COMPARED = 1000
/** Ids of one day begin alike; fewer characters in common say nothing. */
const MIN_IN_COMMON = 6
const MAX_SUGGESTED = 3

/** The tools that stand for the commands which the library's hints name. */
const COMMANDS: Readonly<Record<string, (words: string) => string>> = {
  add: () => 'remember',
  list: () => 'search or timeline',
  restore: (id) => `update {"action": "restore", "id": "${id}"}`,
  history: (id) => `explore {"id": "${id}", "relation": "history"}`,
  why: (id) => `explore {"id": "${id}", "relation": "why"}`,
  links: (id) => `explore {"id": "${id}", "relation": "related"}`,
  unlink: () => 'update {"action": "unlink", …}',
  supersede: () => 'update {"action": "supersede", "id": OLD, "by": NEW}',
  fact: () => 'explore with "relation": "why"',
  session: () => 'the resource cairn://sessions',
}

export type Reply = {
  readonly text: string
  readonly data: Data
  /** The text stays as it is, with whole ids. */
  readonly isExact?: true
}

export type Page = {
  /** Lines above the list. */
  readonly head: readonly string[]
  readonly base?: Data
  /** The name of the list in the data. */
  readonly list: string
  readonly items: readonly Data[]
  /** The last line: what was left out, and how to get it. */
  readonly foot?: (shown: number, left: number) => string | null
}

/** Shows as many items as fit into both the text and the data, at least the first. */
export function compose(budget: number, page: Page): Reply & { readonly shown: number } {
  const room = budget * CHARACTERS_PER_TOKEN
  const { items, list, foot = defaultFoot } = page
  const base = dropLargest(page.base ?? {}, room / 2)
  const head = cutText(page.head.join('\n'), room / 2)
  const feet = [0, items.length].map((n) => (foot(n, items.length - n) ?? '').length + 1)
  const shown = takeItems(items, {
    text: room - 16 - Math.max(...feet) - head.length,
    json: room - jsonLength({ ...base, [list]: [], left: items.length }),
  })
  const left = items.length - shown.length
  const lines = [head, ...shown.map(({ text }) => text), foot(shown.length, left) ?? '']
  return {
    text: cutText(lines.filter((line) => line !== '').join('\n'), room),
    data: { ...base, [list]: shown.map(({ item }) => item), left },
    shown: shown.length,
  }
}

function defaultFoot(_: number, left: number): string | null {
  return left === 0 ? null : `${left} left out: ask with a larger "budget".`
}

function takeItems(items: readonly Data[], room: { text: number; json: number }) {
  const shown: { readonly item: Data; readonly text: string }[] = []
  const take = (item: Data): boolean => {
    const [text, length] = [renderItem(item), jsonLength(item)]
    if (text.length >= room.text || length > room.json) return false
    shown.push({ item, text })
    room.text -= text.length + 1
    room.json -= length
    return true
  }
  const [first, ...others] = items
  if (first === undefined) return shown
  if (!take(first) && !take(dropLargest(first, Math.min(room.text, room.json) / 2))) return shown
  others.every(take)
  return shown
}

/** Without its largest members, as far as it must become smaller. */
function dropLargest(data: Data, maxLength: number): Data {
  if (jsonLength(data) <= maxLength) return data
  const [largest] = Object.entries(data).toSorted(([, a], [, b]) => jsonLength(b) - jsonLength(a))
  const { [largest?.[0] ?? '']: _, ...rest } = data
  return dropLargest({ ...rest, isCut: true }, maxLength)
}

/** With the comma that follows. */
export function jsonLength(data: unknown): number {
  return (JSON.stringify(data) ?? '').length + 1
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
  if (space > maxLength / 3) return window.slice(0, space).trimEnd()
  // A cut must not leave the first half of a surrogate pair.
  return window.replace(/[\uD800-\uDBFF]$/, '')
}

/** Shortens the ids that the text names, as far as they stay unique. */
export async function shortenIds(cairn: Cairn, { text, data, isExact }: Reply): Promise<string> {
  if (isExact) return text
  const quoted = JSON.stringify(data).matchAll(/"([0-9A-HJKMNP-TV-Z]{26})"/g)
  const ids = [...new Set([...quoted].map(([, id = '']) => id))].filter((id) => text.includes(id))
  const unique = await cairn.shorten(ids as RecordId[])
  return ids.reduce((shorter, id, i) => {
    const length = Math.max(SHOWN_ID_CHARACTERS, unique[i]?.length ?? id.length)
    return shorter.replaceAll(id, id.slice(0, length))
  }, text)
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
  return `${message} ${translateHint(error.hint ?? '')}`.trimEnd()
}

/** Names tools instead of commands, and options as they are written in a call. */
export function translateHint(hint: string): string {
  const named = hint.replace(
    /`cairn ([a-z]+) ?([^`]*)`/g,
    (all, name: string, words: string) => COMMANDS[name]?.(words) ?? all,
  )
  return renameOptions(named, (name, value) => {
    if (value === undefined) return `"${name}"`
    return `"options": {"${name}": ${Number.isNaN(Number(value)) ? `"${value}"` : value}}`
  })
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
    .map(({ record: { id, title, body } }) => ({ id, text: brief(title ?? body, 40) }))
  const names = chosen.map(({ id, text }) => `${id} (${text})`)
  const text = isNear
    ? `Did you mean ${names.join(' or ')}?`
    : `search and timeline show ids; the latest are ${names.join(', ')}.`
  return shortenIds(cairn, { text, data: { chosen } })
}

function countInCommon(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i += 1
  return i
}
