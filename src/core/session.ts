/** A conversation, and how it touched a record, are told in one shape. */

import type { RecordId } from './ids.js'
import type { Metadata } from './record.js'

export const USAGES = ['created', 'recalled', 'updated', 'reinforced'] as const
/** How a session touched a record. */
export type Usage = (typeof USAGES)[number]

export const SESSION_STATES = ['open', 'ended', 'abandoned'] as const
/** `abandoned`: the process that held it open is gone and never ended it. */
export type SessionState = (typeof SESSION_STATES)[number]

/** A process that holds a session open. */
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

/** What of a session a hit shows. */
export type SessionBrief = Pick<Session, 'id' | 'namespace' | 'startedAt' | 'endedAt' | 'summary'>

/** The latest session that touched a record. */
export type SessionContext = {
  readonly session: Session
  readonly usage: Usage
  readonly at: string
  /** How many records that session holds: created, recalled, updated or reinforced. */
  readonly records: number
}

/** A record that a session touched. */
export type SessionRecord = {
  readonly id: RecordId
  readonly title: string | null
  /** The beginning of its text, in one line. */
  readonly summary: string
  readonly firstAt: string
  readonly lastAt: string
  readonly times: number
}
