/** Stores, replaces and forgets the vectors of records, and finds the records that wait for embedding. */

import { createHash } from 'node:crypto'
import type { RecordId } from '../../core/ids.js'
import { cutPassage, type TextInContext, type TitledText } from '../../core/passage.js'
import type {
  ChunkVector,
  EmbeddedText,
  ModelInfo,
  NearRecord,
  PastText,
  PendingText,
  RecordVectors,
} from '../vectors.js'
import { encodeHalfvecs, formatVector, parseVector } from './halfvec.js'
import { type Row, type Statements, toStorableText, withinSql } from './statements.js'
import { findModel, type ModelRow, readActiveModel, registerModel } from './vectors-models.js'

/** The vector of the whole text of the record of `embedded e`: that of its only chunk, where it has one. */
export const WHOLE = `coalesce(e.whole, (SELECT c.vector FROM chunks c
  WHERE c.namespace = e.namespace AND c.record = e.record AND c.model = e.model AND c.ordinal = 0))`

/** About 150 MB of vectors of 768 numbers. */
const CACHED_TEXTS = 50_000

const OF_ROWS = (table: string) => `records r
    WHERE r.row = ANY (:rows::bigint[]) AND ${table}.namespace = r.namespace AND ${table}.record = r.row`

const COVERAGE = `SELECT
  (SELECT count(*) FROM waiting w JOIN records r ON r.namespace = w.namespace AND r.row = w.record
    WHERE r.present AND ${withinSql('w')}) AS waiting,
  (SELECT count(*) FROM records r WHERE r.present AND ${withinSql('r')}) AS records`

