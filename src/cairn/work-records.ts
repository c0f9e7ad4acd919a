/** Converts works to records and records to works. */

import type { CairnRecord, NewRecord, RecordChange } from '../core/record.js'
import { START_SALIENCE } from '../core/salience.js'
import { NO_DETAILS, type Work, type WorkDetails } from '../core/work.js'
import { listKeys } from '../literature/identities.js'
import { printName, publishedAtMs } from '../literature/work-fields.js'

export type WorkOrigin = { readonly namespace: string; readonly source: string | null }

export function toWork(record: CairnRecord, references: readonly string[]): Work {
  return {
    ...(record.work ?? guessDetails(record)),
    title: record.title ?? '',
    abstract: record.body === '' ? null : record.body,
    tags: record.tags,
    references,
  }
}

export function toNewWork(work: Work, { namespace, source }: WorkOrigin): NewRecord {
  return {
    kind: 'work',
    namespace,
    title: work.title === '' ? null : work.title,
    body: work.abstract ?? '',
    tags: work.tags,
    people: printAuthors(work),
    source,
    metadata: {},
    importance: 0.5,
    sector: null,
    tier: 'project',
    salience: START_SALIENCE,
    sessionId: null,
    occurredAtMs: publishedAtMs(work),
  }
}

/** Only the fields that differ: names and dates that were changed by hand stay. */
export function toChange(before: Work, work: Work): RecordChange {
  const isNew = (...fields: readonly (keyof Work)[]): boolean =>
    fields.some((field) => JSON.stringify(work[field]) !== JSON.stringify(before[field]))
  return {
    work: pickDetails(work),
    ...(isNew('title') && { title: work.title }),
    ...(isNew('abstract') && { body: work.abstract ?? '' }),
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
