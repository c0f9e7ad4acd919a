/** Promise: what is written and listed is checked once, and every default is written here. */

import { z } from 'zod'
import * as field from './fields.js'
import { filterShape } from './search-request.js'

const editable = {
  title: field.title.nullable(),
  kind: field.kind,
  tags: field.list(field.label),
  people: field.list(field.label),
  source: field.label.nullable(),
  metadata: field.metadata,
  importance: field.importance,
  sector: field.sector.nullable(),
  tier: field.tier,
  occurredAt: field.moment('start').nullable(),
}

export const recordInput = z.strictObject({
  body: field.body,
  namespace: field.namespace.optional(),
  title: editable.title.default(null),
  kind: editable.kind.default('memory'),
  tags: editable.tags.default([]),
  people: editable.people.default([]),
  source: editable.source.default(null),
  metadata: editable.metadata.default({}),
  importance: editable.importance.default(0.5),
  sector: editable.sector.default(null),
  tier: editable.tier.default('project'),
  occurredAt: editable.occurredAt.default(null),
})
/** What a caller gives to add a record: the body is all that is needed. */
export type RecordInput = z.input<typeof recordInput>

export const recordPatch = z
  .strictObject({ body: field.body, namespace: field.namespace, ...editable })
  .partial()
/** What an edit may change; what is absent stays as it is. */
export type RecordPatch = z.input<typeof recordPatch>

export const listRequest = z.strictObject({
  ...filterShape,
  limit: field.limit.default(20),
  cursor: z.string().nullable().default(null),
  deleted: z.boolean().default(false),
})
export type ListInput = z.input<typeof listRequest>
