/** Counts in how many records words and phrases are found, which makes their idf; remembers what it counted. */

import { idfOf, OWN_COLUMNS } from '../bm25.js'
import { queryTerm, type SoughtLeaf } from './match.js'
import { readOnce } from './read-ahead.js'
import type { Statements } from './statements.js'
import { HAS_NEIGHBOURS } from './words-index.js'

/** From so many records on, counts may be a little old, and those of frequent words are kept in a table. */
export const MANY_RECORDS = 50_000
/** Counts from this on change little with every write. */
const MANY_MATCHES = 1000
const STALE_MS = 60_000
/** Words of more than this share of the records are counted beforehand. */
const FREQUENT_SHARE = 1 / 200
/** The counts are used while fewer than this share of the records have been written since. */
const CHANGED_SHARE = 1 / 100
/** Phrases of words that so many records have are looked for in every fourth record. */
const SAMPLED_MATCHES = 20_000
const SAMPLE = 4
const MAX_CACHED = 20_000

/** Where one namespace is all that counts, it alone is counted. */
const WITHIN = ' AND w.namespace = :namespace'

/** Rows that were written to the index of words, ever. */
const CHANGES = `(pg_stat_get_tuples_inserted('words'::regclass) + pg_stat_get_tuples_deleted('words'::regclass))`
/** The kept count of a query, or of all records (''), unless it is too old. */
const kept = (
  query: string,
) => `(SELECT k.records FROM word_counts k JOIN word_counts n ON n.query = ''
    AND abs(${CHANGES} - n.changes) <= ${CHANGED_SHARE} * n.records WHERE k.query = ${query} AND k.changes = n.changes)`
/** Of any words: those of short texts, and those of long ones. */
const counted = (
  query: string,
  within: string,
) => `(SELECT count(*) FROM words w WHERE w.is_whole AND w.lexemes @@ ${query}::tsquery${within})
      + (SELECT count(DISTINCT w.record) FROM words w WHERE NOT w.is_whole AND w.lexemes @@ ${query}::tsquery${within})`

const SQL = {
  /**
   * The number of records only where another version is known. The planner does not know what it costs to read a lexeme of every
   * row, nor that the statements to come are too short to be compiled.
   */
  state: (
    within: string,
  ) => `SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), v.version, CASE WHEN v.version <> :known::bigint
        THEN coalesce(${within === '' ? kept("''") : 'NULL'}, (SELECT count(*) FROM words w WHERE w.part = 0${within})) END AS records,
      EXISTS (SELECT 1 FROM meta WHERE key = '${HAS_NEIGHBOURS}') AS "hasNeighbours"
    FROM (SELECT coalesce(sum(version), 0)::bigint AS version FROM versions) v`,
  /** A CASE keeps the index from comparing all phrases. */
  count: `SELECT coalesce(${kept('q.query')}, CASE WHEN q.words IS NULL OR (SELECT count(*) FROM word_counts k
        WHERE k.query = ANY (string_to_array(q.words, ' ')) AND k.records >= ${SAMPLED_MATCHES}) < cardinality(string_to_array(q.words, ' '))
      THEN ${counted('q.query', '')}
      ELSE ${SAMPLE} * (SELECT count(*) FROM words w WHERE w.is_whole AND w.lexemes @@ replace(q.words, ' ', '&')::tsquery
          AND CASE WHEN w.record % ${SAMPLE} = 0 THEN w.lexemes @@ q.query::tsquery END)
        + (SELECT count(DISTINCT w.record) FROM words w WHERE NOT w.is_whole AND w.lexemes @@ q.query::tsquery) END)
    FROM unnest(:queries::text[], :words::text[]) WITH ORDINALITY q (query, words, i) ORDER BY i`,
  countWithin: `SELECT ${counted('q.query', WITHIN)}
    FROM unnest(:queries::text[], :words::text[]) WITH ORDINALITY q (query, words, i) ORDER BY i`,
  isDue: `SELECT (SELECT reltuples FROM pg_class WHERE oid = 'words'::regclass) >= :least::bigint AND ${kept("''")} IS NULL`,
  /** Without a vacuum, every row that is counted is read. */
  vacuum: 'VACUUM (ANALYZE) words',
  frequent: `SELECT lexeme FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) one (lexeme, share)
    WHERE schemaname = current_schema() AND tablename = 'words' AND attname = 'lexemes' AND share >= ${FREQUENT_SHARE}
      AND lexeme NOT LIKE '/%'`,
  keep: `INSERT INTO word_counts (query, records, changes)
    SELECT q, CASE WHEN q = '' THEN (SELECT count(*) FROM words w WHERE w.part = 0) ELSE ${counted('q', '')} END, ${CHANGES}
    FROM unnest(:queries::text[]) q
    ON CONFLICT (query) DO UPDATE SET records = excluded.records, changes = excluded.changes`,
  forget: 'DELETE FROM word_counts WHERE query <> ALL (:queries::text[])',
} as const

