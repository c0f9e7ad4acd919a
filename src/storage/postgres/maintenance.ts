/** Checks a schema, derives everything again that follows from the records, and optimizes tables and indexes. */

import type { Check, OptimizeOutcome } from '../storage.js'
import { readEveryTurn, refreshContexts } from './context.js'
import { foldSql } from './filter.js'
import { SCHEMA_VERSION } from './migrate.js'
import type { Runners } from './runner.js'
import type { Statements } from './statements.js'
import { countBytes } from './statistics.js'
import { keepVectorIndexes } from './vectors-index.js'
import { keepWordCounts } from './word-counts.js'
import { forgetTerms, indexRecords, indexRevisions } from './words-index.js'

/** `hashContent` of content-hash.ts over `records r`. */
const HASH = `sha256(convert_to(concat_ws(E'\\n', r.kind, coalesce(r.title, ''), r.body,
  CASE WHEN r.session_id IS NOT NULL THEN r.session_id || E'\\n' || coalesce(r.occurred_at::text, '') END), 'UTF8'))`
const WANTED_TAGS = `SELECT DISTINCT r.namespace, ${foldSql('tag')} AS tag, r.row AS record
  FROM records r, unnest(r.tags) tag`
const IS_GONE = (column: string) =>
  `${column} IS NOT NULL AND NOT EXISTS (SELECT FROM records r WHERE r.row = ${column})`
const OF = (alias: string) => `${alias}.namespace = r.namespace AND ${alias}.record = r.row`
const ACTIVE = `EXISTS (SELECT FROM embedded e JOIN models m ON m.row = e.model AND m.state = 'active' WHERE ${OF('e')})`
const HAS_WRONG_SIZE = (vector: string) =>
  `${vector} IS NOT NULL AND vector_dims(${vector}) <> m.dimensions`

/** References that may lead to another namespace, which no foreign key can check. */
const ORPHANS = [
  ['links l', IS_GONE('l.target')],
  ['revisions v', IS_GONE('v.successor')],
  ['imports i', IS_GONE('i.record')],
  ['session_records u', 'NOT EXISTS (SELECT FROM sessions s WHERE s.row = u.session)'],
  ['recalls c', 'NOT EXISTS (SELECT FROM recalled_queries q WHERE q.row = c.query)'],
  ['recalls c', 'c.fact IS NOT NULL AND NOT EXISTS (SELECT FROM facts f WHERE f.row = c.fact)'],
] as const
const MEND_ORPHANS = [
  `DELETE FROM links l WHERE l.target_ref IS NULL AND ${ORPHANS[0][1]}`,
  `UPDATE links l SET target = NULL WHERE ${ORPHANS[0][1]}`,
  `UPDATE revisions v SET successor = NULL WHERE ${ORPHANS[1][1]}`,
  ...ORPHANS.slice(2).map(([table, condition]) => `DELETE FROM ${table} WHERE ${condition}`),
]

const WRONG_VECTORS = {
  chunks: `FROM chunks c JOIN models m ON m.row = c.model WHERE ${HAS_WRONG_SIZE('c.vector')}`,
  wholes: `FROM embedded e JOIN models m ON m.row = e.model WHERE ${HAS_WRONG_SIZE('e.whole')}`,
  past: `FROM revisions v JOIN models m ON m.row = v.model WHERE ${HAS_WRONG_SIZE('v.vector')}`,
  incomplete: `FROM embedded e WHERE e.chunks <> (SELECT count(*) FROM chunks c
    WHERE c.namespace = e.namespace AND c.record = e.record AND c.model = e.model)`,
  unknown: 'FROM embedded e WHERE NOT EXISTS (SELECT FROM models m WHERE m.row = e.model)',
  notWaiting: `FROM records r WHERE r.present AND NOT ${ACTIVE}
    AND NOT EXISTS (SELECT FROM waiting w WHERE ${OF('w')})`,
} as const

/** Without those that someone is making now. */
const INCOMPLETE_INDEXES = `pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid
    AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)`

/** What can be wrong, and how it is counted. */
type Faults = Readonly<Record<string, string>>

