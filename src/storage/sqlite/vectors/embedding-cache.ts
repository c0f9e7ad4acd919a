/** A text that a model has read once is not sent to it again, and the memory of that is bounded. */

import { createHash } from 'node:crypto'
import type { Statements } from '../statements.js'

const SQL = {
  read: 'SELECT vector FROM embedding_cache WHERE model = :model AND hash = :hash',
  write: `INSERT INTO embedding_cache (model, hash, vector) VALUES (:model, :hash, :vector)
    ON CONFLICT (model, hash) DO NOTHING`,
  /** The oldest go first. */
  bound: `DELETE FROM embedding_cache WHERE row <= (SELECT max(row) FROM embedding_cache) - :most`,
  forget: 'DELETE FROM embedding_cache WHERE hash = :hash',
} as const

/** About 150 MB of vectors of 768 numbers. */
export const CACHED_TEXTS = 50_000

export type EmbeddingCache = ReturnType<typeof createEmbeddingCache>

export function createEmbeddingCache(statements: Statements, most = CACHED_TEXTS) {
  return {
    read: (model: string, texts: readonly string[]): (Float32Array | null)[] =>
      texts.map((text) => {
        const bytes = statements.value(SQL.read, { model, hash: hash(text) })
        return bytes instanceof Uint8Array ? toVector(bytes) : null
      }),
    write(model: string, texts: readonly string[], vectors: readonly Float32Array[]): void {
      for (const [i, vector] of vectors.entries()) {
        const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
        statements.run(SQL.write, { model, hash: hash(texts[i] ?? ''), vector: bytes })
      }
      statements.run(SQL.bound, { most })
    },
    forget(texts: readonly string[]): void {
      for (const text of texts) statements.run(SQL.forget, { hash: hash(text) })
    },
  }
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}

/** A copy: the bytes may lie at an odd address. */
function toVector(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
