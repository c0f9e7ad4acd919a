/** Converts works to records and records to works, and an edit of a work to the change of its record. */

import { badInput } from '../core/errors.js'
import { isPageSpan, joinTexts, splitTexts } from '../core/full-text.js'
import type { CairnRecord, Kind, Metadata, NewRecord, RecordChange } from '../core/record.js'
import { START_SALIENCE } from '../core/salience.js'
import { NO_DETAILS, type PersonName, type Work, type WorkDetails } from '../core/work.js'
import { normalizeDoi, printIdentifier, readIdentifier } from '../literature/identifiers.js'
import { foldText, listKeys, tidyWork } from '../literature/identities.js'
import { type Paper, readTitleKeys } from '../literature/match-pdf.js'
import { readName } from '../literature/openalex/read-work.js'
import { printName, publishedAtMs, readYear } from '../literature/work-fields.js'
import type { WorkPatch } from '../schemas/work-requests.js'
import type { Storage } from '../storage/storage.js'

export type WorkOrigin = { readonly namespace: string; readonly source: string | null }

export function toWork(record: CairnRecord, references: readonly string[]): Work {
  const { abstract, texts } = splitTexts(record)
  return {
    ...(record.work ?? guessDetails(record)),
    title: record.title ?? '',
    abstract: abstract === '' ? null : abstract,
    ...(texts.length > 0 && { texts }),
    tags: record.tags,
    references,
  }
}

/** A PDF that belongs to no work yet, as a work with nothing but its text and its tags. */
export function toTextOnly({ title, body, tags, metadata }: CairnRecord): Work {
  const { path, pages } = metadata
  const text = {
    path: typeof path === 'string' ? path : (title ?? ''),
    text: body,
    pages: Array.isArray(pages) ? pages.filter(isPageSpan) : [],
  }
  return { ...NO_WORK, texts: [text], tags }
}

export const NO_WORK: Work = { ...NO_DETAILS, title: '', abstract: null, tags: [], references: [] }

/** The details of a stored PDF that identify its work. */
export function readPaper(record: CairnRecord, keys: readonly string[]): Paper {
  const { title, body, metadata } = record
  const { doi, arxivId, pages } = metadata
  const first = Array.isArray(pages) ? pages.find(isPageSpan) : undefined
  return {
    doi: typeof doi === 'string' ? doi : null,
    arxivId: typeof arxivId === 'string' ? arxivId : null,
    titles: [foldText(title ?? ''), ...readTitleKeys(keys)],
    firstPage: body.slice(0, first?.end),
  }
}

/** Drops the metadata that a PDF loses when it becomes a work. */
export function dropOwn({ path, pages, doi, arxivId, ...rest }: Metadata): Metadata {
  return rest
}

/** The text that is embedded. */
export function toText({ title, abstract, texts = [] }: Work) {
  const { body } = joinTexts(abstract, texts, {})
  return { title: title === '' ? null : title, body, sessionId: null }
}

export function toNewWork(work: Work, { namespace, source }: WorkOrigin): NewRecord {
  return {
    kind: 'work',
    namespace,
    title: work.title === '' ? null : work.title,
    ...joinTexts(work.abstract, work.texts ?? [], {}),
    tags: work.tags,
    people: printAuthors(work),
    source,
    importance: 0.5,
    sector: null,
    tier: 'project',
    salience: START_SALIENCE,
    sessionId: null,
    occurredAtMs: publishedAtMs(work),
  }
}

/** Only the fields that differ: names and dates that were changed by hand stay. `metadata` is that of the record. */
export function toChange(before: Work, work: Work, metadata: Metadata): RecordChange {
  const isNew = (...fields: readonly (keyof Work)[]): boolean =>
    fields.some((field) => JSON.stringify(work[field]) !== JSON.stringify(before[field]))
  return {
    work: pickDetails(work),
    ...(isNew('title') && { title: work.title }),
    ...(isNew('abstract', 'texts') &&
      joinTexts(work.abstract, work.texts ?? [], splitTexts({ body: '', metadata }).metadata)),
    ...(isNew('tags') && { tags: work.tags }),
    ...(isNew('authors') && { people: printAuthors(work) }),
    ...(isNew('published', 'year') && { occurredAtMs: publishedAtMs(work) }),
  }
}

