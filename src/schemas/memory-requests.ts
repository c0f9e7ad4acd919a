/** What is asked of sessions, links, facts, lenses and the timeline is checked once. */

import * as z from 'zod/mini'
import { FACT_TYPES } from '../core/fact.js'
import { SESSION_STATES } from '../core/record.js'
import * as field from './fields.js'

const SESSION_NAME_CHARS = 200

/** A name that other systems give to a conversation, or an id of ours. */
const sessionName = field.label.check(z.maxLength(SESSION_NAME_CHARS))

export const sessionInput = z.strictObject({
  /** A name of your own; without one it gets an id. */
  id: z.optional(sessionName),
  namespace: z.optional(field.namespace),
  title: z._default(z.nullable(field.label), null),
  startedAt: z._default(z.nullable(field.moment('start')), null),
  metadata: z._default(field.metadata, {}),
  /** True: this process holds it open, and is seen to be gone if it dies. */
  attached: z._default(z.boolean(), false),
})
export type SessionInput = z.input<typeof sessionInput>

export const sessionEnd = z.strictObject({
  /** Without a summary, one is put together from what was created in it. */
  summary: z.optional(z.string()),
})
export type SessionEnd = z.input<typeof sessionEnd>

export const sessionListRequest = z.strictObject({
  namespaces: z.optional(field.list(field.namespace)),
  state: z.optional(z.enum(SESSION_STATES)),
  limit: z._default(field.limit, 20),
  cursor: z._default(z.nullable(z.string()), null),
})
export type SessionListInput = z.input<typeof sessionListRequest>

/** A kind of link, in capitals. */
const linkType = z.pipe(
  z.string().check(z.trim(), z.toUpperCase()),
  z
    .string()
    .check(
      z.refine(
        (value) => /^[A-Z][A-Z0-9_]{0,49}$/.test(value),
        'the type of a link is one word in capitals, such as RELATED_TO or DEPENDS_ON.',
      ),
    ),
)

export const linkInput = z.strictObject({
  from: z.string(),
  to: z.string(),
  type: z._default(linkType, 'RELATED_TO'),
  author: z._default(z.nullable(field.label), null),
  note: z._default(z.nullable(z.string()), null),
})
export type LinkInput = z.input<typeof linkInput>

export const unlinkInput = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** Without a type, all links from the one to the other. */
  type: z.optional(linkType),
})
export type UnlinkInput = z.input<typeof unlinkInput>

export const factInput = z.strictObject({
  record: z.string(),
  type: z._default(z.enum(FACT_TYPES), 'kv'),
  subject: field.label,
  predicate: field.label,
  object: field.label,
  confidence: z._default(field.share, 1),
  quote: z._default(z.nullable(z.string()), null),
})
export type FactInput = z.input<typeof factInput>

export const factListRequest = z.strictObject({
  namespaces: z.optional(field.list(field.namespace)),
  records: z.optional(field.list(z.string())),
  types: z.optional(field.list(z.enum(FACT_TYPES))),
  /** Part of the subject, predicate or object. */
  about: z.optional(z.string()),
  minConfidence: z._default(field.share, 0),
  contradictions: z._default(z.boolean(), false),
  limit: z._default(field.limit, 100),
})
export type FactListInput = z.input<typeof factListRequest>

export const strengthRequest = z.strictObject({ amount: field.share })

export const timelineRequest = z.strictObject({
  anchor: z.optional(z.string()),
  before: z._default(z.int().check(z.minimum(0), z.maximum(field.MAX_LIMIT)), 5),
  after: z._default(z.int().check(z.minimum(0), z.maximum(field.MAX_LIMIT)), 5),
  since: z.optional(field.moment('start')),
  until: z.optional(field.moment('end')),
  namespaces: z.optional(field.list(field.namespace)),
  limit: z._default(field.limit, 50),
  cursor: z._default(z.nullable(z.string()), null),
})
export type TimelineInput = z.input<typeof timelineRequest>

export const supersedeInput = z.strictObject({
  author: z._default(z.nullable(field.label), null),
  note: z._default(z.nullable(z.string()), null),
})
export type SupersedeInput = z.input<typeof supersedeInput>

export const replayRequest = z.strictObject({
  session: z.optional(z.string()),
  limit: z._default(field.limit, 20),
})
export type ReplayInput = z.input<typeof replayRequest>
