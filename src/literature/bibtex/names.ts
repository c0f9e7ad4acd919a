/** A list of people is read in every form BibTeX knows, and written in the one that cannot be misread. */

import type { PersonName } from '../../core/work.js'
import { tidyLine } from '../tidy.js'
import { isWrapped, splitOutsideBraces } from './braces.js'
import { latexToText, textToLatex } from './latex-text.js'

/** `and others`, which stands for the people who are not named. */
export const OTHERS = 'others'

/** `Ludwig van Beethoven and {World Health Organization}` → two names. */
export function readNames(source: string | undefined): PersonName[] {
  if (source === undefined) return []
  const names = splitOutsideBraces(source.trim(), /\s+and(?=\s)/iy)
  return names.flatMap((name) => readName(name.trim()) ?? [])
}

function readName(source: string): PersonName | null {
  if (isWrapped(source)) return nameOf(source, null)
  const parts = splitOutsideBraces(source, /,/y).map((part) => part.trim())
  if (/^(?:family|given|prefix|suffix|useprefix|given-i)\s*=/i.test(source))
    return readLabelled(parts)
  const [first = '', second = '', third] = parts
  if (parts.length === 1) return readInOrder(source)
  if (third === undefined) return nameOf(first, second)
  return nameOf(first, parts.slice(2).join(', '), second)
}

/** biblatex's own form: `family=Berg, given=Jan, prefix=van der`. */
function readLabelled(parts: readonly string[]): PersonName | null {
  const labelled = new Map(
    parts.map((part) => {
      const cut = part.indexOf('=')
      return [part.slice(0, cut).trim().toLowerCase(), part.slice(cut + 1).trim()] as const
    }),
  )
  const family = [labelled.get('prefix'), labelled.get('family')].filter(Boolean).join(' ')
  return nameOf(family, labelled.get('given') ?? '', labelled.get('suffix'))
}

/** "First von Last": the family name begins at the first word in lower case, or else is the last word. */
function readInOrder(source: string): PersonName | null {
  const words = splitOutsideBraces(source, /[\s~]+/y).filter((word) => word !== '')
  const small = words.findIndex(isSmall)
  const allSmall = words.every(isSmall)
  const cut = small === -1 || allSmall ? words.length - 1 : small
  return nameOf(words.slice(cut).join(' '), words.slice(0, cut).join(' '))
}

function isSmall(word: string): boolean {
  if (word.startsWith('{') && !word.startsWith('{\\')) return false
  const letter = /\p{L}/u.exec(latexToText(word))?.[0] ?? ''
  return letter !== letter.toUpperCase()
}

/** A suffix follows the given name: `King, Jr., Martin Luther` → `Martin Luther, Jr.` */
function nameOf(family: string, given: string | null, suffix?: string): PersonName | null {
  const shownFamily = tidyLine(latexToText(family))
  const shownGiven = [given, suffix].flatMap((part) => tidyLine(latexToText(part ?? '')) ?? [])
  if (shownFamily === null) {
    return shownGiven.length === 0 ? null : { family: shownGiven.join(', '), given: null }
  }
  return { family: shownFamily, given: shownGiven.join(', ') || null }
}

export function writeNames(names: readonly PersonName[]): string {
  return names.map(writeName).join(' and ')
}

function writeName({ family, given }: PersonName): string {
  if (given === null)
    return /[\s,~=]|^and$/i.test(family) ? `{${textToLatex(family)}}` : textToLatex(family)
  const cut = given.lastIndexOf(', ')
  const hasSuffix = cut > 0 && cut + 2 < given.length
  const parts = hasSuffix ? [family, given.slice(cut + 2), given.slice(0, cut)] : [family, given]
  return parts.map(protect).join(', ')
}

/** Inside braces neither a comma nor an "and" takes a name apart. */
function protect(part: string): string {
  const latex = textToLatex(part)
  return /[,=]|(?:^|\s)and(?:\s|$)/i.test(part) ? `{${latex}}` : latex
}
