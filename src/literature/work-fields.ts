/** Cleans, parses and prints single fields of a work: lines, identifiers, pages, tags, dates and names. */

import type { PersonName, Work, WorkType } from '../core/work.js'

/** One line without repeated white space; null if nothing is left. */
export function tidyLine(text: string | null | undefined): string | null {
  return text?.replace(/\s+/g, ' ').trim() || null
}

/** Keeps line ends, and at most one blank line in a row. */
export function tidyLines(text: string | null | undefined): string | null {
  const lines = text?.split(/\r\n|[\n\r]/).map((line) => tidyLine(line) ?? '') ?? []
  const tidy = lines.join('\n').replace(/\n{3,}/g, '\n\n')
  return tidy.trim() || null
}

/** Keeps blank lines; a single line end is where the file was wrapped. */
export function tidyParagraphs(text: string | null | undefined): string | null {
  return tidyLines(text)?.replace(/(?<!\n)\n(?!\n)/g, ' ') ?? null
}

/** `12--34`, `12 – 34` → `12-34` */
export function tidyPages(text: string | null | undefined): string | null {
  return tidyLine(text)?.replace(/\s*[-‐‑‒–—−]+\s*/g, '-') ?? null
}

/** Without empty and repeated tags; `Deep Learning` and `deep learning` are two tags here. */
export function tidyTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => tidyLine(tag) ?? []))]
}

const DOI_URL = /^https?:\/\/(?:dx\.|www\.)?doi\.org\//i
const DOI_PREFIX = /^(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/|doi:?\s*)+/i

/** `https://doi.org/10.1000/ABC` → `10.1000/abc`; null for anything that is not a DOI. Accepts more than `normalizeDoi`. */
export function tidyDoi(text: string | null | undefined): string | null {
  const bare = tidyLine(text)?.replace(DOI_PREFIX, '')
  return bare !== undefined && /^10\.\d.*\/./.test(bare) ? bare.toLowerCase() : null
}

export function readDoiUrl(url: string | null | undefined): string | null {
  return DOI_URL.test(url ?? '') ? tidyDoi(url) : null
}

