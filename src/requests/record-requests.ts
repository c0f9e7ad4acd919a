/** Promise: what is written and listed is checked once, and every default is written here. */

import * as z from 'zod/mini'
import { OVERVIEW_STEPS } from '../core/overview.js'
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

export const recordInput = z.strictObject({
  body: field.body,
  namespace: z.optional(field.namespace),
  title: z._default(editable.title, null),
  kind: z._default(editable.kind, 'memory'),
  tags: z._default(editable.tags, []),
  people: z._default(editable.people, []),
  source: z._default(editable.source, null),
  metadata: z._default(editable.metadata, {}),
  importance: z._default(editable.importance, 0.5),
  sector: z._default(editable.sector, null),
  tier: z._default(editable.tier, 'project'),
  occurredAt: z._default(editable.occurredAt, null),
  salience: z._default(editable.salience, START_SALIENCE),
  /** The conversation it belongs to; its turns are ordered by when they occurred. */
  session: z._default(z.nullable(field.label), null),
  /** The session in which it is noted down, without being a turn of it: nothing of the others rubs off on it. */
  createdIn: z._default(z.nullable(field.label), null),
  /** Takes facts out of the text by plain patterns. */
  extractFacts: z._default(z.boolean(), false),
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
