/** A work is stored with its identifiers in their one form, and what it cites named once. */

import type { PersonName, Work } from '../core/work.js'
import {
  normalizeArxiv,
  normalizeDoi,
  normalizeOpenAlex,
  printIdentifier,
  readIdentifier,
} from './identifiers.js'
import { listKeys } from './same-work.js'

/** What does not look like an identifier stays as it was written. */
export function tidyWork(work: Work): Work {
  const tidy: Work = {
    ...work,
    doi: inOneForm(work.doi, normalizeDoi),
    openAlexId: inOneForm(work.openAlexId, normalizeOpenAlex),
    arxivId: inOneForm(work.arxivId, normalizeArxiv),
    citationKey: work.citationKey?.trim() || null,
    year: work.year ?? yearOf(work.published),
  }
  // That a work cites itself says nothing.
  const own = new Set(listKeys(tidy))
  const named = work.references.map(tidyReference).filter((name) => name !== '' && !own.has(name))
  return { ...tidy, references: [...new Set(named)] }
}

/** @example tidyReference('doi:10.1000/ABC') // 'doi:10.1000/abc' */
export function tidyReference(reference: string): string {
  const written = reference.trim()
  const [, key] = /^key:\s*(.*)$/i.exec(written) ?? []
  if (key !== undefined) return key === '' ? '' : `key:${key}`
  const identifier = readIdentifier(written)
  return identifier === null ? written : printIdentifier(identifier)
}

/** "Given Family", as people write a name. */
export function printName({ given, family }: PersonName): string {
  return [given, family]
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .join(' ')
}

/** The first moment of the day, month or year of publication, in UTC; null where none is known. */
export function publishedAtMs({
  published,
  year,
}: Pick<Work, 'published' | 'year'>): number | null {
  const [, y, m, d] =
    /^(-?\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?/.exec(published?.trim() ?? '') ?? []
  if (y === undefined) return year === null ? null : startOf(year, 1, 1)
  const written = [Number(y), Number(m ?? 1), Number(d ?? 1)] as const
  // 31 February is at least some time in February, and the thirteenth month some time in the year.
  return startOf(...written) ?? startOf(written[0], written[1], 1) ?? startOf(written[0], 1, 1)
}

function startOf(year: number, month: number, day: number): number | null {
  // Date.UTC takes the year 99 for 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isThatDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isThatDay ? date.getTime() : null
}

function yearOf(published: string | null): number | null {
  const [year] = /^\d{4}(?!\d)/.exec(published?.trim() ?? '') ?? []
  return year === undefined ? null : Number(year)
}

function inOneForm(text: string | null, normalize: (text: string) => string | null): string | null {
  if (text === null || text.trim() === '') return null
  return normalize(text) ?? text.trim()
}
