/** A work becomes a record and a record a work, and nothing is lost on the way. */

import type { CairnRecord, NewRecord, RecordChange } from '../core/record.js'
import { START_SALIENCE } from '../core/salience.js'
import { NO_DETAILS, type Work, type WorkDetails } from '../core/work.js'
import { listKeys } from '../literature/identities.js'
import type { PlannedWork } from '../literature/match-works.js'
import { printName, publishedAtMs } from '../literature/work-fields.js'

export type WorkPlace = { readonly namespace: string; readonly source: string | null }

export function toWork(record: CairnRecord, references: readonly string[]): Work {
  return {
    ...(record.work ?? guessDetails(record)),
    title: record.title ?? '',
    abstract: record.body === '' ? null : record.body,
    tags: record.tags,
    references,
  }
}

export function toNewWork(work: Work, { namespace, source }: WorkPlace): NewRecord {
  return {
    kind: 'work',
    namespace,
    title: work.title === '' ? null : work.title,
    body: work.abstract ?? '',
    tags: work.tags,
    people: namesOf(work),
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

/** Only what is other than it was: names and dates that a person has changed by hand stay. */
export function changeOf(
  before: Work,
  { work, identities }: PlannedWork,
  source: string | null,
): RecordChange {
  const isNew = (...fields: readonly (keyof Work)[]): boolean =>
    fields.some((field) => JSON.stringify(work[field]) !== JSON.stringify(before[field]))
  return {
    work: detailsOf(work),
    identities: [...identities],
    ...(isNew('title') && { title: work.title }),
    ...(isNew('abstract') && { body: work.abstract ?? '' }),
    ...(isNew('tags') && { tags: work.tags }),
    ...(isNew('authors') && { people: namesOf(work) }),
    ...(isNew('published', 'year') && { occurredAtMs: publishedAtMs(work) }),
    ...(source !== null && { source }),
  }
}

/** A work whose title is changed by hand is known by both. */
export function identitiesWith(
  record: CairnRecord,
  { title = record.title, work = record.work ?? undefined }: RecordChange,
): Pick<RecordChange, 'identities'> {
  if (work === undefined || (title === record.title && work === record.work)) return {}
  return { identities: listKeys({ ...toWork({ ...record, title, work }, []) }) }
}

export function detailsOf(work: Work): WorkDetails {
  const entries = Object.keys(NO_DETAILS).map((name) => [name, work[name as keyof WorkDetails]])
  return Object.fromEntries(entries) as WorkDetails
}

function namesOf({ authors }: Work): string[] {
  return authors.map(printName).filter((name) => name !== '')
}

/** Of a work that was added by hand, as a record like any other. */
function guessDetails({ people, occurredAt }: CairnRecord): WorkDetails {
  const authors = people.map((name) => {
    const [family = name, ...given] = name.trim().split(/\s+/).reverse()
    return { family, given: given.length === 0 ? null : given.reverse().join(' ') }
  })
  const published = occurredAt?.slice(0, 10) ?? null
  const year = occurredAt === null ? null : new Date(occurredAt).getUTCFullYear()
  return { ...NO_DETAILS, authors, published, year }
}
