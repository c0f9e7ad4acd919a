/** What is written and listed is checked once, and every default is written here. */

import * as z from 'zod/mini'
import { OVERVIEW_STEPS } from '../core/answer.js'
import { START_SALIENCE } from '../core/salience.js'
import * as field from './fields.js'
import { filterShape } from './search-request.js'

const editable = {
  title: z.nullable(field.title),
  kind: field.kind,
  tags: field.list(field.label),
  people: field.list(field.label),
  source: z.nullable(field.label),
  metadata: field.metadata,
  importance: field.importance,
  sector: z.nullable(field.sector),
  tier: field.tier,
  salience: field.salience,
  occurredAt: z.nullable(field.moment('start')),
}

/** Of what may be left out; lists and metadata are empty then. */
export const RECORD_DEFAULTS = {
  title: null,
  kind: 'memory',
  source: null,
  importance: 0.5,
  sector: null,
  tier: 'project',
  occurredAt: null,
  salience: START_SALIENCE,
  session: null,
  createdIn: null,
  extractFacts: false,
} as const

export const recordInput = z.strictObject({
  body: field.body,
  namespace: z.optional(field.namespace),
  title: z._default(editable.title, RECORD_DEFAULTS.title),
  kind: z._default(editable.kind, RECORD_DEFAULTS.kind),
  tags: z._default(editable.tags, []),
  people: z._default(editable.people, []),
  source: z._default(editable.source, RECORD_DEFAULTS.source),
  metadata: z._default(editable.metadata, {}),
  importance: z._default(editable.importance, RECORD_DEFAULTS.importance),
  sector: z._default(editable.sector, RECORD_DEFAULTS.sector),
  tier: z._default(editable.tier, RECORD_DEFAULTS.tier),
  occurredAt: z._default(editable.occurredAt, RECORD_DEFAULTS.occurredAt),
  salience: z._default(editable.salience, RECORD_DEFAULTS.salience),
  /** The conversation it belongs to; its turns are ordered by when they occurred. */
  session: z._default(z.nullable(field.label), RECORD_DEFAULTS.session),
  /** The session in which it is noted down, without being a turn of it: nothing of the others rubs off on it. */
  createdIn: z._default(z.nullable(field.label), RECORD_DEFAULTS.createdIn),
  /** Takes facts out of the text by plain patterns. */
  extractFacts: z._default(z.boolean(), RECORD_DEFAULTS.extractFacts),
})
/** What a caller gives to add a record: the body is all that is needed. */
export type RecordInput = z.input<typeof recordInput>

export const recordPatch = z.partial(
  z.strictObject({
    body: field.body,
    namespace: field.namespace,
    ...editable,
    /** The conversation in which it is changed; it stays in the one that created it. */
    session: field.label,
  }),
)
/** What an edit may change; what is absent stays as it is. */
export type RecordPatch = z.input<typeof recordPatch>

export const listRequest = z.strictObject({
  ...filterShape,
  limit: z._default(field.limit, 20),
  cursor: z._default(z.nullable(z.string()), null),
  deleted: z._default(z.boolean(), false),
})
export type ListInput = z.input<typeof listRequest>

/** How a file looks from afar. */
export const overviewRequest = z.strictObject({
  by: z.optional(z.enum(OVERVIEW_STEPS)),
  namespaces: z.optional(field.list(field.namespace)),
})
export type OverviewInput = z.input<typeof overviewRequest>