const ARXIV_ID =
  /^(?:arxiv:\s*)?(?:abs\/)?(\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)*(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?(?![\w.])/i

/** `arXiv:1706.03762v5 [cs.CL]` → `1706.03762` */
export function tidyArxivId(text: string | null | undefined): string | null {
  return ARXIV_ID.exec(text?.trim() ?? '')?.[1] ?? null
}

/** Finds the id in an address, a DOI or the name of a journal, such as `arXiv preprint arXiv:1706.03762`. */
export function findArxivId(text: string | null): string | null {
  const found = /\barxiv(?:\.org\/(?:abs|pdf)\/|:\s*|\.)(?=\d|[a-z-]+(?:\.[a-z]{2})?\/\d)/i.exec(
    text ?? '',
  )
  return found === null ? null : tidyArxivId(text?.slice(found.index + found[0].length))
}

export function findLink(work: Work): string | null {
  if (work.doi !== null) return `https://doi.org/${work.doi}`
  if (work.url !== null) return work.url
  if (work.arxivId !== null) return `https://arxiv.org/abs/${work.arxivId}`
  return work.openAlexId === null ? null : `https://openalex.org/${work.openAlexId}`
}

/** Theses and reports have an institution where other works have a publisher. */
export function hasInstitution(type: WorkType): boolean {
  return type === 'thesis' || type === 'report'
}

/** BibTeX's `and others`: authors that are not named. */
export const OTHERS = 'others'

export function printName({ given, family }: PersonName): string {
  return tidyLine(`${given ?? ''} ${family}`) ?? ''
}

export function printInvertedName({ family, given }: PersonName): string {
  return given === null ? family : `${family}, ${given}`
}

export type Published = Pick<Work, 'year' | 'published'>

const UNDATED: Published = { year: null, published: null }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Drops an invalid part and everything more precise: (2019, 13, 1) → `2019`. */
export function makeDate(year: number, month?: number | null, day?: number | null): Published {
  if (!isWithin(year, 9999)) return UNDATED
  const parts = [year]
  if (isWithin(month, 12)) parts.push(month)
  if (parts.length === 2 && isWithin(day, 31)) parts.push(day)
  return { year, published: joinDate(parts, '-') }
}

function isWithin(part: number | null | undefined, most: number): part is number {
  return typeof part === 'number' && Number.isInteger(part) && part >= 1 && part <= most
}

/** `2019-07-28`, `2019/07/28/`, `28 July 2019`, `c. 1850`, `2019-07/2019-09` (its beginning), `2019a`. */
export function parseDate(text: string | null | undefined): Published {
  const line = text?.trim() ?? ''
  const numbers = /(?<!\d)(\d{4})(?:[-/.](\d{1,2})(?!\d))?(?:[-/.](\d{1,2})(?!\d))?/.exec(line)
  if (numbers === null) return /^\d{1,3}$/.test(line) ? makeDate(Number(line)) : UNDATED
  const [whole, year, month, day] = numbers
  if (month !== undefined) return makeDate(Number(year), Number(month), Number(day))
  const rest = parseMonth(line.replace(whole, ' '))
  return makeDate(Number(year), rest.month, rest.day)
}

/** `jul`, `July`, `7`, `28 July`, `July~28`: a month field may hold a day. */
export function parseMonth(text: string | null | undefined) {
  const line = text?.trim().toLowerCase() ?? ''
  if (/^\d{1,2}$/.test(line)) return { month: Number(line), day: null }
  const name = /(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/.exec(line)?.[1]
  const day = /(?<!\d)(\d{1,2})(?!\d)/.exec(line)?.[1]
  if (name === undefined) return { month: null, day: null }
  return { month: MONTHS.indexOf(name) + 1, day: day === undefined ? null : Number(day) }
}

/** The first dated one decides the year; of that year, the most precise one is returned. */
export function chooseDate(dates: readonly Published[]): Published {
  const first = dates.find(({ year }) => year !== null) ?? UNDATED
  const precision = ({ published }: Published): number => published?.length ?? 0
  return dates
    .filter(({ year }) => year === first.year)
    .reduce((best, date) => (precision(date) > precision(best) ? date : best), first)
}

export function printMonth(month: number): string | null {
  return MONTHS[month - 1] ?? null
}

/** The known parts of a work's date: (2019, `2019-07`) → [2019, 7]. */
export function splitDate(work: Published): number[] {
  const date = parseDate(work.published).published ?? makeDate(work.year ?? 0).published
  return date?.split('-').map(Number) ?? []
}

/** [2019, 7] and `/` → `2019/07` */
export function joinDate(parts: readonly number[], separator: string): string {
  return parts.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, '0')).join(separator)
}

export function readYear(published: string | null): number | null {
  const [year] = /^\d{4}(?!\d)/.exec(published?.trim() ?? '') ?? []
  return year === undefined ? null : Number(year)
}

/** The start of the day, month or year of publication in UTC; null if the year is unknown. */
export function publishedAtMs({ published, year }: Published): number | null {
  const [, y, m, d] =
    /^(-?\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?/.exec(published?.trim() ?? '') ?? []
  if (y === undefined) return year === null ? null : startOfDay(year, 1, 1)
  const [first, month, day] = [Number(y), Number(m ?? 1), Number(d ?? 1)]
  // 31 February becomes the start of February, and month 13 the start of the year.
  return startOfDay(first, month, day) ?? startOfDay(first, month, 1) ?? startOfDay(first, 1, 1)
}

function startOfDay(year: number, month: number, day: number): number | null {
  // Date.UTC would read the year 99 as 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isValid = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isValid ? date.getTime() : null
}
