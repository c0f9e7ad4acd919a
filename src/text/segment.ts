/** Text in scripts without spaces becomes words for FTS5, each with its way back. */

import { lazyPattern } from './lazy-pattern.js'
import { bigrams, LETTER, UNIT, type Unit, unitsOf } from './script-units.js'
import { mapOffsets, type OffsetMap } from './segment-offsets.js'
import { hasToken } from './tokens.js'

/** A changed text; the offsets of its tokens lead back to the text it was made from. */
export type Segmented = OffsetMap & { readonly text: string }

/** What a query word becomes; `isSegmented` says that the words are not the one that was typed. */
export type QueryTokens = {
  readonly words: readonly string[]
  readonly lastIsPrefix: boolean
  readonly isSegmented: boolean
}

type Part =
  | { readonly kind: 'copy'; readonly start: number; readonly end: number }
  | { readonly kind: 'run'; readonly start: number; readonly end: number }
  | { readonly kind: 'name'; readonly start: number; readonly end: number; readonly form: string }

const NAME = '[A-Za-z](?:\\+\\+|#)'

/** Cheap and nearly always enough: none of the scripts below lies before Thai, or between dashes and ideographs. */
export const MAY_NEED_CHANGE = /[\u0E00-\u1FFF\u2E80-\uFFFF#]|\+\+/
export const needsChange = lazyPattern(`${LETTER}|${NAME}`, 'u')
const anyPart = lazyPattern(`((?:${UNIT})+)|${NAME}`, 'gu')
// A letter may carry a few marks; a mark without a letter is no word.
const ENDS_IN_WORD = /[\p{L}\p{N}\p{Co}]\p{M}*$/u
const LOOK_BACK_CHARS = 8
const startsInWord = lazyPattern(`^(?!${LETTER})[\\p{L}\\p{N}\\p{Co}]`, 'u')

/**
 * Runs of Han, kana, Hangul, Thai, Lao, Khmer and Burmese become overlapping pairs and the last
 * letter alone; C++ and C# become words of letters. Null when nothing changes.
 * @example
 * segment('iPhone手机壳')?.text // 'iPhone 手机 机壳 壳'
 */
export function segment(text: string): Segmented | null {
  const parts = splitParts(text)
  if (parts === null) return null
  const pieces: number[] = []
  let out = ''
  const add = (form: string, start: number, end: number): void => {
    pieces.push(out.length, out.length + form.length, start, end)
    out += form
  }
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'copy') add(text.slice(part.start, part.end), part.start, part.end)
    else if (part.kind === 'name') add(part.form, part.start, part.end)
    else {
      // Asked of the given text: looking into the growing one would copy it each time.
      if (i > 0 && text[part.start - 1] !== ' ') out += ' '
      addRun(unitsOf(text, part.start, part.end), add, () => {
        out += ' '
      })
    }
    const next = parts[i + 1]
    const needsSpace = part.kind === 'run' && next !== undefined && text[next.start] !== ' '
    if (needsSpace) out += ' '
  }
  return out === text ? null : { text: out, ...mapOffsets(pieces) }
}

/**
 * The words to look for next to each other so that exactly this word is found.
 * @example
 * queryTokens('東京都') // { words: ['東京', '京都'], lastIsPrefix: false, isSegmented: true }
 */
export function queryTokens(word: string): QueryTokens {
  const parts = splitParts(word)?.filter((part) => hasToken(word.slice(part.start, part.end)))
  if (parts === undefined) return { words: [word], lastIsPrefix: false, isSegmented: false }
  const words: string[] = []
  let lastIsPrefix = false
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1
    if (part.kind === 'copy') words.push(word.slice(part.start, part.end).trim())
    else if (part.kind === 'name') words.push(part.form)
    else {
      const units = unitsOf(word, part.start, part.end)
      words.push(...bigrams(units))
      const final = units.at(-1)
      // At the end the text may go on, so the last letter alone would be too strict.
      if (final !== undefined && (!isLast || units.length === 1)) words.push(final.form)
      lastIsPrefix = isLast && units.length === 1
    }
  }
  return { words, lastIsPrefix, isSegmented: true }
}

/** The pairs of all runs in the word, to look for any of them; none for a word without runs. */
export function bigramsOf(word: string): readonly string[] {
  const runs = splitParts(word)?.filter((part) => part.kind === 'run') ?? []
  return runs.flatMap((run) => bigrams(unitsOf(word, run.start, run.end)))
}

function splitParts(text: string): Part[] | null {
  if (!MAY_NEED_CHANGE.test(text) || !needsChange().test(text)) return null
  const parts: Part[] = []
  let copied = 0
  for (const match of text.matchAll(anyPart())) {
    const start = match.index
    const end = start + match[0].length
    const form = match[1] === undefined ? nameOf(text, start, end) : null
    // A run may touch C++ ("学C++"); any other letter or digit makes it part of a longer word.
    const isName = form !== null && !touchesWord(text, copied, start)
    if (match[1] === undefined && !isName) continue
    if (copied < start) parts.push({ kind: 'copy', start: copied, end: start })
    parts.push(form === null ? { kind: 'run', start, end } : { kind: 'name', start, end, form })
    copied = end
  }
  if (parts.length === 0) return null
  if (copied < text.length) parts.push({ kind: 'copy', start: copied, end: text.length })
  return parts
}

function touchesWord(text: string, copied: number, start: number): boolean {
  return ENDS_IN_WORD.test(text.slice(Math.max(copied, start - LOOK_BACK_CHARS), start))
}

/** C++ → Cplusplus, or null when the word goes on after it (C++11). */
function nameOf(text: string, start: number, end: number): string | null {
  if (startsInWord().test(text.slice(end, end + 2))) return null
  return text.charAt(start) + (text[end - 1] === '#' ? 'sharp' : 'plusplus')
}

function addRun(
  units: readonly Unit[],
  add: (form: string, start: number, end: number) => void,
  addSpace: () => void,
): void {
  for (const [i, unit] of units.entries()) {
    if (i > 0) addSpace()
    add(unit.form, unit.start, unit.end)
    const next = units[i + 1]
    if (next !== undefined) add(next.form, next.start, next.end)
  }
}
