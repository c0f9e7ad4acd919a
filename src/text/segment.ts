/** Segments text in scripts without spaces into words for FTS5, and maps offsets back to the original. */

import { hasToken, tokenize } from './tokens.js'

/** Compiling a pattern over whole scripts takes half a millisecond, so it is compiled on first use. */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | null = null
  return () => {
    pattern ??= new RegExp(source, flags)
    return pattern
  }
}

// Unicode classes 〇 as a number, but it is a letter in 二〇二四; ー and the half-width ｰ belong to both kana.
const LETTER =
  '(?=[\\p{L}〇])[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{sc=Thai}\\p{sc=Lao}' +
  '\\p{sc=Khmr}\\p{sc=Mymr}]'
// Unicode classes the half-width voiced marks ﾞ and ﾟ as letters, but they are marks.
const MARK = '[\\p{M}\\uFF9E\\uFF9F]'
// In decomposed Hangul (macOS file names), lead, vowel and tail are one letter.
const SYLLABLE = '[\\u1100-\\u1112][\\u1161-\\u1175][\\u11A8-\\u11C2]?'
const UNIT = `(?:${SYLLABLE}|${LETTER})${MARK}*`
const NAME = '[A-Za-z](?:\\+\\+|#)'

/** A cheap test that rejects most texts: these scripts have no letters before Thai or in U+2000 to U+2E7F. */
export const MAY_NEED_CHANGE = /[\u0E00-\u1FFF\u2E80-\uFFFF#]|\+\+/
export const needsChange = lazyPattern(`${LETTER}|${NAME}`, 'u')
const anyPart = lazyPattern(`((?:${UNIT})+)|${NAME}`, 'gu')
const unitHere = lazyPattern(UNIT, 'uy')
const runAtStart = lazyPattern(`^${LETTER}`, 'u')
const startsInWord = lazyPattern(`^(?!${LETTER})[\\p{L}\\p{N}\\p{Co}]`, 'u')
// A letter may carry a few marks; a mark without a letter is not a word.
const endsInWord = lazyPattern('[\\p{L}\\p{N}\\p{Co}]\\p{M}*$', 'u')
const LOOK_BACK_CHARS = 8

type Part = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'copy' | 'run' }
  | { readonly kind: 'name'; readonly form: string }
)

/** One letter with its marks: `form` is indexed for `text.slice(start, end)`. */
type Unit = { readonly form: string; readonly start: number; readonly end: number }

export type Segmented = {
  readonly text: string
  /** The start in the original of the character at this offset. */
  originalStart(offset: number): number
  /** The end in the original of the character before this offset. */
  originalEnd(offset: number): number
}

/**
 * Splits runs of Han, kana, Hangul, Thai, Lao, Khmer and Burmese into overlapping pairs and the last
 * letter alone. Spells C++ and C# as words. Null if nothing changes.
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
      // Test the given text, not `out`: reading a growing string copies it each time.
      if (i > 0 && text[part.start - 1] !== ' ') out += ' '
      const units = splitUnits(text, part.start, part.end)
      for (const [j, unit] of units.entries()) {
        if (j > 0) out += ' '
        add(unit.form, unit.start, unit.end)
        const next = units[j + 1]
        if (next !== undefined) add(next.form, next.start, next.end)
      }
      const next = parts[i + 1]
      if (next !== undefined && text[next.start] !== ' ') out += ' '
    }
  }
  return out === text ? null : { text: out, ...mapOffsets(pieces) }
}

/** FTS5 takes quadratic time for a phrase; this many pairs of letters identify any passage. */
const MAX_PHRASE_WORDS = 64

/**
 * The adjacent words that match exactly this word in segmented text. `isSegmented`: they differ from the word as typed.
 * @example
 * queryTokens('東京都') // { words: ['東京', '京都'], lastIsPrefix: false, isSegmented: true }
 */
export function queryTokens(word: string) {
  const parts = splitParts(word)?.filter((part) => hasToken(word.slice(part.start, part.end)))
  if (parts === undefined) return { words: [word], lastIsPrefix: false, isSegmented: false }
  const words: string[] = []
  let lastIsPrefix = false
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'copy') words.push(word.slice(part.start, part.end).trim())
    else if (part.kind === 'name') words.push(part.form)
    else {
      const isLast = i === parts.length - 1
      const units = splitUnits(word, part.start, part.end)
      for (const [j, { form }] of units.slice(1).entries())
        words.push((units[j]?.form ?? '') + form)
      const final = units.at(-1)
      // The text may continue after the word, so the last letter alone would be too strict.
      if (final !== undefined && (!isLast || units.length === 1)) words.push(final.form)
      lastIsPrefix = isLast && units.length === 1
    }
  }
  if (words.length <= MAX_PHRASE_WORDS) return { words, lastIsPrefix, isSegmented: true }
  return { words: words.slice(0, MAX_PHRASE_WORDS), lastIsPrefix: false, isSegmented: true }
}

