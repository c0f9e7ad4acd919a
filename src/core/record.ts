/** What is stored and returned has one shape, whoever asks. */

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

/** A stored record. Times are ISO 8601 in UTC, on every face. */
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
  /** What a reference to a work needs; null for everything else. */
  readonly work: WorkDetails | null
  readonly importance: number
  readonly sector: Sector | null
  readonly tier: Tier
  /** As it was at its last access. */
  readonly salience: number
  /** What is left of it now. */
  readonly effectiveSalience: number
  readonly sessionId: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When it was last added, recalled or reinforced. */
  readonly accessedAt: string
  readonly occurredAt: string | null
  /** From when on another record has taken its place. */
  readonly supersededAt: string | null
  readonly deletedAt: string | null
}

/** What is written when a record is added: every default is already filled in. */
export type NewRecord = Omit<
  CairnRecord,
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | 'accessedAt'
  | 'deletedAt'
  | 'supersededAt'
  | 'occurredAt'
  | 'effectiveSalience'
  | 'work'
> & {
  readonly occurredAtMs: number | null
  /** Added even where the same text is there: a work is told apart by its identifiers. */
  readonly isDistinct?: boolean
}

/** What an edit changes; what is absent stays as it is. */
export type RecordChange = Partial<Omit<NewRecord, 'sessionId' | 'isDistinct'>> & {
  readonly work?: WorkDetails
  /** Keys by which the work can be found from now on, beside those it has. */
  readonly identities?: readonly string[]
}

export type AddOutcome = {
  readonly id: RecordId
  /** False where the same content was there already. */
  readonly created: boolean
  readonly duplicateOf: RecordId | null
}

/** A record that says nearly the same as a new one. */
export type NearDuplicate = {
  readonly id: RecordId
  readonly similarity: number
  /** Numbers and negations that differ, as `5432 → 6543`. */
  readonly changed: readonly string[]
}
