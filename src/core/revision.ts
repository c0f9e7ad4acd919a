/** What a record was before it changed is kept whole. */

import type { CairnRecord } from './record.js'

/** What ended a state of a record. */
export const REVISION_ENDS = ['edit', 'delete', 'supersede'] as const
export type RevisionEnd = (typeof REVISION_ENDS)[number]

/** What a record was from `validFrom` until just before `validUntil`. */
export type Revision = Pick<
  CairnRecord,
  | 'kind'
  | 'namespace'
  | 'title'
  | 'body'
  | 'tags'
  | 'people'
  | 'source'
  | 'metadata'
  | 'work'
  | 'importance'
  | 'sector'
  | 'tier'
  | 'occurredAt'
> & {
  /** From 1, the oldest. */
  readonly number: number
  readonly validFrom: string
  readonly validUntil: string
  readonly endedBy: RevisionEnd
}