const BROKEN = ORPHANS.map(([table, condition]) => `SELECT 1 FROM ${table} WHERE ${condition}`)
const CHECKS: Readonly<Record<string, Faults>> = {
  indexes: { 'indexes are not complete': `FROM ${INCOMPLETE_INDEXES}` },
  foreignKeys: { 'references lead to nothing': `FROM (${BROKEN.join(' UNION ALL ')}) o` },
  counts: {
    'records are not indexed': `FROM records r
      WHERE r.present AND NOT EXISTS (SELECT FROM words w WHERE ${OF('w')})`,
    'hidden records are indexed': `FROM (SELECT DISTINCT w.namespace, w.record FROM words w) w
      WHERE NOT EXISTS (SELECT FROM records r WHERE r.present AND ${OF('w')})`,
  },
  past: {
    'earlier states are not indexed': `FROM revisions v
      WHERE NOT EXISTS (SELECT FROM past_words w WHERE w.namespace = v.namespace AND w.revision = v.row)`,
  },
  vectors: {
    'passages have vectors of another length': WRONG_VECTORS.chunks,
    'records have vectors of another length': WRONG_VECTORS.wholes,
    'earlier states have vectors of another length': WRONG_VECTORS.past,
    'records have changed or missing vectors': WRONG_VECTORS.incomplete,
    'records have vectors of an unknown model': WRONG_VECTORS.unknown,
    'records have no vectors and are not pending': WRONG_VECTORS.notWaiting,
  },
  tags: {
    'tags are missing or left over': `FROM (
      (${WANTED_TAGS} EXCEPT SELECT namespace, tag, record FROM record_tags)
      UNION ALL (SELECT namespace, tag, record FROM record_tags EXCEPT ${WANTED_TAGS})) t`,
  },
  hashes: {
    'records have the hash of another text': `FROM records r WHERE r.content_hash <> ${HASH}`,
  },
}