/**
 * Splits `foo-bar`, `user@host` or a run of Chinese into parts; empty for a plain word. Leaves out single characters, which
 * are too common to search for alone.
 * @example
 * splitCompound('self-attention') // ['self', 'attention']
 */
export function splitCompound(word: string): readonly string[] {
  const text = segment(word)?.text ?? word
  const pieces = tokenize(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((piece) => piece.length > 1)
    .slice(0, MAX_PHRASE_WORDS)
  return pieces.length === 1 && pieces[0] === word ? [] : pieces
}

export function startsWithRun(text: string): boolean {
  return text.charCodeAt(0) >= 0xe00 && runAtStart().test(text)
}

function splitParts(text: string): Part[] | null {
  if (!MAY_NEED_CHANGE.test(text) || !needsChange().test(text)) return null
  const parts: Part[] = []
  let copied = 0
  for (const match of text.matchAll(anyPart())) {
    const start = match.index
    const end = start + match[0].length
    const isRun = match[1] !== undefined
    const form = isRun ? null : spellName(text, start, end)
    // A run may touch C++ ("学C++"), but after any other letter or digit it is part of a longer word.
    const before = text.slice(Math.max(copied, start - LOOK_BACK_CHARS), start)
    if (!isRun && (form === null || endsInWord().test(before))) continue
    if (copied < start) parts.push({ kind: 'copy', start: copied, end: start })
    parts.push(form === null ? { kind: 'run', start, end } : { kind: 'name', start, end, form })
    copied = end
  }
  if (parts.length === 0) return null
  if (copied < text.length) parts.push({ kind: 'copy', start: copied, end: text.length })
  return parts
}

/** C++ → Cplusplus; null if the word continues (C++11). */
function spellName(text: string, start: number, end: number): string | null {
  if (startsInWord().test(text.slice(end, end + 2))) return null
  return text.charAt(start) + (text[end - 1] === '#' ? 'sharp' : 'plusplus')
}

function splitUnits(text: string, start: number, end: number): Unit[] {
  const units: Unit[] = []
  for (let at = start; at < end; ) {
    const next = at + 1
    const isPlain = isOwnForm(text.charCodeAt(at))
    if (isPlain && (next >= end || isOwnForm(text.charCodeAt(next)))) {
      units.push({ form: text.charAt(at), start: at, end: next })
      at = next
      continue
    }
    const pattern = unitHere()
    pattern.lastIndex = at
    const unit = pattern.exec(text)?.[0] ?? text.charAt(at)
    units.push({ form: normalizeUnit(unit), start: at, end: at + unit.length })
    at += unit.length
  }
  return units
}

/** True for most kana, Han and Hangul, which are their own NFKC. Calling `normalize` took most of the time. */
function isOwnForm(code: number): boolean {
  if (code < 0x3041) return false
  if (code >= 0x4e00) return code <= 0x9fff || (code >= 0xac00 && code <= 0xd7a3)
  return code <= 0x3096 || (code >= 0x30a1 && code <= 0x30fe && code !== 0x30fb)
}

/** No real letter has more marks, and normalization sorts them in quadratic time. */
const LONGEST_UNIT = 30

/** NFKC if that is one letter (ﾊﾞ → バ), so that both spellings match; otherwise the base letter. */
function normalizeUnit(unit: string): string {
  const [base = ''] = unit
  if (unit.length > LONGEST_UNIT) return base
  const forms = [unit.normalize('NFKC'), base.normalize('NFKC')]
  return forms.find((form) => [...form].length === 1) ?? base
}

/** Each piece has four fields: `outStart..outEnd` of the new text comes from `start..end`. */
const FIELDS = 4

/**
 * Pieces are sorted by their offset in the new text. In a piece of unchanged length, offsets map one to one. A piece whose
 * length changed (a letter with marks, C++) maps as a whole.
 */
function mapOffsets(pieces: readonly number[]): Omit<Segmented, 'text'> {
  const flat = new Int32Array(pieces)

  /** The last piece that begins at or before the offset. Spaces after a piece map to its end. */
  function findPiece(offset: number) {
    let low = 0
    let high = flat.length / FIELDS - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((flat[middle * FIELDS] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = flat.subarray(low * FIELDS)
    return { outStart, outEnd, start, end, isEven: outEnd - outStart === end - start }
  }

  return {
    originalStart(offset) {
      const { outStart, outEnd, start, end, isEven } = findPiece(offset)
      if (offset >= outEnd) return end
      return isEven ? start + offset - outStart : start
    },
    originalEnd(offset) {
      if (offset <= 0) return 0
      const { outStart, start, end, isEven } = findPiece(offset - 1)
      return isEven ? Math.min(start + offset - outStart, end) : end
    },
  }
}
