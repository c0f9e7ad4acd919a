/** A reply never costs more than its budget, and says what it left out. */

import * as z from 'zod/mini'
import { budget, DEFAULT_BUDGET } from '../schemas/reply-budget.js'
import { sentenceEnds } from '../text/chunk-sentences.js'

/** A token is counted as this many characters, whatever the model's own tokenizer would say. */
export const CHARACTERS_PER_TOKEN = 4

export const budgetField = z._default(budget, DEFAULT_BUDGET)

export const BUDGET_HELP = `most tokens of the reply, counted as characters / ${CHARACTERS_PER_TOKEN}`

/** The same thing for a reader and for a program. */
export type Part = { readonly text: string; readonly data: unknown }
/** With what is shown of it where there is hardly any room. */
export type Item = Part & { readonly lean: Part }

export type Data = { readonly [key: string]: unknown }
export type Reply = { readonly text: string; readonly data: Data }

export type Page = {
  readonly budget: number | undefined
  /** Lines above the list. */
  readonly head: readonly string[]
  readonly base: Data
  /** Under which name the list stands in the data. */
  readonly list: string
  readonly items: readonly Item[]
  /** Shown before the list where they take less than half of the room. */
  readonly extras?: readonly (Part & { readonly name: string })[]
  /** The last line: what was left out, and how to get it. */
  readonly foot: (shown: number, left: number) => string | null
}

/** As many items as the text and the data both have room for; the first is always there. */
export function compose(page: Page): Reply & { readonly shown: number } {
  const room = (page.budget ?? DEFAULT_BUDGET) * CHARACTERS_PER_TOKEN
  const { items, foot, list } = page
  const extras = (page.extras ?? []).filter(({ text, data }) => sizeOf({ text, data }) < room / 2)
  const without = (page.extras ?? []).filter((extra) => !extras.includes(extra))
  const base = {
    ...page.base,
    ...Object.fromEntries(extras.map(({ name, data }) => [name, data])),
    ...(without.length > 0 && { leftOut: without.map(({ name }) => name) }),
  }
  const lines = [
    ...page.head,
    ...extras.map(({ text }) => text),
    ...without.map(({ name }) => `(${name} left out: they need a larger budget)`),
  ]
  const reserve =
    16 + Math.max(...[0, items.length].map((n) => lengthOf(foot(n, items.length - n))))
  const shown = take(items, {
    text: room - reserve - lengthOf(lines.join('\n')),
    json: room - JSON.stringify({ ...base, [list]: [], left: items.length }).length,
  })
  const left = items.length - shown.length
  const last = foot(shown.length, left)
  const text = [...lines, ...shown.map((part) => part.text), ...(last === null ? [] : [last])]
  return {
    text: cutText(text.join('\n'), room),
    data: { ...base, [list]: shown.map(({ data }) => data), left },
    shown: shown.length,
  }
}

type Room = { readonly text: number; readonly json: number }

function take(items: readonly Item[], room: Room): Part[] {
  const shown: Part[] = []
  let { text, json } = room
  for (const item of items) {
    const form = [item, ...(shown.length === 0 ? [item.lean] : [])].find(
      (one) => lengthOf(one.text) <= text && jsonLength(one.data) <= json,
    )
    if (form === undefined) break
    shown.push({ text: form.text, data: form.data })
    text -= lengthOf(form.text)
    json -= jsonLength(form.data)
  }
  return shown
}

/** With the line break that follows. */
function lengthOf(text: string | null): number {
  return text === null ? 0 : text.length + 1
}

/** With the comma that follows. */
export function jsonLength(data: unknown): number {
  return JSON.stringify(data).length + 1
}

function sizeOf({ text, data }: Part): number {
  return Math.max(text.length, jsonLength(data))
}

/** The beginning of a text: whole where there is room, else up to the end of a sentence, a line or a word. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text
  const window = text.slice(0, Math.max(0, room))
  const border = Math.max(
    sentenceEnds(text.slice(0, room + 1)).at(-1) ?? 0,
    window.lastIndexOf('\n'),
  )
  if (border > room / 3) return window.slice(0, border).trimEnd()
  const space = window.search(/\s\S*$/)
  if (space > room / 3) return window.slice(0, space).trimEnd()
  return /[\uD800-\uDBFF]$/.test(window) ? window.slice(0, -1) : window
}

/** A short text in one line, with an ellipsis where something is missing. */
export function brief(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= most) return line
  return `${cutWord(line, most - 1)}…`
}

function cutWord(line: string, most: number): string {
  const window = line.slice(0, most)
  const space = window.lastIndexOf(' ')
  if (space > most / 2) return window.slice(0, space)
  return /[\uD800-\uDBFF]$/.test(window) ? window.slice(0, -1) : window
}
