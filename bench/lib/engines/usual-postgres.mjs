/** PostgreSQL as most guides show it: English words with a GIN index, vectors with HNSW, both fused by rank in one query. */

import { BATCH, batchesOf } from '../load.mjs'
import { DEPTH, LIMIT, toRows } from './engines.mjs'

const query = (
  filter,
) => `WITH q AS (SELECT replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery AS words),
  by_words AS (SELECT d.id, row_number() OVER (ORDER BY ts_rank_cd(d.words, q.words) DESC) AS place
    FROM docs d, q WHERE d.words @@ q.words ${filter} ORDER BY place LIMIT ${DEPTH}),
  by_vector AS (SELECT id, row_number() OVER () AS place FROM
    (SELECT id FROM docs d WHERE true ${filter} ORDER BY vector <=> $2::vector LIMIT ${DEPTH}) near)
  SELECT d.title, d.body FROM (SELECT id, sum(1.0 / (60 + place)) AS score
      FROM (SELECT * FROM by_words UNION ALL SELECT * FROM by_vector) found GROUP BY id
      ORDER BY score DESC LIMIT ${LIMIT}) best JOIN docs d USING (id) ORDER BY best.score DESC`
const SEARCH = query('')
const SEARCH_FILTERED = query('AND d.namespace = $3')

/** @param db runs statements: `exec` several without values, `query` one with values, which gives `{ rows }` */
export async function fillUsual(db, records, embedder) {
  await db.exec(`CREATE TABLE docs (id bigserial PRIMARY KEY, title text, body text NOT NULL, namespace text,
    vector vector(${embedder.model.dimensions}),
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(title, '') || ' ' || body)) STORED)`)
  for (const batch of batchesOf(records, BATCH)) {
    const rows = toRows(batch, embedder)
    await db.query(
      `INSERT INTO docs (title, body, namespace, vector)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]::vector[])`,
      [
        ...['title', 'body', 'namespace'].map((column) => rows.map((row) => row[column])),
        rows.map(({ vector }) => JSON.stringify([...vector])),
      ],
    )
  }
  await db.exec(`CREATE INDEX ON docs USING gin (words); CREATE INDEX ON docs (namespace);
    CREATE INDEX ON docs USING hnsw (vector vector_cosine_ops); ANALYZE docs`)
}

export async function openUsual(db, embedder) {
  await db.exec(`SET hnsw.ef_search = ${DEPTH}; SET hnsw.iterative_scan = strict_order`)
  return async (text, namespace) => {
    const vector = JSON.stringify([...embedder.embedSync([text])[0]])
    const isAll = namespace === undefined
    const values = [text, vector, ...(isAll ? [] : [namespace])]
    return (await db.query(isAll ? SEARCH : SEARCH_FILTERED, values)).rows
  }
}