/** A work whose title is changed by hand is still found by the old one. */
export function addIdentities(
  record: CairnRecord,
  { title = record.title, work = record.work ?? undefined }: RecordChange,
): Pick<RecordChange, 'identities'> {
  if (work === undefined || (title === record.title && work === record.work)) return {}
  return { identities: listKeys(toWork({ ...record, title, work }, [])) }
}

export function pickDetails(work: Work): WorkDetails {
  const entries = Object.keys(NO_DETAILS).map((name) => [name, work[name as keyof WorkDetails]])
  return Object.fromEntries(entries) as WorkDetails
}

function printAuthors({ authors }: Work): string[] {
  return authors.map(printName).filter((name) => name !== '')
}

function guessDetails({ people, occurredAt }: CairnRecord): WorkDetails {
  const authors = people.map((name) => {
    const words = name.trim().split(/\s+/)
    return { family: words.at(-1) ?? name, given: words.slice(0, -1).join(' ') || null }
  })
  const published = occurredAt?.slice(0, 10) ?? null
  const year = occurredAt === null ? null : new Date(occurredAt).getUTCFullYear()
  return { ...NO_DETAILS, authors, published, year }
}

/** People and time of the record follow the work. Refuses an identifier that another work of the namespace has. */
export async function editWork(
  { works }: Pick<Storage, 'works'>,
  before: CairnRecord,
  given: { kind?: Kind | undefined; body?: string | undefined; work: WorkPatch },
): Promise<RecordChange> {
  const { kind = before.kind, body, work } = given
  if (kind !== 'work') {
    throw badInput(`The record "${before.id}" is not a work.`, 'Make it one with the kind "work".')
  }
  if (body !== undefined && work.abstract !== undefined) {
    throw badInput('Both a text and an abstract were given.', 'The text of a work is its abstract.')
  }
  if (work.doi && normalizeDoi(work.doi) === null) {
    throw badInput(`"${work.doi}" is not a DOI.`, 'A DOI looks like 10.1145/362384.362685.')
  }
  const names = [work.doi, work.arxivId, work.openAlexId].flatMap((name) => name || [])
  const keys = names.flatMap((name) => readIdentifier(name) ?? []).map(printIdentifier)
  const others = await works.find(before.namespace, keys)
  const other = others.find(({ id }) => id !== before.id)
  if (other !== undefined) {
    throw badInput(
      `The work "${other.id}" has the identifier "${names.join('", "')}" already.`,
      `\`cairn works merge ${other.id} ${before.id}\` joins the two.`,
    )
  }
  return applyPatch(before, work)
}

/** A date of another year than the new year is dropped, and the year follows a new date. */
function applyPatch(record: CairnRecord, { authors, editors, ...given }: WorkPatch): RecordChange {
  const before = toWork(record, [])
  const fields = Object.entries(given).map(([key, value]) => [key, value === '' ? null : value])
  const after: Work = {
    ...before,
    ...(Object.fromEntries(fields) as Partial<Work>),
    ...(authors && { authors: authors.map(readPerson) }),
    ...(editors && { editors: editors.map(readPerson) }),
  }
  const dated =
    given.published !== undefined && given.year === undefined
      ? { year: readYear(after.published) }
      : { published: readYear(after.published) === after.year ? after.published : null }
  return toChange(before, tidyWork({ ...after, ...dated }), record.metadata)
}

function readPerson(written: PersonName | string): PersonName {
  if (typeof written !== 'string') return written
  return readName(written) ?? { family: written, given: null }
}
