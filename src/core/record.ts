/** The types of stored data: records, their revisions, links between them, and sessions. */

import type { RecordId } from './ids.js'
import type { WorkDetails } from './work.js'

export const KINDS = ['memory', 'document', 'work'] as const
export type Kind = (typeof KINDS)[number]

export const SECTORS = ['episodic', 'semantic', 'procedural', 'emotional', 'reflective'] as const
export type Sector = (typeof SECTORS)[number]

export const TIERS = ['session', 'project', 'global'] as const
export type Tier = (typeof TIERS)[number]

export const DEFAULT_NAMESPACE = 'default'

export type Metadata = { readonly [key: string]: unknown }

/** A stored record. Times are ISO 8601 in UTC. */
export type CairnRecord = {
  readonly id: RecordId
  readonly kind: Kind
  readonly namespace: string
  readonly title: string | null
  readonly body: string
  readonly tags: readonly string[]
  readonly people: readonly string[]
  readonly source: string | null
  readonly metadata: Metadata
  /** Bibliographic details; null for everything but works. */
  readonly work: WorkDetails | null
  readonly importance: number
  readonly sector: Sector | null
  readonly tier: Tier
  /** The value at its last access. */
  readonly salience: number
  /** The value now, after decay. */
  readonly effectiveSalience: number
  /** From 1; every edit makes it higher. */
  readonly revision: number
  readonly sessionId: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When it was last added, recalled or reinforced. */
  readonly accessedAt: string
  readonly occurredAt: string | null
  readonly supersededAt: string | null
  readonly deletedAt: string | null
  /** The name of the token that wrote this state; null: it was written without one. */
  readonly author: string | null
}

type Times = 'createdAt' | 'updatedAt' | 'accessedAt' | 'deletedAt' | 'supersededAt'

type Content = Omit<
  CairnRecord,
  'id' | Times | 'salience' | 'effectiveSalience' | 'sessionId' | 'revision'
>

/** The input for adding a record, with every default filled in. */
export type NewRecord = Omit<Content, 'occurredAt' | 'work' | 'author'> & {
  readonly salience: number
  readonly sessionId: string | null
  readonly occurredAtMs: number | null
  /** Added even if the same text exists: works are distinguished by their identifiers. */
  readonly isDistinct?: boolean
  /** For the index; the details themselves are stored with the work. */
  readonly work?: WorkDetails
  /** For a file that already had a record elsewhere: its id and its time of creation. */
  readonly id?: RecordId
  readonly createdAtMs?: number
}

/** The input for an edit; absent fields stay as they are. */
export type RecordChange = Partial<
  Omit<NewRecord, 'sessionId' | 'isDistinct' | 'work' | 'id' | 'createdAtMs'>
> & {
  readonly work?: WorkDetails
  /** Identifiers added to those the work already has. */
  readonly identities?: readonly string[]
  /** The row of the session that made the change. */
  readonly editedIn?: number
  /** Refused if the record has another revision by then. */
  readonly expectedRevision?: number
}

export type AddOutcome = {
  readonly id: RecordId
  /** False if the same content already existed. */
  readonly created: boolean
  readonly duplicateOf: RecordId | null
}

export type NearDuplicate = {
  readonly id: RecordId
  readonly similarity: number
  /** Numbers and negations that differ, as `5432 → 6543`. */
  readonly changed: readonly string[]
}

export const REVISION_ENDS = ['edit', 'delete', 'supersede'] as const
export type RevisionEnd = (typeof REVISION_ENDS)[number]

/** The state of a record from `validFrom` until just before `validUntil`. */
export type Revision = Content & {
  /** From 1, the oldest. */
  readonly number: number
  readonly validFrom: string
  readonly validUntil: string
  readonly endedBy: RevisionEnd
  /** Who edited, deleted or superseded it. */
  readonly endedAuthor: string | null
}

/** The predefined types; any other word in capitals is a type too. */
export const LINK_TYPES = [
  'RELATED_TO',
  'SUPERSEDES',
  'CONTRADICTS',
  'DEPENDS_ON',
  'CITES',
  'PART_OF',
] as const

export type Link = {
  readonly id: string
  readonly type: string
  readonly source: RecordId
  /** Null if the target is not stored yet. */
  readonly target: RecordId | null
  /** How a citation names its target: `doi:…`, `openalex:…`, `arxiv:…`, `key:…`. */
  readonly targetRef: string | null
  readonly author: string | null
  readonly note: string | null
  readonly createdAt: string
}

export type LinkView = Link & {
  readonly direction: 'out' | 'in'
  /** The other end; null if it is not stored. */
  readonly other:
    | (Pick<SessionRecord, 'id' | 'title' | 'summary'> & Pick<CairnRecord, 'source'>)
    | null
}

export const USAGES = ['created', 'recalled', 'updated', 'reinforced'] as const
export type Usage = (typeof USAGES)[number]

export const SESSION_STATES = ['open', 'ended', 'abandoned'] as const
/** `abandoned`: the process that held it open is gone and did not end it. */
export type SessionState = (typeof SESSION_STATES)[number]

export type SessionOwner = { readonly host: string; readonly pid: number }

export type Session = {
  readonly id: string
  readonly namespace: string
  readonly title: string | null
  readonly summary: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly state: SessionState
  readonly metadata: Metadata
}

export type SessionBrief = Pick<
  Session,
  'id' | 'namespace' | 'title' | 'startedAt' | 'endedAt' | 'summary'
>

export type SessionContext = {
  readonly session: Session
  readonly usage: Usage
  readonly at: string
  /** How many records that session holds: created, recalled, updated or reinforced. */
  readonly records: number
}

export type SessionRecord = {
  readonly id: RecordId
  readonly title: string | null
  readonly summary: string
  readonly people: readonly string[]
  /** When it was said or took place, if that is known; `firstAt` is when the session first used it. */
  readonly occurredAt: string | null
  readonly firstAt: string
  readonly lastAt: string
  readonly times: number
}

/** The year in which a work was published; null for other records, and if it is unknown. */
export function findYear({ kind, work, metadata }: CairnRecord): number | string | null {
  const year = work?.year ?? metadata.year
  const isKnown = kind === 'work' && (typeof year === 'number' || typeof year === 'string')
  return isKnown ? year : null
}
