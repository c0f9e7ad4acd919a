/** Reads RIS as Zotero, EndNote, Mendeley and publishers write it, and writes it one tag per line. */

import type { PersonName, Work } from '../core/work.js'
import { normalizeOpenAlex } from './identifiers.js'
import {
  chooseDate,
  findArxivId,
  hasInstitution,
  joinDate,
  parseDate,
  printInvertedName,
  readDoiUrl,
  splitDate,
  tidyDoi,
  tidyLine,
  tidyLines,
  tidyPages,
  tidyTags,
} from './work-fields.js'
import {
  acceptWork,
  assignKeys,
  createTypeTable,
  firstWords,
  normalizeLineEnds,
  type ReadWork,
  type SkippedWork,
} from './works-file.js'

const TYPES = createTypeTable({
  article: 'JOUR JFULL EJOUR ABST INPR MGZN NEWS',
  conference: 'CONF CPAPER',
  book: 'BOOK EBOOK EDBOOK SER',
  chapter: 'CHAP ECHAP ENCYC DICT',
  thesis: 'THES',
  report: 'RPRT GOVDOC',
  preprint: 'UNPB MANSCPT',
  dataset: 'DATA AGGR DBASE',
  software: 'COMP',
  webpage: 'ELEC WEB BLOG ICOMM',
  other: 'GEN',
})

/** Two spaces distinguish a tag from prose such as `AI - based`; TY and ER need none. */
const TAG = /^(?:([A-Z][A-Z0-9]) {2}-(?:\s|$)|(TY|ER)\s*-(?:\s|$))(.*)$/

export function* listRis(text: string): Generator<ReadWork | SkippedWork, void> {
  for (const { line, values } of splitRecords(text)) {
    const [tag = '', texts = []] = [...values][0] ?? []
    const name = values.get('ID')?.[0] || firstWords(`${tag} ${texts[0]}`)
    yield acceptWork(toWork(values), name, line)
  }
}

/** Each tag with its values in order; a value may have several lines. */
type Values = Map<string, string[]>

function splitRecords(text: string) {
  const records: { readonly line: number; readonly values: Values }[] = []
  let record: (typeof records)[number] | null = null
  let last: string[] = []
  for (const [i, content] of normalizeLineEnds(text).split('\n').entries()) {
    const found = TAG.exec(content)
    const tag = found?.[1] ?? found?.[2]
    if (tag === undefined) {
      // Lines before the first record are a header.
      if (last.length > 0) last.push(`${last.pop()}\n${content}`)
      continue
    }
    if (tag === 'ER' || tag === 'TY') {
      record = null
      last = []
    }
    if (tag === 'ER') continue
    if (record === null) {
      record = { line: i + 1, values: new Map() }
      records.push(record)
    }
    last = record.values.get(tag) ?? []
    last.push(found?.[3] ?? '')
    record.values.set(tag, last)
  }
  return records
}

function toWork(values: Values): Work {
  const all = (...tags: string[]): string[] =>
    tags.flatMap((tag) => values.get(tag) ?? []).filter((text) => text.trim() !== '')
  const line = (...tags: string[]): string | null => tidyLine(all(...tags)[0])
  const type = TYPES.read(line('TY')?.toUpperCase() ?? '')
  const title = line('TI', 'T1', 'CT')
  const publisher = line('PB')
  return {
    type,
    title: title ?? line('BT') ?? '',
    authors: readNames(all('A1', 'AU')),
    editors: readNames(all('ED', 'A2')),
    // `BT` is the title of a book, and the venue of a chapter.
    venue: line('T2', 'JF', 'JO', 'JA', 'J2') ?? (title === null ? null : line('BT')),
    ...chooseDate(all('PY', 'Y1', 'DA').map(parseDate)),
    ...readIdentifiers(all),
    citationKey: line('ID'),
    volume: line('VL'),
    issue: line('IS', 'CP'),
    pages: readPages(line('SP'), line('EP')),
    publisher: hasInstitution(type) ? null : publisher,
    institution: hasInstitution(type) ? publisher : null,
    place: line('CY', 'PP'),
    series: line('T3'),
    edition: line('ET'),
    language: line('LA'),
    note: tidyLines(all('N1').join('\n\n')),
    bibtexTitle: null,
    abstract: tidyLines(all('AB')[0] ?? all('N2')[0]),
    tags: tidyTags(all('KW').flatMap((text) => text.split('\n'))),
    references: [],
  }
}

