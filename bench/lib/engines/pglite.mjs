/** PGlite with pgvector: PostgreSQL in WebAssembly, with the query that most guides show. */

import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { fillUsual, openUsual } from './usual-postgres.mjs'

export const name = 'PGlite, pgvector, hybrid'
/** The index of 100,000 vectors takes half an hour. */
export const mostRecords = 20_000

export async function fill(path, records, embedder) {
  const db = await PGlite.create(path, { extensions: { vector } })
  await db.exec('CREATE EXTENSION IF NOT EXISTS vector')
  await fillUsual(db, records, embedder)
  await db.close()
}

export async function open(path, embedder) {
  const db = await PGlite.create(path, { extensions: { vector } })
  return { search: await openUsual(db, embedder), close: () => db.close() }
}
