/** A link says from where, to where, what kind and by whom. */

import type { RecordId } from './ids.js'

/** The kinds everyone knows; any other word in capitals is a kind too. */
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
  /** Null: what it names is not stored yet. */
  readonly target: RecordId | null
  /** How a citation names its target: `doi:…`, `openalex:…`, `arxiv:…`, `key:…`. */
  readonly targetRef: string | null
  readonly author: string | null
  readonly note: string | null
  readonly createdAt: string
}

/** A link as one of its ends sees it. */
export type LinkView = Link & {
  readonly direction: 'out' | 'in'
  /** The other end; null where it is not stored. */
  readonly other: {
    readonly id: RecordId
    readonly title: string | null
    readonly summary: string
  } | null
}
