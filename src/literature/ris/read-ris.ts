/** Any text is read as RIS, and every record in it is either a work or skipped with a reason. */

import type { PersonName, Work, WorkType } from '../../core/work.js'
import { mostExact, readDate } from '../dates.js'
import {
  firstWords,
  isNameless,
  NAMELESS,
  type ReadWork,
  type ReadWorks,
  type Skipped,
} from '../read-works.js'
import {
  arxivIdWithin,
  tidyDoi,
  tidyLine,
  tidyLines,
  tidyOpenAlexId,
  tidyPages,
  tidyTags,
} from '../tidy.js'
import { typeOfRis } from './ris-types.js'
import { type RisRecord, splitRecords } from './split-records.js'

/**
 * RIS, as Zotero, EndNote, Mendeley and publishers write it.
 * @example
 * const { works, skipped } = await readRis('TY  - BOOK\nTI  - On graphs\nPY  - 2019\nER  - ')
 */
export async function readRis(text: string): Promise<ReadWorks> {
  const works: ReadWork[] = []
  const skipped: Skipped[] = []
  for (const record of splitRecords(text)) {
    const work = toWork(record)
    if (!isNameless(work)) works.push({ work, line: record.line })
    else skipped.push({ name: nameOf(record), line: record.line, reason: NAMELESS })
  }
  return { works, skipped }
}

function nameOf({ values }: RisRecord): string {
  const [tag = '', texts = []] = [...values][0] ?? []
  return values.get('ID')?.[0] || firstWords(`${tag} ${texts[0]}`)
}

function toWork({ values }: RisRecord): Work {
  const all = (...tags: string[]): string[] =>
    tags.flatMap((tag) => values.get(tag) ?? []).filter((text) => text.trim() !== '')
  const line = (...tags: string[]): string | null => tidyLine(all(...tags)[0])
  const type = typeOfRis(all('TY')[0] ?? '')
  return {
    type,
    title: line('TI', 'T1', 'CT', 'BT') ?? '',
    authors: names(all('A1', 'AU')),
    editors: names(all('ED', 'A2')),
    venue: readVenue(line),
    ...mostExact(all('PY', 'Y1', 'DA').map(readDate)),
    ...readIds(all),
    citationKey: line('ID'),
    volume: line('VL'),
    issue: line('IS', 'CP'),
    pages: readPages(line('SP'), line('EP')),
    ...readPublisher(type, line('PB')),
    place: line('CY', 'PP'),
    series: line('T3'),
    edition: line('ET'),
    language: line('LA'),
    note: tidyLines(all('N1').join('\n\n')),
    abstract: tidyLines(all('AB')[0] ?? all('N2')[0]),
    tags: tidyTags(all('KW').flatMap((text) => text.split('\n'))),
    references: [],
  }
}

/** `BT` is the title of a book and, of a chapter, its venue. */
function readVenue(line: (...tags: string[]) => string | null): string | null {
  const isTitled = line('TI', 'T1', 'CT') !== null
  return line('T2', 'JF', 'JO', 'JA', 'J2') ?? (isTitled ? line('BT') : null)
}

function readIds(
  all: (...tags: string[]) => string[],
): Pick<Work, 'doi' | 'arxivId' | 'openAlexId' | 'url' | 'isbn' | 'issn'> {
  const links = all('UR', 'LK', 'L1', 'L2').map((text) => tidyLine(text) ?? '')
  const numbers = all('SN').map((text) => tidyLine(text) ?? '')
  const doiLink = links.find((link) => /^https?:\/\/(?:dx\.|www\.)?doi\.org\//i.test(link))
  const firstOf = <T>(texts: readonly string[], read: (text: string) => T | null): T | null =>
    texts.reduce<T | null>((found, text) => found ?? read(text), null)
  return {
    doi: firstOf([...all('DO', 'M3'), doiLink ?? ''], tidyDoi),
    arxivId: firstOf([...all('AN', 'DO', 'M3'), ...links, ...all('T2', 'JO', 'JF')], arxivIdWithin),
    openAlexId: firstOf(all('AN'), tidyOpenAlexId),
    url: links[0] ?? null,
    isbn: numbers.find(isIsbn) ?? null,
    issn: numbers.find((number) => !isIsbn(number)) ?? null,
  }
}

/** One tag holds both numbers; an ISBN has ten digits or more, an ISSN eight. */
function isIsbn(number: string): boolean {
  return (/\d[\d\s-]*[\dxX]/.exec(number)?.[0] ?? '').replace(/[\s-]/g, '').length > 9
}

function readPages(start: string | null, end: string | null): string | null {
  if (start === null || end === null || /\d\s*[-–]\s*\d/.test(start)) return tidyPages(start ?? end)
  return start === end ? start : tidyPages(`${start}-${end}`)
}

/** RIS has one tag for whoever brought a work out: of a thesis or report that is the institution. */
function readPublisher(
  type: WorkType,
  name: string | null,
): Pick<Work, 'publisher' | 'institution'> {
  const isInstitution = type === 'thesis' || type === 'report'
  return isInstitution
    ? { institution: name, publisher: null }
    : { institution: null, publisher: name }
}

/** `Last, First, Suffix`; without a comma it is a group, or a name that nobody took apart. */
function names(texts: readonly string[]): PersonName[] {
  return texts.flatMap((text) => {
    const [family = '', ...rest] = text.split(',').map((part) => tidyLine(part) ?? '')
    const given = rest.filter((part) => part !== '').join(', ')
    if (family === '') return given === '' ? [] : { family: given, given: null }
    return { family, given: given || null }
  })
}