const SQL = {
  version: `SELECT value FROM meta WHERE key = 'schemaVersion'`,
  hashes: `UPDATE records r SET content_hash = ${HASH} WHERE r.content_hash <> ${HASH}`,
  emptyTags: 'DELETE FROM record_tags',
  fillTags: `INSERT INTO record_tags (namespace, tag, record) ${WANTED_TAGS}`,
  rows: 'SELECT row FROM records WHERE row > :after ORDER BY row LIMIT 2000',
  revisions: 'SELECT row FROM revisions WHERE row > :after ORDER BY row LIMIT 2000',
  hiddenContexts: 'UPDATE records SET context = NULL WHERE context IS NOT NULL AND NOT present',
  hiddenWords: `DELETE FROM words w WHERE NOT EXISTS (SELECT FROM records r WHERE r.present AND ${OF('w')})`,
  /** First what is wrong, and all of the model `:stale`. */
  forgetVectors: [
    `DELETE FROM embedded e USING models m WHERE m.row = e.model AND (m.id = :stale::text
      OR ${HAS_WRONG_SIZE('e.whole')} OR EXISTS (SELECT FROM chunks c
        WHERE c.namespace = e.namespace AND c.record = e.record AND c.model = e.model AND ${HAS_WRONG_SIZE('c.vector')}))`,
    `DELETE ${WRONG_VECTORS.incomplete}`,
    `DELETE ${WRONG_VECTORS.unknown}`,
    `DELETE FROM chunks c WHERE NOT EXISTS (SELECT FROM embedded e
      WHERE e.namespace = c.namespace AND e.record = c.record AND e.model = c.model)`,
    `UPDATE revisions v SET model = NULL, vector = NULL FROM models m
      WHERE m.row = v.model AND (m.id = :stale::text OR ${HAS_WRONG_SIZE('v.vector')})`,
    `INSERT INTO waiting (namespace, record) SELECT r.namespace, r.row FROM records r
      WHERE NOT ${ACTIVE} ON CONFLICT DO NOTHING`,
  ],
  incomplete: `SELECT i.indexrelid::regclass::text FROM ${INCOMPLETE_INDEXES}`,
  tables: `SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  /** What was added since the index was last merged is searched through at every search. */
  mergeWords: `SELECT gin_clean_pending_list(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin' WHERE c.relnamespace = current_schema()::regnamespace`,
} as const

/** Each check is one statement in a transaction of its own: it sees one snapshot, whatever the others found. */
export async function checkSchema({ run }: Pick<Runners, 'run'>): Promise<Check[]> {
  const checkFormat = async (statements: Statements): Promise<string> => {
    const version = Number(await statements.value(SQL.version))
    return version === SCHEMA_VERSION ? '' : `the schema has version ${version}`
  }
  const found = [await runCheck('format', () => run(checkFormat))]
  for (const [name, faults] of Object.entries(CHECKS)) {
    found.push(await runCheck(name, () => run((statements) => describeFaults(statements, faults))))
  }
  return found
}

async function runCheck(name: string, look: () => Promise<string>): Promise<Check> {
  const detail = await look().catch((error: Error) => error.message)
  return { name, ok: detail === '', detail }
}

async function describeFaults(statements: Statements, faults: Faults): Promise<string> {
  const counts = Object.values(faults).map((from, i) => `(SELECT count(*) ${from}) AS n${i}`)
  const [row = {}] = await statements.all(`SELECT ${counts.join(', ')}`)
  const found = Object.keys(faults).map((what, i) => [Number(row[`n${i}`]), what] as const)
  return found.flatMap(([n, what]) => (n === 0 ? [] : [`${n} ${what}`])).join(', ')
}

/** Inside a transaction. Vectors that are wrong are forgotten, and all of the model `stale`: their records wait. */
export async function rebuildDerived(statements: Statements, stale: string | null): Promise<void> {
  for (const sql of [...MEND_ORPHANS, SQL.hashes, SQL.emptyTags, SQL.fillTags]) {
    await statements.run(sql)
  }
  await statements.run(SQL.hiddenContexts)
  await refreshContexts(statements, await readEveryTurn(statements))
  await statements.run(SQL.hiddenWords)
  await forEachPage(statements, SQL.rows, (rows) => indexRecords(statements, rows))
  await forEachPage(statements, SQL.revisions, (rows) => indexRevisions(statements, rows))
  await forgetTerms(statements)
  for (const sql of SQL.forgetVectors) await statements.run(sql, { stale })
}

async function forEachPage(
  statements: Statements,
  sql: string,
  work: (rows: readonly number[]) => Promise<void>,
): Promise<void> {
  for (let after = -1; ; ) {
    const rows = (await statements.column(sql, { after })) as number[]
    if (rows.length === 0) return
    await work(rows)
    after = rows.at(-1) as number
  }
}

/**
 * Outside of a transaction: others read and write meanwhile. A vacuum makes the space of removed rows free for new ones; to give
 * it back to the disk (VACUUM FULL) would lock everyone out and build every index again.
 */
export async function optimizeSchema(
  statements: Statements,
  vacuum: boolean,
): Promise<OptimizeOutcome> {
  const bytesBefore = await countBytes(statements)
  await mendIndexes(statements)
  await statements.all(SQL.mergeWords)
  await patiently(statements, async () => {
    for (const table of await statements.column(SQL.tables)) {
      await statements.run(`${vacuum ? 'VACUUM (ANALYZE)' : 'ANALYZE'} ${table}`)
    }
    await keepWordCounts(statements)
  })
  return { bytesBefore, bytesAfter: await countBytes(statements) }
}

/** Outside of a transaction: makes the indexes of vectors that are due, and those again whose making was interrupted. */
export async function mendIndexes(statements: Statements): Promise<void> {
  await keepVectorIndexes(statements)
  await patiently(statements, async () => {
    for (const index of await statements.column(SQL.incomplete)) {
      await statements.run(`REINDEX INDEX CONCURRENTLY ${index}`)
    }
  })
}

/** Maintenance waits for others, however long they take. */
async function patiently(statements: Statements, work: () => Promise<void>): Promise<void> {
  await statements.all(
    `SELECT set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)`,
  )
  try {
    await work()
  } finally {
    for (const sql of ['RESET lock_timeout', 'RESET statement_timeout']) await statements.run(sql)
  }
}