const SQL = {
  deleteChunks: `DELETE FROM chunks c USING ${OF_ROWS('c')} AND c.model = :model`,
  insertChunks: `INSERT INTO chunks (namespace, record, model, ordinal, "start", "end", vector)
    SELECT r.namespace, r.row, :model::bigint, c.ordinal, c.first, c.last, c.vector
    FROM unnest(:rows::bigint[], :ordinals::int[], :starts::int[], :ends::int[], :vectors::halfvec[])
      AS c (row, ordinal, first, last, vector)
    JOIN records r ON r.row = c.row`,
  insertEmbedded: `INSERT INTO embedded (namespace, record, model, chunks, whole)
    SELECT r.namespace, r.row, :model::bigint, e.chunks, e.whole
    FROM unnest(:rows::bigint[], :counts::int[], :wholes::halfvec[]) AS e (row, chunks, whole)
    JOIN records r ON r.row = e.row
    ON CONFLICT (record, namespace, model) DO UPDATE SET chunks = excluded.chunks, whole = excluded.whole`,
  doneWaiting: `DELETE FROM waiting w USING ${OF_ROWS('w')}`,
  wait: `INSERT INTO waiting (namespace, record)
    SELECT namespace, row FROM records WHERE row = ANY (:rows::bigint[]) ON CONFLICT DO NOTHING`,
  forgetChunks: `DELETE FROM chunks c USING ${OF_ROWS('c')}`,
  forgetEmbedded: `DELETE FROM embedded e USING ${OF_ROWS('e')}`,
  /** The rows of records whose text is still the one that was embedded; nobody changes it before the transaction ends. */
  unchanged: `SELECT t.position, r.row
    FROM unnest(:ids::text[], :titles::text[], :bodies::bytea[], :contexts::bytea[])
      WITH ORDINALITY AS t (id, title, body, context, position)
    JOIN records r ON r.id = t.id
    WHERE r.title IS NOT DISTINCT FROM t.title AND sha256(convert_to(r.body, 'UTF8')) = t.body
      AND sha256(convert_to(r.context, 'UTF8')) IS NOT DISTINCT FROM t.context
    FOR SHARE OF r`,
  waitingForActive: `SELECT r.id, r.title, r.body, r.context
    FROM waiting w JOIN records r ON r.namespace = w.namespace AND r.row = w.record
    WHERE r.present ORDER BY w.record LIMIT :limit`,
  waitingForOther: `SELECT r.id, r.title, r.body, r.context FROM records r
    WHERE r.present AND NOT EXISTS (SELECT 1 FROM embedded e
      WHERE e.namespace = r.namespace AND e.record = r.row AND e.model = :model)
    ORDER BY r.row LIMIT :limit`,
  /** OFFSET keeps the planner from reading all records where few wait, or none. */
  anyWaiting: `SELECT EXISTS (SELECT 1 FROM waiting w, LATERAL (
    SELECT r.present FROM records r WHERE r.namespace = w.namespace AND r.row = w.record OFFSET 0) r WHERE r.present)`,
  coverage: COVERAGE,
  gaps: `${COVERAGE} WHERE EXISTS (SELECT 1 FROM waiting)`,
  whole: `SELECT ${WHOLE} FROM records r JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row
    WHERE r.id = :id AND e.model = :model`,
  bestChunks: `SELECT r.id, c.ordinal, c."start", c."end", c.similarity
    FROM unnest(:ids::text[]) WITH ORDINALITY AS wanted (id, position) JOIN records r ON r.id = wanted.id,
    LATERAL (SELECT c.ordinal, c."start", c."end", -(c.vector <#> :vector::halfvec) AS similarity
      FROM chunks c WHERE c.namespace = r.namespace AND c.record = r.row AND c.model = :model
      ORDER BY similarity DESC, c.ordinal LIMIT 1) c
    ORDER BY wanted.position`,
  sample: `SELECT r.title, r.body, r.context, ${WHOLE} AS vector
    FROM (SELECT e.* FROM embedded e WHERE e.model = :model AND e.chunks > 0
      ORDER BY (e.record * 2654435761) % 4294967296 LIMIT 2 * :limit::bigint) e
    JOIN records r ON r.namespace = e.namespace AND r.row = e.record
    WHERE r.present AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.namespace = r.namespace AND w.record = r.row)
    LIMIT :limit`,
  pastPending: `SELECT v.row, r.id AS record, v.number, v.title, v.body
    FROM revisions v JOIN records r ON r.namespace = v.namespace AND r.row = v.record
    WHERE v.vector IS NULL AND v.row > :after ORDER BY v.row LIMIT :limit`,
  setPast: `UPDATE revisions v SET model = :model::bigint, vector = e.vector
    FROM unnest(:rows::bigint[], :vectors::halfvec[]) AS e (row, vector)
    WHERE v.row = e.row AND e.vector IS NOT NULL`,
  ranges: `SELECT DISTINCT r.row, r.title, r.body, c."start", c."end"
    FROM records r JOIN chunks c ON c.namespace = r.namespace AND c.record = r.row WHERE r.row = ANY (:rows::bigint[])`,
  forgetCached: 'DELETE FROM embedding_cache WHERE hash = ANY (:hashes::bytea[])',
  cached:
    'SELECT hash, vector FROM embedding_cache WHERE model = :model AND hash = ANY (:hashes::bytea[])',
  cache: `INSERT INTO embedding_cache (model, hash, vector, used_at)
    SELECT :model::text, hash, vector, extract(epoch FROM now()) * 1000
    FROM unnest(:hashes::bytea[], :vectors::bytea[]) AS made (hash, vector) ON CONFLICT DO NOTHING`,
  /** The oldest go first. */
  boundCache: `DELETE FROM embedding_cache WHERE used_at < (
    SELECT used_at FROM embedding_cache ORDER BY used_at DESC OFFSET ${CACHED_TEXTS} LIMIT 1)`,
} as const

export type RowVectors = {
  readonly row: number
  readonly vectors: Omit<RecordVectors, 'of'>
}

/** Inside a transaction that has written these texts or knows that they have not changed; replaces older vectors. */
export async function keepVectors(
  statements: Statements,
  model: ModelInfo,
  embedded: readonly RowVectors[],
): Promise<void> {
  const known = await registerModel(statements, model)
  const rows = embedded.map(({ row }) => row)
  if (rows.length === 0) return
  await Promise.all([
    statements.run(SQL.deleteChunks, { model: known.row, rows }),
    // Until another model is the active one, the records wait for it.
    known.state === 'active' && statements.run(SQL.doneWaiting, { rows }),
    insertVectors(statements, known, embedded),
  ])
}

