/** The storage interface for sessions, links, facts, recalls and lenses. */

import type { FactType, NewFact } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type {
  Link,
  LinkView,
  Metadata,
  Session,
  SessionOwner,
  SessionRecord,
  Usage,
} from '../core/record.js'

/** A session as it is stored; the caller finds out whether its owner is alive. */
export type StoredSession = Omit<Session, 'state'> & { readonly owner: SessionOwner | null }

export type NewSession = {
  /** Null: an id is made. */
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
  /** Ends it; null opens it again. */
  readonly endedAtMs?: number | null
}

/** Null: nothing is left to summarise. */
export type SessionSummary = { readonly session: string; readonly summary: string | null }

export type SessionListing = {
  readonly namespaces: readonly string[] | null
  readonly state: Session['state'] | null
  /** Ids of the sessions whose owner is gone; needed for the states `open` and `abandoned`. */
  readonly abandoned: readonly string[]
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
  /** Part of the subject, predicate or object, whatever the case. */
  readonly about: string | null
  readonly contradictingOnly: boolean
  readonly limit: number
}

/** One search in a session, written after its answer was given. */
export type Recall = {
  readonly sessionId: string
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
  readonly name: string
  readonly sentence: string | null
  readonly options: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
}

/** How often sessions that began since then recalled, updated or reinforced a record. */
export type UsedRecord = { readonly id: RecordId; readonly times: number; readonly lastAt: string }

/** A record, and the one that it superseded. */
export type Correction = {
  readonly newer: RecordId
  readonly older: RecordId
  readonly at: string
}

export type Strengthening = {
  readonly kind: 'reinforce' | 'deemphasize'
  readonly amount: number
  readonly decay: number
  readonly sessionId: string | null
}

export interface MemoryStorage {
  /** A name that is taken already is refused. */
  startSession(session: NewSession): Promise<StoredSession>
  changeSession(id: string, change: SessionChange): Promise<StoredSession | null>
  /** By its whole id, or by a beginning of eight characters or more that names one. */
  findSession(text: string): Promise<SessionResolution>
  listSessions(listing: SessionListing): Promise<SessionPage>
  listOwnedSessions(): Promise<StoredSession[]>
  /** What a session touched, the first touched first. Deleted records are left out. */
  listSessionRecords(id: string): Promise<Readonly<Record<Usage, readonly SessionRecord[]>>>
  lastTouch(
    record: RecordId,
  ): Promise<{ session: StoredSession; usage: Usage; at: string; records: number } | null>

  /** The same link again only takes the new note and author. */
  link(link: NewLink): Promise<Link>
  unlink(id: string): Promise<Link | null>
  findLink(source: RecordId, target: RecordId, type: string | null): Promise<Link[]>
  /** Both ways, oldest first; ends that were deleted are left out. */
  listLinks(record: RecordId): Promise<LinkView[]>

  addFacts(record: RecordId, facts: readonly NewFact[]): Promise<StoredFact[]>
  /** By id or a beginning of it. */
  findFact(text: string): Promise<StoredFact | null>
  listFacts(listing: FactListing): Promise<StoredFact[]>
  contradicting(facts: readonly string[]): Promise<StoredFact[]>
  reinforceFact(id: string, amount: number): Promise<StoredFact | null>
  endFact(id: string): Promise<StoredFact | null>

  /** Links, logs and reinforces in one transaction. Records that are gone by then are skipped. */
  logRecall(recall: Recall): Promise<void>
  /** Newest first, of sessions in these namespaces; null: all. */
  listRecalls(
    record: RecordId,
    limit: number,
    namespaces?: readonly string[] | null,
  ): Promise<RecallLine[]>
  /** Newest first. */
  listQueries(request: {
    readonly sessionId: string | null
    readonly limit: number
    readonly namespaces?: readonly string[] | null
  }): Promise<LoggedQuery[]>

  /** Live records in these namespaces (null: all), the most used first. */
  listUsed(request: {
    readonly namespaces: readonly string[] | null
    readonly sinceMs: number
    readonly limit: number
  }): Promise<UsedRecord[]>
  /** Newest first; both records are in these namespaces (null: all). */
  listCorrections(namespaces: readonly string[] | null, limit: number): Promise<Correction[]>

  /** Returns the effective salience of each afterwards. */
  strengthen(
    records: readonly RecordId[],
    how: Strengthening,
  ): Promise<ReadonlyMap<RecordId, number>>

  saveLens(lens: Pick<StoredLens, 'name' | 'sentence' | 'options'>): Promise<StoredLens>
  listLenses(): Promise<StoredLens[]>
  findLens(name: string): Promise<StoredLens | null>
  removeLens(name: string): Promise<boolean>
}
