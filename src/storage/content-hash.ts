/** The hash by which content that is stored already is found. */

import type { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { NewRecord } from '../core/record.js'

export type Content = Pick<NewRecord, 'kind' | 'title' | 'body' | 'sessionId' | 'occurredAtMs'>

/**
 * Kind and text make two records the same, not their namespace or time. In a session the position counts as well: "ok"
 * said twice is two turns. Where two hashes are equal, the texts are compared.
 */
export function hashContent({ kind, title, body, sessionId, occurredAtMs }: Content): Buffer {
  const position = sessionId === null ? [] : [sessionId, occurredAtMs]
  return hash('sha256', [kind, title, body, ...position].join('\n'), 'buffer')
}