/** For records that this transaction has added: there is nothing to replace. */
export async function insertVectors(
  statements: Statements,
  { row: model, vectorType }: ModelRow,
  embedded: readonly RowVectors[],
): Promise<void> {
  if (embedded.length === 0) return
  const chunks = embedded.flatMap((one) => listChunks(one))
  const counts = new Map<number, number>()
  for (const { record } of chunks) counts.set(record, (counts.get(record) ?? 0) + 1)
  const passages = chunks.map(({ vector }) => vector)
  const wholes = embedded.map(({ vectors }) => vectors.whole)
  await Promise.all([
    statements.run(SQL.insertChunks, {
      model,
      rows: chunks.map(({ record }) => record),
      ordinals: chunks.map(({ ordinal }) => ordinal),
      starts: chunks.map(({ start }) => start),
      ends: chunks.map(({ end }) => end),
      vectors: encodeHalfvecs(passages, vectorType),
    }),
    statements.run(SQL.insertEmbedded, {
      model,
      rows: embedded.map(({ row }) => row),
      counts: embedded.map(({ row }) => counts.get(row) ?? 0),
      wholes: encodeHalfvecs(wholes, vectorType),
    }),
  ])
}

/** A zero vector has no direction and is never stored. */
function listChunks({ row, vectors }: RowVectors) {
  return vectors.chunks
    .filter(({ vector }) => vector.some((value) => value !== 0))
    .map((chunk: ChunkVector, ordinal) => ({ ...chunk, record: row, ordinal }))
}

/** For records that are new or got new neighbours: older vectors serve until the text is embedded again. */
export async function queueForVectors(
  statements: Statements,
  rows: readonly number[],
): Promise<void> {
  if (rows.length > 0) await statements.run(SQL.wait, { rows })
}

/** For records whose own text has changed: they are not found by vectors until it is embedded. */
export async function forgetVectors(
  statements: Statements,
  rows: readonly number[],
): Promise<void> {
  if (rows.length === 0) return
  await Promise.all(
    [SQL.forgetChunks, SQL.forgetEmbedded, SQL.wait].map((sql) => statements.run(sql, { rows })),
  )
}

/** Before a purge: no cached text of these records stays behind. Their vectors go with them. */
export async function forgetCachedTexts(
  statements: Statements,
  rows: readonly number[],
): Promise<void> {
  const ranges = await statements.all(SQL.ranges, { rows })
  const hashes = ranges.map(({ start, end, ...record }) =>
    hashText(cutPassage(record as TitledText, { start: Number(start), end: Number(end) })),
  )
  if (hashes.length > 0) await statements.run(SQL.forgetCached, { hashes })
}

/** A text that has changed since it was embedded keeps waiting. */
export async function storeVectors(
  statements: Statements,
  model: ModelInfo,
  embedded: readonly { readonly id: RecordId; readonly vectors: RecordVectors }[],
): Promise<void> {
  const texts = embedded.map(({ vectors }) => vectors.of)
  const unchanged = await statements.all(SQL.unchanged, {
    ids: embedded.map(({ id }) => id),
    titles: texts.map(({ title }) => title),
    bodies: texts.map(({ body }) => hashText(body)),
    contexts: texts.map(({ context }) => (context === null ? null : hashText(context))),
  })
  const rows = unchanged.flatMap(({ position, row }): RowVectors[] => {
    const vectors = embedded[Number(position) - 1]?.vectors
    return vectors === undefined ? [] : [{ row: Number(row), vectors }]
  })
  await keepVectors(statements, model, rows)
}

/** Without a model, all that wait for the first one. */
export async function listPending(
  statements: Statements,
  id: string,
  limit: number,
): Promise<PendingText[]> {
  const model = await findModel(statements, id)
  if (model === null && (await readActiveModel(statements)) !== null) return []
  const rows =
    model === null || model.state === 'active'
      ? await statements.all(SQL.waitingForActive, { limit })
      : await statements.all(SQL.waitingForOther, { model: model.row, limit })
  return rows as unknown as PendingText[]
}

