/** How the parts of a record and what narrows a list of them are said at a terminal. */

import { FACT_TYPES } from '../core/fact.js'
import { DATE_FIELDS } from '../core/filter.js'
import { KINDS, SECTORS, TIERS } from '../core/record.js'
import type { RECORD } from '../operations/options.js'
import type { FilterRequest } from '../schemas/search-request.js'
import {
  clearableList,
  type Form,
  type Forms,
  list,
  number,
  off,
  on,
  pairs,
  parts,
  text,
  under,
  years,
} from './forms.js'

/** How many of something; the library has the same default. */
export const limit = (byDefault: number): Form => number({ default: byDefault })

type AllForms<Key extends string> = Readonly<Record<Key, Form>>

/** What of a record can be set. */
export const RECORD_FORMS: AllForms<keyof typeof RECORD> = {
  title: text(),
  kind: text({ choices: KINDS }),
  tags: clearableList(),
  source: text(),
  people: clearableList({ name: 'person' }),
  occurredAt: text({ name: 'occurred' }),
  importance: number(),
  salience: number(),
  sector: text({ choices: SECTORS }),
  tier: text({ choices: TIERS }),
  metadata: pairs({ name: 'meta' }),
}

/** What narrows a search or a list. */
export const FILTER_FORMS: AllForms<keyof FilterRequest> = under('Which records', {
  namespaces: list(),
  includeGlobal: on(),
  kinds: list({ choices: KINDS }),
  sectors: list({ choices: SECTORS }),
  tiers: list({ choices: TIERS }),
  tags: parts({
    any: { flag: 'tag', help: 'has any of these tags' },
    all: { flag: 'all-tags', help: 'has all of these tags' },
    none: { flag: 'no-tag', help: 'has none of these tags' },
  }),
  sources: list(),
  people: list({ name: 'person' }),
  sessions: list(),
  factTypes: list({ choices: FACT_TYPES }),
  since: text(),
  until: text(),
  dateField: text({ name: 'date', choices: DATE_FIELDS, default: 'created' }),
  years: years(),
  minSalience: number(),
  includeDocuments: off('no-documents', 'leave documents out'),
  includeSuperseded: on(),
  ids: parts({
    in: { flag: 'id', help: 'only these records' },
    out: { flag: 'not-id', help: 'without these records' },
  }),
})

const { kinds: _, includeDocuments: __, ids: ___, ...narrowing } = FILTER_FORMS

/** What narrows works, which are all of one kind. */
export const WORK_FILTER_FORMS: Forms<keyof typeof narrowing> = under('Which works', narrowing)
