/** Converts works to records and records to works. */

import { isPageSpan, joinTexts, splitTexts } from '../core/full-text.js'
import type { CairnRecord, Metadata, NewRecord, RecordChange } from '../core/record.js'
import { START_SALIENCE } from '../core/salience.js'
import { NO_DETAILS, type Work, type WorkDetails } from '../core/work.js'
import { foldText, listKeys } from '../literature/identities.js'
import { type Paper, readTitleKeys } from '../literature/match-pdf.js'
import { printName, publishedAtMs } from '../literature/work-fields.js'

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