/** Counts frequent words where too much was written since. Outside of a transaction. */
export async function keepWordCounts(statements: Statements, least = MANY_RECORDS): Promise<void> {
  if ((await statements.value(SQL.isDue, { least })) !== true) return
  await statements.run(SQL.vacuum)
  const frequent = (await statements.column(SQL.frequent)).map(String)
  const forms = frequent.flatMap((term) => [queryTerm(term), queryTerm(term, OWN_COLUMNS)])
  const queries = ['', ...new Set(forms)]
  await statements.run(SQL.keep, { queries })
  await statements.run(SQL.forget, { queries })
}

type Counted = Pick<SoughtLeaf, 'query' | 'terms' | 'lastIsPrefix'>
type State = { readonly version: number; readonly records: number }
type Entry = { readonly count: number; readonly version: number; readonly atMs: number }

export type WordCounts = ReturnType<typeof createWordCounts>

export function createWordCounts() {
  const entries = new Map<string, Entry>()
  let hasNeighbours = false
  let latest = -1

  const read = (key: string, version: number, many: number): number | null => {
    const entry = entries.get(key)
    if (entry === undefined) return null
    const isOld = entry.version !== version
    if (isOld && (entry.count < many || performance.now() - entry.atMs > STALE_MS)) return null
    return entry.count
  }
  const keep = (key: string, version: number, count: number): void => {
    if (entries.size >= MAX_CACHED) entries.clear()
    entries.set(key, { count, version, atMs: performance.now() })
  }

  const readStateNow = async (statements: Statements, namespace: string | null): Promise<State> => {
    const key = nameState(namespace)
    const before = entries.get(key)
    const isRecent = before !== undefined && read(key, -1, MANY_RECORDS) !== null
    const values = {
      known: isRecent ? null : (before?.version ?? -1),
      ...(namespace === null ? {} : { namespace }),
    }
    const [state] = await statements.all(SQL.state(namespace === null ? '' : WITHIN), values)
    const version = Number(state?.version)
    latest = version
    hasNeighbours = state?.hasNeighbours === true
    if (before !== undefined && state?.records === null) return { version, records: before.count }
    const records = Number(state?.records)
    keep(key, version, records)
    return { version, records }
  }

  /** The version of the snapshot, and the number of records in it: read once for the statements of a snapshot. */
  const readState = (statements: Statements, namespace: string | null): Promise<State> =>
    readOnce(statements, nameState(namespace), () => readStateNow(statements, namespace))

  return {
    readState,
    /** The version that the next search will probably see. */
    noteVersion(version: string): void {
      latest = Number(version)
    },
    /** Whether any text was indexed with its neighbours, as of the last search. */
    hasNeighbours: (): boolean => hasNeighbours,

    /** In how many records each is found, of how many. */
    async count(statements: Statements, namespace: string | null, sought: readonly Counted[]) {
      const keys = sought.map(({ query }) => JSON.stringify([namespace, query]))
      const countNow = (missing: readonly Counted[]): Promise<unknown[]> =>
        statements.column(namespace === null ? SQL.count : SQL.countWithin, {
          ...(namespace === null ? {} : { namespace }),
          queries: missing.map(({ query }) => query),
          words: missing.map(listWords),
        })
      // What is not known of the latest version is counted while the version is read.
      const fresh = sought.filter((_, i) => read(keys[i] ?? '', latest, MANY_MATCHES) === null)
      const [{ version, records }, counted] = await Promise.all([
        readState(statements, namespace),
        fresh.length === 0 ? [] : countNow(fresh),
      ])
      const found = new Map(fresh.map((one, i) => [one, Number(counted[i])]))
      const counts = keys.map((key, i) => {
        return found.get(sought[i] as Counted) ?? read(key, version, MANY_MATCHES)
      })
      const missing = sought.filter((_, i) => counts[i] === null)
      if (missing.length > 0) {
        const more = await countNow(missing)
        for (const [i, one] of missing.entries()) found.set(one, Number(more[i]))
      }
      for (const [i, one] of sought.entries()) {
        const count = found.get(one)
        if (count === undefined) continue
        counts[i] = count
        keep(keys[i] ?? '', version, count)
      }
      return { records, counts: counts.map((count) => count ?? 0) }
    },

    async weigh(statements: Statements, namespace: string | null, sought: readonly Counted[]) {
      const { records, counts } = await this.count(statements, namespace, sought)
      return { records, counts, idf: counts.map((count) => idfOf(records, count)) }
    },
  }
}

function nameState(namespace: string | null): string {
  return `records ${namespace ?? ''}`
}

/** The words of a phrase as queries; null for anything else. */
function listWords({ terms, lastIsPrefix }: Counted): string | null {
  if (terms.length < 2 || lastIsPrefix) return null
  return terms.map((term) => queryTerm(term, OWN_COLUMNS)).join(' ')
}
