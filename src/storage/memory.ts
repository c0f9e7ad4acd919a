/** The storage interface for sessions, links, facts, recalls and lenses. */

import { badInput } from '../core/errors.js'
import type { FactType, NewFact } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import {
  type Link,
  type LinkView,
  type Metadata,
  type Session,
  type SessionOwner,
  type SessionRecord,
  USAGES,
  type Usage,
} from '../core/record.js'

/** A stored session; the caller finds out whether its owner is alive. */
export type StoredSession = Omit<Session, 'state'> & {
  /** Identifies it in the storage: an id is unique within a namespace only. */
  readonly row: number
  readonly owner: SessionOwner | null
  /** False if the title is not stored, but derived from the first record of the session. */
  readonly isTitled: boolean
}

export type NewSession = {
  /** Null generates an id. */
  readonly id: string | null
  readonly namespace: string
  readonly title: string | null
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  readonly owner: SessionOwner | null
  readonly metadata: Metadata
}

export type SessionChange = {
  readonly title?: string | null
  readonly summary?: string | null
  /** Ends the session; null opens it again. */
  readonly endedAtMs?: number | null
}

/** Names the operation that makes this change, for the log. */
export function nameChange({ endedAtMs }: SessionChange): 'session.end' | 'session.summarise' {
  return endedAtMs === undefined ? 'session.summarise' : 'session.end'
}

/** The new summary of a session whose records are purged. */
export type SessionSummary = {
  readonly session: number
  /** Null if no record is left to summarise. */
  readonly summary: string | null
  /** Whether the title was taken from a purged text. */
  readonly losesTitle: boolean
}

export type SessionListing = {
  readonly namespaces: readonly string[] | null
  readonly state: Session['state'] | null
  /** Rows of the sessions whose owner is gone; they tell `open` from `abandoned`. */
  readonly abandoned: readonly number[]
  /** Counts only records of this namespace; null counts all. */
  readonly pinnedNamespace?: string | null
  readonly limit: number
  readonly cursor: string | null
}

export type SessionPage = {
  readonly sessions: readonly (StoredSession & {
    readonly counts: Readonly<Record<Usage, number>>
  })[]
  readonly next: string | null
}

export type SessionResolution =
  | { readonly kind: 'found'; readonly session: StoredSession }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] }
  | { readonly kind: 'missing' }

export type NewLink = Omit<Link, 'id' | 'createdAt'>

export function forEachUsage<T>(make: (usage: Usage) => T): Record<Usage, T> {
  return Object.fromEntries(USAGES.map((usage) => [usage, make(usage)])) as Record<Usage, T>
}

/** Refuses a link from a record to itself or to nothing. */
export function checkEnds({ source, target, targetRef }: NewLink): void {
  if (source === target) {
    throw badInput(`"${source}" cannot be linked to itself.`, 'Name two different records.')
  }
  if (target === null && targetRef === null) {
    throw badInput(`A link of "${source}" leads nowhere.`, 'Name a record or what it cites.')
  }
}

export type StoredFact = NewFact & {
  readonly id: string
  readonly recordId: RecordId
  readonly namespace: string
  readonly createdAtMs: number
  readonly reinforcedAtMs: number
  readonly endedAtMs: number | null
}

export type FactListing = {
  readonly namespaces: readonly string[] | null
  readonly records: readonly RecordId[] | null
  readonly types: readonly FactType[] | null
  /** Part of the subject, predicate or object, in any case. */
  readonly about: string | null
  readonly contradictingOnly: boolean
  /** Only facts added since then; null lists all. */
  readonly sinceMs?: number | null
  /** Only facts whose confidence at that time is at least `min`; null lists all. */
  readonly believed?: { readonly min: number; readonly atMs: number } | null
  readonly limit: number
}

export type Recall = {
  readonly session: Pick<StoredSession, 'row' | 'id' | 'namespace'>
  readonly atMs: number
  readonly query: string
  readonly lens: string
  readonly request: Readonly<Record<string, unknown>>
  readonly hits: readonly Readonly<{ id: RecordId; score: number; facts: readonly string[] }>[]
  readonly reinforcement: number
  readonly decay: number
}

export type RecallLine = {
  readonly queryId: string
  readonly query: string
  readonly lens: string
  readonly sessionId: string
  readonly at: string
  readonly rank: number
  readonly score: number
}