export async function anyPending(statements: Statements): Promise<boolean> {
  return (await statements.value(SQL.anyWaiting)) === true
}

export async function readCoverage(statements: Statements, namespace: string | null) {
  const [counted] = await statements.all(SQL.coverage, { namespace })
  return { waiting: Number(counted?.waiting), records: Number(counted?.records) }
}

/** Null where no record waits. */
export async function readGaps(statements: Statements, namespace: string | null) {
  const [counted] = await statements.all(SQL.gaps, { namespace })
  if (counted === undefined) return null
  return { waiting: Number(counted.waiting), records: Number(counted.records) }
}

export async function readVector(
  statements: Statements,
  model: ModelRow,
  id: RecordId,
): Promise<Float32Array | null> {
  const vector = await statements.value(SQL.whole, { id, model: model.row })
  return vector == null ? null : parseVector(vector)
}

export async function findBestChunks(
  statements: Statements,
  model: ModelRow,
  { vector, ids }: { readonly vector: Float32Array; readonly ids: readonly RecordId[] },
): Promise<NearRecord[]> {
  const values = { model: model.row, ids, vector: formatVector(vector) }
  return (await statements.all(SQL.bestChunks, values)).map(toNear)
}

export async function sampleTexts(
  statements: Statements,
  model: ModelRow,
  limit: number,
): Promise<EmbeddedText[]> {
  const rows = await statements.all(SQL.sample, { model: model.row, limit })
  return rows.map(({ vector, ...text }) => ({
    ...(text as TextInContext),
    vector: parseVector(vector),
  }))
}

export async function listPastPending(
  statements: Statements,
  after: number,
  limit: number,
): Promise<PastText[]> {
  return (await statements.all(SQL.pastPending, { after, limit })) as unknown as PastText[]
}

export async function storePast(
  statements: Statements,
  model: ModelInfo,
  embedded: readonly RowVectors[],
): Promise<void> {
  const { row, vectorType } = await registerModel(statements, model)
  const wholes = embedded.map(({ vectors }) => vectors.whole ?? vectors.chunks[0]?.vector ?? null)
  const vectors = encodeHalfvecs(wholes, vectorType)
  await statements.run(SQL.setPast, { model: row, rows: embedded.map((one) => one.row), vectors })
}

export async function getCached(
  statements: Statements,
  model: string,
  texts: readonly string[],
): Promise<(Float32Array | null)[]> {
  const hashes = texts.map(hashText)
  const known = new Map(
    (await statements.all(SQL.cached, { model, hashes })).map(({ hash, vector }) => [
      toHex(hash as Uint8Array),
      // A copy: the bytes may lie at an odd address.
      new Float32Array(Uint8Array.from(vector as Uint8Array).buffer),
    ]),
  )
  return hashes.map((hash) => known.get(toHex(hash)) ?? null)
}

export async function storeCached(
  statements: Statements,
  model: string,
  made: readonly { readonly text: string; readonly vector: Float32Array }[],
): Promise<void> {
  await statements.run(SQL.cache, {
    model,
    hashes: made.map(({ text }) => hashText(text)),
    vectors: made.map(({ vector: { buffer, byteOffset, byteLength } }) => {
      return new Uint8Array(buffer, byteOffset, byteLength)
    }),
  })
  await statements.run(SQL.boundCache)
}

export function toNear(row: Row): NearRecord {
  return {
    id: row.id as RecordId,
    similarity: clampCosine(Number(row.similarity)),
    chunk: { index: Number(row.ordinal), start: Number(row.start), end: Number(row.end) },
    isSuperseded: false,
  }
}

/** Rounded numbers may add up to a little more than 1. */
export function clampCosine(number: number): number {
  return Math.min(1, Math.max(-1, number))
}

function hashText(text: string): Uint8Array {
  return createHash('sha256').update(toStorableText(text)).digest()
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
