/** Scripts that write without spaces come apart into letters, each with its marks. */

import { lazyPattern } from './lazy-pattern.js'

/** One letter with its marks: `form` is what is indexed for `text.slice(start, end)`. */
export type Unit = { readonly form: string; readonly start: number; readonly end: number }

/** Source of a regular expression (flag u) for one letter of these scripts. */
// 〇 is a number to Unicode and a letter in 二〇二四; ー and the half-width ｰ belong to both kana.
export const LETTER =
  '(?=[\\p{L}〇])[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{sc=Thai}\\p{sc=Lao}' +
  '\\p{sc=Khmr}\\p{sc=Mymr}]'
// The half-width voiced marks ﾞ and ﾟ are letters to Unicode, and marks to every reader.
const MARK = '[\\p{M}\\uFF9E\\uFF9F]'
// Hangul that was decomposed (file names of a Mac): lead, vowel and tail are one letter.
const SYLLABLE = '[\\u1100-\\u1112][\\u1161-\\u1175][\\u11A8-\\u11C2]?'
/** Source of a regular expression (flag u) for one unit. */
export const UNIT = `(?:${SYLLABLE}|${LETTER})${MARK}*`

const unitHere = lazyPattern(UNIT, 'uy')
const runAtStart = lazyPattern(`^${LETTER}`, 'u')

/** The units of a run that was found with UNIT. */
export function unitsOf(text: string, start: number, end: number): Unit[] {
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
    units.push({ form: formOf(unit), start: at, end: at + unit.length })
    at += unit.length
  }
  return units
}

/** Each two neighbours, joined. */
export function bigrams(units: readonly Unit[]): string[] {
  return units.slice(1).map((unit, i) => (units[i]?.form ?? '') + unit.form)
}

/** Whether the text begins with a letter of a script without spaces. */
export function startsWithRun(text: string): boolean {
  // None of these scripts lies before Thai.
  return text.charCodeAt(0) >= 0xe00 && runAtStart().test(text)
}

/** Nearly all letters: most kana, Han and Hangul are their own NFKC. Asking took most of the time. */
function isOwnForm(code: number): boolean {
  if (code < 0x3041) return false
  if (code >= 0x4e00) return code <= 0x9fff || (code >= 0xac00 && code <= 0xd7a3)
  return code <= 0x3096 || (code >= 0x30a1 && code <= 0x30fe && code !== 0x30fb)
}

/** NFKC where that is one letter (ﾊﾞ → バ), so that both ways to write it are found. */
function formOf(unit: string): string {
  const base = baseOf(unit)
  return singleLetter(unit.normalize('NFKC')) ?? singleLetter(base.normalize('NFKC')) ?? base
}

function baseOf(unit: string): string {
  return String.fromCodePoint(unit.codePointAt(0) ?? 0)
}

function singleLetter(text: string): string | null {
  return text === baseOf(text) ? text : null
}
