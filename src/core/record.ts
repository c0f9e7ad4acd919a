/** Promise: what is stored and returned has one shape, whoever asks. */

import type { RecordId } from './ids.js'

export const KINDS = ['memory', 'document', 'work'] as const
export type Kind = (typeof KINDS)[number]

export const SECTORS = ['episodic', 'semantic', 'procedural', 'emotional', 'reflective'] as const
export type Sector = (typeof SECTORS)[number]

export const TIERS = ['session', 'project', 'global'] as const
export type Tier = (typeof TIERS)[number]

export const DEFAULT_NAMESPACE = 'default'

export type Metadata = { readonly [key: string]: unknown }

/** A stored record. Times are milliseconds UTC inside; the faces print them as ISO 8601. */
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
  readonly importance: number
  readonly sector: Sector | null
  readonly tier: Tier
  readonly salience: number
  readonly sessionId: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly occurredAtMs: number | null
  readonly deletedAtMs: number | null
}

/** What a caller gives to add a record: the body is all that is needed. */
export type RecordInput = {
  readonly body: string
  readonly kind?: Kind
  readonly namespace?: string
  readonly title?: string | null
  readonly tags?: readonly string[]
  readonly people?: readonly string[]
  readonly source?: string | null
  readonly metadata?: Metadata
  readonly importance?: number
  readonly sector?: Sector | null
  readonly tier?: Tier
  readonly occurredAtMs?: number | null
}

/** What an edit may change; what is absent stays as it is. */
export type RecordPatch = { readonly [Key in keyof RecordInput]?: RecordInput[Key] }

export type AddOutcome = {
  readonly id: RecordId
  /** False where the same content was there already. */
  readonly created: boolean
  readonly duplicateOf: RecordId | null
}
