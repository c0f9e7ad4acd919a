/** The hash that finds content which is already stored. */

import type { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { NewRecord } from '../core/record.js'

export type Content = Pick<NewRecord, 'kind' | 'title' | 'body' | 'sessionId' | 'occurredAtMs'>

/**
 * Two records are the same if their kind and text are equal; namespace and time do not count. In a session the position
 * counts as well: "ok" said twice is two turns. If two hashes are equal, the texts are compared.
 */
export function hashContent({ kind, title, body, sessionId, occurredAtMs }: Content): Buffer {
  const position = sessionId === null ? [] : [sessionId, occurredAtMs]
  return hash('sha256', [kind, title, body, ...position].join('\n'), 'buffer')
}

/** The hash finds it, and the text decides: another program may have changed the text and left the hash. */
export function isSameContent(a: Content, b: Content): boolean {
  const isSameText = a.kind === b.kind && a.title === b.title && a.body === b.body
  return (
    isSameText &&
    a.sessionId === b.sessionId &&
    (a.sessionId === null || a.occurredAtMs === b.occurredAtMs)
  )
}
