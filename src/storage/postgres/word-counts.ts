/** Counts in how many records words and phrases are found, which makes their idf; remembers what it counted. */

import { idfOf } from '../bm25.js'
import { joinQueries, OWN_MASK, type SoughtLeaf } from './match.js'
import type { Row, Statements } from './statements.js'
import { HAS_NEIGHBOURS } from './words-index.js'

/** From so many records on, counts may be a little old. */
export const MANY_RECORDS = 50_000
/** And from so many on, frequent words are estimated from the statistics of the planner: of 100,000, a sample orders equals anew. */
const ESTIMATED_RECORDS = 200_000
/** Counts from this on change little with every write. */
const MANY_MATCHES = 1000
const STALE_MS = 60_000
/** Phrases of frequent words are looked for in every sixteenth record. */
const SAMPLE = 16
const MAX_CACHED = 20_000

/** Where one namespace is all that counts, it alone is counted. */
const WITHIN = ' AND w.namespace = :namespace'

const SQL = {
  /**
   * The number of records only where another version is known. The planner does not know what it costs to read a lexeme of every
   * row, nor that the statements to come are too short to be compiled.
   */
  state: (
    within: string,
  ) => `SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), v.version, CASE WHEN v.version <> :known::bigint
        THEN (SELECT count(*) FROM words w WHERE w.part = 0${within}) END AS records,
      EXISTS (SELECT 1 FROM meta WHERE key = '${HAS_NEIGHBOURS}') AS "hasNeighbours"
    FROM (SELECT coalesce(sum(version), 0)::bigint AS version FROM versions) v`,
  frequent: `SELECT most_common_elems::text::text[] AS lexemes, most_common_elem_freqs AS shares FROM pg_stats
    WHERE schemaname = current_schema() AND tablename = 'words' AND attname = 'lexemes'`,
  /** `sample` is null where every record is looked at; a CASE keeps the index from comparing all phrases. */
  count: (within: string) => `SELECT
      CASE WHEN q.sample IS NULL THEN
        (SELECT count(*) FROM words w WHERE w.is_whole AND w.lexemes @@ q.query::tsquery${within})
      ELSE ${SAMPLE} * (SELECT count(*) FROM words w WHERE w.is_whole AND w.lexemes @@ q.sample::tsquery
        AND CASE WHEN w.record % ${SAMPLE} = 0 THEN w.lexemes @@ q.query::tsquery END${within}) END
      + (SELECT count(DISTINCT w.record) FROM words w WHERE NOT w.is_whole AND w.lexemes @@ q.query::tsquery${within})
    FROM unnest(:queries::text[], :samples::text[]) WITH ORDINALITY q (query, sample, i) ORDER BY i`,
} as const

type Counted = Pick<SoughtLeaf, 'query' | 'terms' | 'lastIsPrefix' | 'columns'>
type State = { readonly version: number; readonly records: number }
type Entry = { readonly count: number; readonly version: number; readonly atMs: number }

export type WordCounts = ReturnType<typeof createWordCounts>

export function createWordCounts() {
  const entries = new Map<string, Entry>()
  const states = new WeakMap<Statements, Map<string | null, Promise<State>>>()
  let frequent: { readonly shares: ReadonlyMap<string, number>; readonly atMs: number } | null =
    null

  let hasNeighbours = false

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
    hasNeighbours = state?.hasNeighbours === true
    if (before !== undefined && state?.records === null) return { version, records: before.count }
    const records = Number(state?.records)
    keep(key, version, records)
    return { version, records }
  }

  /** The version of the snapshot, and the number of records in it: read once for the statements of a snapshot. */
  const readState = (statements: Statements, namespace: string | null): Promise<State> => {
    const known = states.get(statements) ?? new Map<string | null, Promise<State>>()
    states.set(statements, known)
    const state = known.get(namespace) ?? readStateNow(statements, namespace)
    known.set(namespace, state)
    return state
  }

  const readFrequent = async (statements: Statements): Promise<ReadonlyMap<string, number>> => {
    if (frequent !== null && performance.now() - frequent.atMs < STALE_MS) return frequent.shares
    const [found] = await statements.all(SQL.frequent)
    frequent = { shares: readShares(found), atMs: performance.now() }
    return frequent.shares
  }

  return {
    readState,
    /** Whether any text was indexed with its neighbours, as of the last search. */
    hasNeighbours: (): boolean => hasNeighbours,

    /** In how many records each is found, of how many. */
    async count(statements: Statements, namespace: string | null, sought: readonly Counted[]) {
      const keys = sought.map(({ query }) => JSON.stringify([namespace, query]))
      const isLarge = (records: number): boolean =>
        records >= ESTIMATED_RECORDS && namespace === null
      const estimate = (one: Counted, records: number): number | null => {
        const share = isLarge(records) && frequent !== null && findShare(one, frequent.shares)
        return typeof share === 'number' ? Math.round(share * records) : null
      }
      const countNow = (missing: readonly Counted[], records: number): Promise<unknown[]> => {
        const shares = isLarge(records) ? (frequent?.shares ?? null) : null
        return statements.column(SQL.count(namespace === null ? '' : WITHIN), {
          ...(namespace === null ? {} : { namespace }),
          queries: missing.map(({ query }) => query),
          samples: missing.map((one) => shares && chooseSample(one, records, shares)),
        })
      }
      // What was never counted is counted while the version is read.
      const before = entries.get(nameState(namespace))?.count ?? null
      const isKnown = before !== null && (!isLarge(before) || frequent !== null)
      const fresh = isKnown
        ? sought.filter((one, i) => !entries.has(keys[i] ?? '') && estimate(one, before) === null)
        : []
      const [{ version, records }, counted] = await Promise.all([
        readState(statements, namespace),
        fresh.length === 0 ? [] : countNow(fresh, before ?? 0),
      ])
      const found = new Map(fresh.map((one, i) => [one, Number(counted[i])]))
      const counts = keys.map((key, i) => {
        return found.get(sought[i] as Counted) ?? read(key, version, MANY_MATCHES)
      })
      if (isLarge(records) && counts.includes(null)) await readFrequent(statements)
      for (const [i, one] of sought.entries()) counts[i] ??= estimate(one, records)
      const missing = sought.filter((_, i) => counts[i] === null)
      if (missing.length > 0) {
        const more = await countNow(missing, records)
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

function readShares(row: Row | undefined): ReadonlyMap<string, number> {
  const lexemes = (row?.lexemes ?? []) as readonly string[]
  const shares = (row?.shares ?? []) as readonly number[]
  return new Map(lexemes.map((lexeme, i) => [lexeme, Number(shares[i])]))
}

/** The share of records that hold a word, if the planner knows it. */
function findShare(
  { terms, lastIsPrefix, columns }: Counted,
  shares: ReadonlyMap<string, number>,
): number | null {
  const [only, another] = terms
  if (only === undefined || another !== undefined || lastIsPrefix) return null
  return (columns & OWN_MASK) === OWN_MASK ? (shares.get(only) ?? null) : null
}

/** All words of a phrase as a query, where each of them is frequent. */
function chooseSample(
  { terms, lastIsPrefix }: Counted,
  records: number,
  shares: ReadonlyMap<string, number>,
): string | null {
  if (terms.length < 2 || lastIsPrefix) return null
  const isFrequent = terms.every((term) => (shares.get(term) ?? 0) * records > 4 * MANY_MATCHES)
  return isFrequent
    ? joinQueries(
        terms.map((term) => `'${term.replaceAll("'", '')}'`),
        '&',
      )
    : null
}
