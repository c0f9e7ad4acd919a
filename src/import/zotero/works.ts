/** Turns the items of a Zotero library into works. */

import { groupBy } from '../../core/group-by.js'
import { NO_DETAILS, type PersonName, type Work, type WorkType } from '../../core/work.js'
import {
  findArxivId,
  hasInstitution,
  makeDate,
  parseDate,
  tidyArxivId,
  tidyDoi,
  tidyLine,
  tidyLines,
  tidyPages,
  tidyTags,
} from '../../literature/work-fields.js'
import type { ZoteroLibrary } from './database.js'

/** Not works: they belong to one. */
const PARTS = new Set(['attachment', 'note', 'annotation'])

const TYPES: Readonly<Record<string, WorkType>> = {
  journalArticle: 'article',
  magazineArticle: 'article',
  newspaperArticle: 'article',
  conferencePaper: 'conference',
  presentation: 'conference',
  book: 'book',
  bookSection: 'chapter',
  encyclopediaArticle: 'chapter',
  dictionaryEntry: 'chapter',
  thesis: 'thesis',
  report: 'report',
  standard: 'report',
  preprint: 'preprint',
  manuscript: 'preprint',
  dataset: 'dataset',
  computerProgram: 'software',
  webpage: 'webpage',
  blogPost: 'webpage',
  forumPost: 'webpage',
}

const VENUES =
  'publicationTitle bookTitle proceedingsTitle encyclopediaTitle dictionaryTitle conferenceName websiteTitle blogTitle forumTitle'.split(
    ' ',
  )

/** The works by the ids of their items, with their keys. */
export function toWorks(library: ZoteroLibrary) {
  const idOf = ({ id }: { readonly id: number }): number => id
  const fields = groupBy(library.fields, idOf)
  const creators = groupBy(library.creators, idOf)
  const tags = groupBy([...library.tags, ...library.collections.flatMap(withParents)], idOf)
  const works = new Map<number, { readonly key: string; readonly work: Work }>()
  for (const { id, key, type } of library.items) {
    if (PARTS.has(type)) continue
    const values = new Map(fields.get(id)?.map(({ name, value }) => [name, String(value)]))
    const work = toWork(TYPES[type] ?? 'other', values)
    const people = creators.get(id) ?? []
    const isEditor = (role: string): boolean => /editor/i.test(role)
    works.set(id, {
      key,
      work: {
        ...work,
        authors: toNames(people.filter(({ role }) => MAIN_ROLES.has(role))),
        editors: toNames(people.filter(({ role }) => isEditor(role))),
        tags: tidyTags(tags.get(id)?.map(({ name }) => name) ?? []),
      },
    })
  }
  return works
}

/** A translator or a counsel is not an author. */
const MAIN_ROLES = new Set(
  'author artist cartographer composer contributor director inventor podcaster presenter programmer performer'.split(
    ' ',
  ),
)

/** An item of `Thesis/Methods` is also found in `Thesis`. */
function withParents(collection: ZoteroLibrary['collections'][number]) {
  const parts = collection.name.split('/')
  return parts.map((_, i) => ({ ...collection, name: parts.slice(0, i + 1).join('/') }))
}

function toNames(people: ZoteroLibrary['creators']): PersonName[] {
  return people.flatMap(({ given, family }) => {
    const name = tidyLine(family)
    return name === null ? [] : [{ family: name, given: tidyLine(given) }]
  })
}

function toWork(type: WorkType, values: ReadonlyMap<string, string>): Work {
  const line = (...names: readonly string[]): string | null => {
    const name = names.find((one) => (values.get(one) ?? '').trim() !== '')
    return name === undefined ? null : tidyLine(values.get(name))
  }
  const extra = values.get('extra') ?? ''
  const inExtra = (name: string): string | null =>
    tidyLine(new RegExp(`^\\s*${name}\\s*:\\s*(.+)$`, 'im').exec(extra)?.[1])
  const publisher = line('publisher')
  const institution = line('university', 'institution')
  return {
    ...NO_DETAILS,
    type,
    title: line('title', 'caseName', 'nameOfAct') ?? '',
    abstract: tidyLines(values.get('abstractNote')),
    tags: [],
    references: [],
    venue: line(...VENUES),
    ...readDate(values.get('date')),
    doi: tidyDoi(line('DOI') ?? inExtra('DOI')),
    arxivId: findArxiv(line('archiveID', 'url'), extra),
    isbn: line('ISBN'),
    issn: line('ISSN'),
    url: line('url'),
    citationKey: line('citationKey') ?? inExtra('Citation Key'),
    volume: line('volume'),
    issue: line('issue'),
    pages: tidyPages(line('pages')),
    publisher: hasInstitution(type) && institution === null ? null : publisher,
    institution: institution ?? (hasInstitution(type) ? publisher : null),
    place: line('place'),
    series: line('series', 'seriesTitle'),
    edition: line('edition'),
    language: line('language'),
  }
}

function findArxiv(where: string | null, extra: string): string | null {
  const named = /\barxiv\s*:\s*(\S+)/i.exec(`${where ?? ''} ${extra}`)?.[1]
  return named === undefined ? findArxivId(where) : tidyArxivId(named)
}

/** Zotero writes `2019-07-00 July 2019`: the parsed date with zeros, then the typed text. */
function readDate(date: string | undefined) {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})\b/.exec(date ?? '') ?? []
  if (year === undefined || year === '0000') return parseDate(date)
  return makeDate(Number(year), Number(month) || null, Number(day) || null)
}