function readIdentifiers(all: (...tags: string[]) => string[]) {
  const links = all('UR', 'LK', 'L1', 'L2').map((text) => tidyLine(text) ?? '')
  const numbers = all('SN').map((text) => tidyLine(text) ?? '')
  return {
    doi: findFirst(all('DO', 'M3'), tidyDoi) ?? findFirst(links, readDoiUrl),
    arxivId: findFirst([...all('AN', 'DO', 'M3'), ...links, ...all('T2', 'JO', 'JF')], findArxivId),
    openAlexId: findFirst(all('AN'), normalizeOpenAlex),
    url: links[0] ?? null,
    isbn: numbers.find(isIsbn) ?? null,
    issn: numbers.find((number) => !isIsbn(number)) ?? null,
  }
}

function findFirst(texts: readonly string[], read: (text: string) => string | null): string | null {
  return texts.map(read).find((found) => found !== null) ?? null
}

/** An ISBN has ten digits or more, an ISSN eight; RIS has one tag for both. */
function isIsbn(number: string): boolean {
  return (/\d[\d\s-]*[\dxX]/.exec(number)?.[0] ?? '').replace(/[\s-]/g, '').length > 9
}

function readPages(start: string | null, end: string | null): string | null {
  if (start === null || end === null || /\d\s*[-–]\s*\d/.test(start)) return tidyPages(start ?? end)
  return start === end ? start : tidyPages(`${start}-${end}`)
}

/** `Last, First, Suffix`; a name without a comma is a group or cannot be split. */
function readNames(texts: readonly string[]): PersonName[] {
  return texts.flatMap((text) => {
    const [family = '', ...rest] = text.split(',').map((part) => tidyLine(part) ?? '')
    const given = rest.filter((part) => part !== '').join(', ')
    if (family === '') return given === '' ? [] : { family: given, given: null }
    return { family, given: given || null }
  })
}

export function writeRis(works: readonly Work[]): string {
  const keys = assignKeys(works)
  return works.map((work, i) => writeRecord(work, keys[i] ?? '')).join('\r\n')
}

function writeRecord(work: Work, key: string): string {
  const lines = listTags(work, key).flatMap(([tag, value]) => {
    const text = tag === 'N1' || tag === 'AB' ? tidyLines(value) : tidyLine(value)
    return text === null ? [] : [`${tag}  - ${text.split('\n').map(indentTag).join('\r\n')}`]
  })
  return [`TY  - ${TYPES.write(work.type)}`, ...lines, 'ER  - ', ''].join('\r\n')
}

/** Indents a line of an abstract that looks like a tag; readers trim it. */
function indentTag(line: string, i: number): string {
  return i > 0 && /^[A-Z][A-Z0-9]\s*-/.test(line) ? ` ${line}` : line
}

function listTags(work: Work, key: string): (readonly [tag: string, value: string | null])[] {
  const date = splitDate(work)
  const [start, end] = splitPages(work.pages)
  return [
    ['ID', key],
    ['TI', work.title],
    ...work.authors.map((name) => ['AU', printInvertedName(name)] as const),
    ...work.editors.map((name) => ['A2', printInvertedName(name)] as const),
    ['T2', work.venue],
    ['PY', joinDate(date.slice(0, 1), '')],
    ['DA', date.length > 1 ? joinDate(date, '/') : null],
    ['VL', work.volume],
    ['IS', work.issue],
    ['SP', start],
    ['EP', end],
    ['PB', hasInstitution(work.type) ? work.institution : work.publisher],
    ['CY', work.place],
    ['T3', work.series],
    ['ET', work.edition],
    ['DO', work.doi],
    ['AN', work.arxivId === null ? null : `arXiv:${work.arxivId}`],
    ['AN', work.openAlexId],
    ['SN', work.isbn],
    ['SN', work.issn],
    ['UR', work.url],
    ['LA', work.language],
    ...work.tags.map((tag) => ['KW', tag] as const),
    ['N1', work.note],
    ['AB', work.abstract],
  ]
}

/** `5998-6008` has a start and an end; `1-4, 7` and `e12` cannot be split. */
function splitPages(pages: string | null): readonly [string | null, string | null] {
  const [, start, end] = /^([^\s,-]+)-([^\s,-]+)$/.exec(pages ?? '') ?? []
  return start === undefined || end === undefined || start === end ? [pages, null] : [start, end]
}