export type LoggedQuery = Pick<RecallLine, 'query' | 'lens' | 'sessionId' | 'at'> & {
  readonly id: string
  readonly request: Readonly<Record<string, unknown>>
  readonly hits: readonly { readonly id: RecordId; readonly rank: number; readonly score: number }[]
}

export type StoredLens = {
  readonly namespace: string
  readonly name: string
  readonly sentence: string | null
  readonly options: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
}

/** A record, and when it was last used or when it superseded another. */
export type DatedRecord = { readonly id: RecordId; readonly at: string }

export type Strengthening = {
  readonly kind: 'reinforce' | 'deemphasize'
  readonly amount: number
  readonly decay: number
  /** The row of the session that does it. */
  readonly session: number | null
}

export interface MemoryStorage {
  /** Refuses an id that the namespace already has. */
  startSession(session: NewSession): Promise<StoredSession>
  changeSession(row: number, change: SessionChange): Promise<StoredSession | null>
  /**
   * Finds a session by its id, or by a unique prefix of at least eight characters. If two have the same id, it finds that
   * of the `home` namespace. Here and below, a namespace limits the read to it; null reads all.
   */
  findSession(text: string, home: string, namespace?: string | null): Promise<SessionResolution>
  listSessions(listing: SessionListing): Promise<SessionPage>
  listOwnedSessions(): Promise<StoredSession[]>
  /** The records that a session used, in the order of their first use, without deleted ones. */
  listSessionRecords(
    row: number,
    namespace?: string | null,
  ): Promise<Readonly<Record<Usage, readonly SessionRecord[]>>>
  lastTouch(
    record: RecordId,
    namespace?: string | null,
  ): Promise<{ session: StoredSession; usage: Usage; at: string; records: number } | null>

  /** A link that exists already gets the new note and author. */
  link(link: NewLink): Promise<Link>
  unlink(id: string): Promise<Link | null>
  findLink(source: RecordId, target: RecordId, type: string | null): Promise<Link[]>
  /** In both directions, oldest first, without links to deleted records. */
  listLinks(record: RecordId): Promise<LinkView[]>

  addFacts(record: RecordId, facts: readonly NewFact[]): Promise<StoredFact[]>
  /** By its id or a prefix of it. */
  findFact(text: string, namespace?: string | null): Promise<StoredFact | null>
  listFacts(listing: FactListing): Promise<StoredFact[]>
  contradicting(facts: readonly string[]): Promise<StoredFact[]>
  /** The newest facts of a namespace on these topics. */
  listFactsOn(topics: readonly string[], namespace: string): Promise<StoredFact[]>
  reinforceFact(id: string, amount: number): Promise<StoredFact | null>
  endFact(id: string): Promise<StoredFact | null>

  /** Logs a recall, notes the usages and reinforces the records, in one transaction. Skips records that are gone. */
  logRecall(recall: Recall): Promise<void>
  /** Newest first, from sessions in these namespaces; null: all. */
  listRecalls(
    record: RecordId,
    limit: number,
    namespaces?: readonly string[] | null,
  ): Promise<RecallLine[]>
  /** Newest first, with the hits in these namespaces; null: all. */
  listQueries(request: {
    readonly session: number | null
    readonly limit: number
    readonly namespaces?: readonly string[] | null
  }): Promise<LoggedQuery[]>

  /** The live records of these namespaces (null: all) that sessions started since then used most. */
  listUsed(request: {
    readonly namespaces: readonly string[] | null
    /** Counts only sessions of this namespace; null counts all. */
    readonly pinnedNamespace: string | null
    readonly sinceMs: number
    readonly limit: number
  }): Promise<DatedRecord[]>
  /** Live records that superseded another, newest first; both records are in these namespaces (null: all). */
  listCorrections(namespaces: readonly string[] | null, limit: number): Promise<DatedRecord[]>

  /** Returns the new effective salience of each record. */
  strengthen(
    records: readonly RecordId[],
    how: Strengthening,
  ): Promise<ReadonlyMap<RecordId, number>>

  saveLens(lens: Omit<StoredLens, 'createdAt' | 'updatedAt'>): Promise<void>
  listLenses(): Promise<StoredLens[]>
  removeLens(lens: { readonly namespace: string; readonly name: string }): Promise<boolean>
}
