/** The inputs about sessions, facts, links, salience, the timeline and provenance. */

import * as z from 'zod/mini'
import { FACT_TYPES } from '../core/fact.js'
import { SESSION_STATES } from '../core/record.js'
import { BY_HAND } from '../core/salience.js'
import * as field from './fields.js'
import { flag, nullable, optional, options, required, withDefault } from './fields.js'
import type { WithSingular } from './names.js'
import { filterOptions } from './search-request.js'

const SESSION_NAME_CHARS = 200

export const sessionInput = options(() => ({
  /** A name that another system gave to a conversation. */
  id: optional(
    field.label.check(z.maxLength(SESSION_NAME_CHARS)),
    '<name> a name of your own (default: a new id)',
  ),
  namespace: field.writeTo,
  title: nullable(field.label, 'what it is about'),
  startedAt: nullable(field.time('start'), '<time> when it began (default: now)'),
  metadata: withDefault(field.metadata, {}, '<key=value> any other data, by name'),
  /** The session counts as abandoned once the process that holds it is gone. */
  attached: flag('end the session when this process ends'),
}))
export type SessionInput = z.input<typeof sessionInput>

const session = required(field.name, '<id> the id or the name of a session')
export const oneSession = options(() => ({ id: session }))
export const sessionEnd = options(() => ({
  summary: optional(field.prose, 'a summary (default: its most salient sentences)'),
}))
export type SessionEnd = z.input<typeof sessionEnd>
export const sessionEndRequest = options(() => ({ id: session, ...sessionEnd.shape }))

export const sessionListRequest = options(() => ({
  state: optional(z.enum(SESSION_STATES), '<state> only those in this state'),
  namespaces: field.namespaces,
  limit: field.limitOf(20),
  cursor: field.cursor,
}))
export type SessionListInput = WithSingular<z.input<typeof sessionListRequest>>

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
const ends = {
  from: required(field.anyName, '<id> the record that the link starts from'),
  to: required(field.anyName, '<id> the record that it points to'),
}

export const linkInput = options(() => ({
  ...ends,
  type: withDefault(
    linkType,
    'RELATED_TO',
    '<TYPE> RELATED_TO, CONTRADICTS, DEPENDS_ON, CITES, PART_OF or a word of your own',
  ),
  note: field.note,
  author: field.author,
}))
export type LinkInput = z.input<typeof linkInput>

export const unlinkInput = options(() => ({
  ...ends,
  type: optional(linkType, '<TYPE> only links of this type (default: all)'),
}))
export type UnlinkInput = z.input<typeof unlinkInput>

export const supersedeInput = options(() => ({ note: field.note, author: field.author }))
export type SupersedeInput = z.input<typeof supersedeInput>
export const supersedeRequest = options(() => ({
  older: required(field.name, '<id> the record that is no longer valid'),
  newer: required(field.name, '<id> the record that replaces it'),
  ...supersedeInput.shape,
}))

export const factInput = options(() => ({
  record: required(field.anyName, '<id> the id of a record, or a unique beginning of it'),
  subject: required(field.label, 'who or what the fact is about'),
  predicate: required(field.label, 'how the subject and the object are related'),
  object: required(field.label, 'what is said about the subject'),
  type: withDefault(z.enum(FACT_TYPES), 'kv', '<type> the type of fact'),
  confidence: withDefault(field.share, 1, '<0..1> how certain it is'),
  quote: nullable(field.prose, 'the sentence it comes from'),
}))
export type FactInput = z.input<typeof factInput>

export const factListRequest = options(() => ({
  records: optional(field.list(field.anyName), '<id> only facts of these records'),
  types: optional(field.list(z.enum(FACT_TYPES)), '<type> only facts of these types'),
  about: optional(field.anyName, 'the subject, predicate or object contains this'),
  contradictions: flag('only facts that contradict one another'),
  recent: flag('only facts that were added in the last seven days'),
  minConfidence: withDefault(field.share, 0, '<0..1> the minimum confidence now'),
  namespaces: field.namespaces,
  limit: field.limitOf(100),
}))
export type FactListInput = WithSingular<z.input<typeof factListRequest>>

const strength = optional(
  field.share,
  '<0..1> how much, as a share of the distance to 1 (default: 0.1)',
)
const inSession = optional(field.label, '<id> the session that does it')
export const strengthRequest = options(() => ({
  amount: z._default(field.share, BY_HAND),
  session: inSession,
}))
export type StrengthInput = z.input<typeof strengthRequest>
const fact = required(field.name, '<id> the id of a fact, or a unique beginning of it')
export const oneFact = options(() => ({ id: fact }))
export const factStrengthRequest = options(() => ({ id: fact, amount: strength }))
export const reinforceRequest = options(() => ({
  ids: field.ids,
  amount: strength,
  session: inSession,
}))
export const deemphasizeRequest = options(() => ({
  ...reinforceRequest.shape,
  amount: optional(field.share, '<0..1> how much; 0.05 always remains (default: 0.1)'),
}))

const around = (help: string) => withDefault(field.whole(0, field.MAX_LIMIT), 5, help)

export const timelineRequest = options(() => ({
  anchor: optional(field.anyName, '<id|time> around this record or time'),
  before: around('how many before the anchor'),
  after: around('how many after the anchor'),
  since: field.since,
  until: field.until,
  namespaces: field.namespaces,
  kinds: filterOptions.shape.kinds,
  tags: filterOptions.shape.tags,
  includeSuperseded: filterOptions.shape.includeSuperseded,
  newestFirst: flag('the newest first (default: the oldest)'),
  limit: field.limitOf(50),
  cursor: field.cursor,
}))
export type TimelineInput = WithSingular<z.input<typeof timelineRequest>>

export const logRequest = options(() => ({
  since: field.since,
  until: field.until,
  author: optional(field.label, '<name> only entries of this token'),
  namespace: optional(field.namespace, '<name> only in this namespace (default: all)'),
  limit: field.limitOf(50),
  cursor: field.cursor,
}))
export type LogInput = z.input<typeof logRequest>

export const briefingRequest = options(() => ({
  namespaces: field.namespaces,
  budget: withDefault(
    field.budget,
    1000,
    `<tokens> max tokens of the text (characters / ${field.CHARACTERS_PER_TOKEN})`,
  ),
}))
export type BriefingInput = WithSingular<z.input<typeof briefingRequest>>

export const replayRequest = options(() => ({
  session: optional(field.anyName, '<id> only searches of this session (default: all)'),
  limit: field.limitOf(20),
}))
export type ReplayInput = z.input<typeof replayRequest>
