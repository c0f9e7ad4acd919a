/** A date is as exact as it was written, and never more. */

export type Published = { readonly year: number | null; readonly published: string | null }

export const UNDATED: Published = { year: null, published: null }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Parts that no calendar has are left out, and what is more exact than them too: (2019, 13, 1) → `2019`. */
export function publishedOn(year: number, month?: number | null, day?: number | null): Published {
  if (!Number.isInteger(year) || year < 1 || year > 9999) return UNDATED
  const parts = [String(year).padStart(4, '0')]
  if (within(month, 12)) parts.push(String(month).padStart(2, '0'))
  if (parts.length === 2 && within(day, 31)) parts.push(String(day).padStart(2, '0'))
  return { year, published: parts.join('-') }
}

function within(part: number | null | undefined, most: number): boolean {
  return part !== null && part !== undefined && Number.isInteger(part) && part >= 1 && part <= most
}

/** `2019-07-28`, `2019/07/28/`, `28 July 2019`, `c. 1850`, `2019-07/2019-09` (where it begins), `2019a`. */
export function readDate(text: string | null | undefined): Published {
  const line = text?.trim() ?? ''
  const numbers = /(?<!\d)(\d{4})(?:[-/.](\d{1,2})(?!\d))?(?:[-/.](\d{1,2})(?!\d))?/.exec(line)
  if (numbers === null) return /^\d{1,3}$/.test(line) ? publishedOn(Number(line)) : UNDATED
  const [whole, year, month, day] = numbers
  if (month !== undefined)
    return publishedOn(Number(year), Number(month), Number(day ?? Number.NaN))
  const rest = readMonth(line.replace(whole, ' '))
  return publishedOn(Number(year), rest.month, rest.day)
}

/** `jul`, `July`, `7`, `28 July`, `July~28`: what a month field holds besides a month. */
export function readMonth(text: string | null | undefined): {
  readonly month: number | null
  readonly day: number | null
} {
  const line = text?.trim().toLowerCase() ?? ''
  if (/^\d{1,2}$/.test(line)) return { month: Number(line), day: null }
  const name = /(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/.exec(line)?.[1]
  const day = /(?<!\d)(\d{1,2})(?!\d)/.exec(line)?.[1]
  if (name === undefined) return { month: null, day: null }
  return { month: MONTHS.indexOf(name) + 1, day: day === undefined ? null : Number(day) }
}

/** The first one says the year, and the most exact one of that year the rest. */
export function mostExact(dates: readonly Published[]): Published {
  const first = dates.find(({ year }) => year !== null) ?? UNDATED
  const exactness = ({ published }: Published): number => published?.length ?? 0
  return dates
    .filter(({ year }) => year === first.year)
    .reduce((best, date) => (exactness(date) > exactness(best) ? date : best), first)
}

/** The month as BibTeX's macros have it: 7 → `jul`. */
export function monthMacro(month: number): string | null {
  return MONTHS[month - 1] ?? null
}

/** The numbers of a work's date, however much of it is known: (2019, `2019-07`) → [2019, 7]. */
export function dateParts(work: Published): number[] {
  const exact = readDate(work.published).published ?? publishedOn(work.year ?? 0).published
  return exact?.split('-').map(Number) ?? []
}

/** [2019, 7] and `/` → `2019/07` */
export function joinDate(parts: readonly number[], separator: string): string {
  return parts.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, '0')).join(separator)
}
