/** What is written here is read by every program that reads RIS, one tag to a line. */

import type { PersonName, Work } from '../../core/work.js'
import { assignKeys } from '../citation-keys.js'
import { dateParts, joinDate } from '../dates.js'
import { tidyLine, tidyLines } from '../tidy.js'
import { risTypeOf } from './ris-types.js'

type Tag = readonly [string, string | null]

export function writeRis(works: readonly Work[]): string {
  const keys = assignKeys(works)
  return works.map((work, i) => writeRecord(work, keys[i] ?? '')).join('\r\n')
}

function writeRecord(work: Work, key: string): string {
  const lines = tagsOf(work, key).flatMap(([tag, value]) => {
    const text = tidyLines(value)
    return text === null ? [] : [`${tag}  - ${text.split('\n').map(defuse).join('\r\n')}`]
  })
  return [`TY  - ${risTypeOf(work.type)}`, ...lines, 'ER  - ', ''].join('\r\n')
}

/** A line of an abstract that looks like a tag is moved out of the first column; readers trim it. */
function defuse(line: string, i: number): string {
  return i > 0 && /^[A-Z][A-Z0-9]\s*-/.test(line) ? ` ${line}` : line
}

function tagsOf(work: Work, key: string): Tag[] {
  const date = dateParts(work)
  const [start, end] = splitPages(work.pages)
  const isInstitution = work.type === 'thesis' || work.type === 'report'
  return [
    ['ID', key],
    line('TI', work.title),
    ...work.authors.map((name) => line('AU', writeName(name))),
    ...work.editors.map((name) => line('A2', writeName(name))),
    line('T2', work.venue),
    ['PY', joinDate(date.slice(0, 1), '')],
    ['DA', date.length > 1 ? joinDate(date, '/') : null],
    line('VL', work.volume),
    line('IS', work.issue),
    line('SP', start),
    line('EP', end),
    line('PB', isInstitution ? work.institution : work.publisher),
    line('CY', work.place),
    line('T3', work.series),
    line('ET', work.edition),
    line('DO', work.doi),
    line('AN', work.arxivId === null ? null : `arXiv:${work.arxivId}`),
    line('AN', work.openAlexId),
    line('SN', work.isbn),
    line('SN', work.issn),
    line('UR', work.url),
    line('LA', work.language),
    ...work.tags.map((tag) => line('KW', tag)),
    ['N1', work.note],
    ['AB', work.abstract],
  ]
}

function line(tag: string, value: string | null): Tag {
  return [tag, tidyLine(value)]
}

function writeName({ family, given }: PersonName): string {
  return given === null ? family : `${family}, ${given}`
}

/** `5998-6008` has a start and an end; `1-4, 7` and `e12` are one thing. */
function splitPages(pages: string | null): readonly [string | null, string | null] {
  const range = /^([^\s,-]+)-([^\s,-]+)$/.exec(pages ?? '')
  const [, start, end] = range ?? []
  return start === undefined || end === undefined || start === end ? [pages, null] : [start, end]
}
