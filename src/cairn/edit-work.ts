/** Turns an edit of bibliographic details into the change of a record. */

import { badInput } from '../core/errors.js'
import type { CairnRecord, Kind, RecordChange } from '../core/record.js'
import type { PersonName, Work } from '../core/work.js'
import { normalizeDoi, printIdentifier, readIdentifier } from '../literature/identifiers.js'
import { tidyWork } from '../literature/identities.js'
import { readName } from '../literature/openalex/read-work.js'
import { readYear } from '../literature/work-fields.js'
import type { WorkPatch } from '../schemas/work-requests.js'
import type { Storage } from '../storage/storage.js'
import { toChange, toWork } from './work-records.js'

type Patch = {
  readonly kind?: Kind | undefined
  readonly body?: string | undefined
  readonly work: WorkPatch
}

/** People and time of the record follow the work. Refuses an identifier that another work of the namespace has. */
export async function editWork(
  { works }: Pick<Storage, 'works'>,
  before: CairnRecord,
  { kind = before.kind, body, work }: Patch,
): Promise<RecordChange> {
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
