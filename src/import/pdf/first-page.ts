/** Finds title and authors among the lines of a first page, by the size of the letters and the form of names. */

import { foldText } from '../../literature/identities.js'
import type { Line } from './lines.js'

/** A title is set in letters larger than the text by this factor. */
const TITLE_SIZE = 1.15
const MAX_TITLE_LINES = 5

/** The lines of the first page in its largest letters, if they stand out and stand together. */
export function guessTitle(lines: readonly Line[]): string | null {
  const worded = listWorded(lines)
  const sizes = worded.map(({ size }) => size).toSorted((a, b) => a - b)
  const largest = sizes.at(-1) ?? 0
  const usual = sizes[Math.floor(sizes.length / 2)] ?? largest
  if (worded.length === 0 || largest < usual * TITLE_SIZE) return null
  const start = worded.findIndex(({ size }) => size === largest)
  const rest = worded.slice(start)
  const end = rest.findIndex(({ size }) => size < largest * 0.98)
  const title = rest.slice(0, end === -1 ? rest.length : end)
  return title.length > MAX_TITLE_LINES ? null : joinLines(title)
}

const MAX_HEADING = 150

/** For a page without larger letters: a short first paragraph that is not a sentence, without the names below it. */
export function findHeading(lines: readonly Line[], text: string): string | null {
  const [paragraph = '', rest] = text.trim().split(/\n{2,}/, 2)
  const worded = listWorded(lines)
  const end = worded.findIndex((line, i) => i > 0 && readNames(line.text) !== null)
  const above = joinLines(worded.slice(0, Math.max(0, end)))
  const isAbove = above !== '' && foldText(paragraph).startsWith(foldText(above))
  const heading = isAbove ? above : paragraph
  const isShort = heading.length <= MAX_HEADING && /\S\s\S/.test(heading)
  const hasRest = isAbove || rest !== undefined
  return hasRest && isShort && !/[.,;:]$/.test(heading) ? heading : null
}

function listWorded(lines: readonly Line[]): Line[] {
  return lines.filter(({ text, angle }) => angle === 0 && /\p{L}{2}/u.test(text))
}

function joinLines(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join(' ')
}

/** A title stands among the first lines. */
const FIRST_LINES = 15
const MAX_TITLE = 300

/** Each of the first lines, and each few that follow one another. */
export function listTitles(lines: readonly Line[]): string[] {
  const first = listWorded(lines).slice(0, FIRST_LINES)
  const titles = first.flatMap((_, start) =>
    Array.from({ length: MAX_TITLE_LINES - 1 }, (__, more) =>
      joinLines(first.slice(start, start + more + 1)),
    ),
  )
  return [...new Set(titles)].filter((title) => title.length <= MAX_TITLE)
}

/** How many lines between the title and the names, such as a subtitle, are passed over. */
const MAX_BETWEEN = 2
const MAX_AUTHOR_LINES = 6

/** The names in the lines below the title. */
export function guessAuthors(lines: readonly Line[], title: string | null): string[] {
  const worded = listWorded(lines)
  const below = worded.slice(findEnd(worded, title)).slice(0, MAX_BETWEEN + MAX_AUTHOR_LINES)
  const names = below.map(({ text }) => readNames(text))
  const start = names.findIndex((found) => found !== null)
  if (title === null || start < 0 || start > MAX_BETWEEN) return []
  const rest = names.slice(start)
  const end = rest.indexOf(null)
  return [...new Set(rest.slice(0, end < 0 ? rest.length : end).flatMap((found) => found ?? []))]
}

/** The index after the lines that the title is made of; the number of lines if the title is not among them. */
function findEnd(lines: readonly Line[], title: string | null): number {
  const wanted = foldText(title ?? '')
  for (let start = 0; start < lines.length; start++) {
    for (let end = start + 1; end <= start + MAX_TITLE_LINES; end++) {
      const folded = foldText(joinLines(lines.slice(start, end)))
      if (folded === wanted) return end
      if (!wanted.startsWith(folded)) break
    }
  }
  return lines.length
}

const PARTICLES = new Set(
  'al bin da de del della den der di do dos du e el ibn la le ten ter van von y zu zur'.split(' '),
)
const NAME_PART = /^\p{Lu}(?:\.|[\p{L}\p{M}'’.-]*)$/u
const NO_NAME =
  /^(?:abstract|academy|accepted|article|association|bureau|cent(?:er|re)|chapter|city|college|company|conference|corporation|department|dept|draft|faculty|for|gmbh|group|hospital|inc|institute?|international|introduction|journal|lab(?:oratory|s)?|ltd|national|open|paper|preprint|press|proceedings|program|published|received|report|research|review|revised|school|science|section|society|state|summary|team|technical|technology|the|united|university|version|volume|working|workshop|january|february|march|april|may|june|july|august|september|october|november|december)\.?$/i

/** The names of a line that holds nothing else, without the marks that lead to their addresses; null for other lines. */
function readNames(line: string): string[] | null {
  if (/[@:?!()]|https?:/.test(line)) return null
  const plain = line.replace(/^by /i, '').replace(/[\d*∗†‡§¶#⋆⁎¹²³⁰-⁹]+/gu, ',')
  const parts = plain.split(/[,;·•|]| and | & | und /).map((part) => part.trim())
  const names = parts.filter((part) => part !== '')
  return names.length > 0 && names.every(isName) ? names : null
}

function isName(text: string): boolean {
  const words = text.split(/\s+/)
  if (words.length < 2 || words.length > 5) return false
  const own = words.filter((word) => !PARTICLES.has(word))
  const hasWhole = own.some((word) => /\p{L}{2}/u.test(word))
  return (
    own.length > 1 && hasWhole && own.every((word) => NAME_PART.test(word) && !NO_NAME.test(word))
  )
}
