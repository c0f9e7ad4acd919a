/** Gathers the candidates of a hybrid search and scores each of them by words and by vectors, in few round trips. */

import type { RecordId } from '../../core/ids.js'
import type { Node } from '../../query/tree.js'
import { addPast, joinPresent, type NearState, NO_WORDS, NOTHING_GATHERED } from '../gathered.js'
import type {
  CandidateFacts,
  FactTimes,
  Gathered,
  GatheredRecord,
  GatherRequest,
} from '../search.js'
import type { NearRecord, NearSearch } from '../vectors.js'
import { compileFilter, HELD, heldAt } from './filter.js'
import { formatVector } from './halfvec.js'
import { PAST, PRESENT, restrictByWords } from './match.js'
import { findPastWords, NO_MATCHES, type PastMatches } from './past-search.js'
import { compilePast, isSupersededSql } from './past-sql.js'
import { expectSuccessors } from './revisions.js'
import { effectiveConfidenceSql } from './salience-sql.js'
import { type Condition, joinConditions, type Row, type Statements } from './statements.js'
import type { ModelRow } from './vectors-models.js'
import { findNearest } from './vectors-nearest.js'
import { clampCosine, toNear } from './vectors-table.js'
import type { WordSearch } from './word-search.js'

const FACTS = `r.id, r.created_at AS "createdAtMs", coalesce(r.accessed_at, r.created_at) AS "accessedAtMs",
  r.salience, r.importance, r.sector,
  coalesce((SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}), 1) AS confidence`

const SQL = {
  compare: `SELECT r.row, ${FACTS}, c.ordinal, c."start", c."end", c.similarity,
      -(e.whole <#> :vector::halfvec) AS whole,
      (SELECT max(w.text_words) FROM words w WHERE w.namespace = r.namespace AND w.record = r.row) AS words
    FROM unnest(:rows::bigint[]) AS wanted (row) JOIN records r ON r.row = wanted.row
    LEFT JOIN LATERAL (SELECT c.ordinal, c."start", c."end", -(c.vector <#> :vector::halfvec) AS similarity
      FROM chunks c WHERE c.namespace = r.namespace AND c.record = r.row AND c.model = :model
      ORDER BY similarity DESC, c.ordinal LIMIT 1) c ON true
    LEFT JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row AND e.model = :model`,
  present: `SELECT r.row AS key, ${FACTS} FROM unnest(:keys::bigint[]) AS wanted (row)
    JOIN records r ON r.row = wanted.row AND r.present`,
  past: `SELECT r.revision AS key, ${FACTS} FROM unnest(:keys::bigint[]) AS wanted (row)
    JOIN past r ON r.revision = wanted.row`,
  pastNear: (
    condition: string,
    isSuperseded: string,
  ) => `SELECT r.revision, r.row AS record, r.id, ${isSuperseded} AS "isSuperseded",
      -(r.vector <#> :vector::halfvec) AS similarity,
      (SELECT max(w.text_words) FROM past_words w WHERE w.revision = r.revision) AS words
    FROM past r WHERE r.model = :model AND r.vector IS NOT NULL AND ${condition}`,
} as const

/** What was read of the candidates, so that it is not read again in the same snapshot. */
export type SeenCandidates = Pick<GatherRequest, 'vector' | 'times'> & {
  readonly facts: ReadonlyMap<number, CandidateFacts>
  /** By revision. */
  readonly pastFacts: ReadonlyMap<number, CandidateFacts>
  /** Null for a record without vectors. */
  readonly chunks: ReadonlyMap<RecordId, NearRecord | null>
}

/** Null where one of them has not been read. */
export function recallFacts(
  seen: SeenCandidates | undefined,
  candidates: readonly GatheredRecord[],
  { asOfMs, atMs }: FactTimes,
): CandidateFacts[] | null {
  if (seen?.times.asOfMs !== asOfMs || seen?.times.atMs !== atMs) return null
  const facts = candidates.flatMap(
    ({ key, isPast }) => (isPast ? seen.pastFacts : seen.facts).get(key) ?? [],
  )
  return facts.length === candidates.length ? facts : null
}

/** Null where one of them has not been read. */
export function recallChunks(
  seen: SeenCandidates | undefined,
  vector: Float32Array,
  ids: readonly RecordId[],
): NearRecord[] | null {
  if (seen?.vector !== vector || !ids.every((id) => seen.chunks.has(id))) return null
  return ids.flatMap((id) => seen.chunks.get(id) ?? [])
}

type SearchParts = { readonly words: WordSearch; readonly model: ModelRow }
export type GatherParts = SearchParts & {
  /** The nearest, where they are known. */
  readonly near: readonly number[] | null
  readonly noteNear: (rows: readonly number[]) => void
}

export async function gatherCandidates(
  statements: Statements,
  { words, model, near: known, noteNear }: GatherParts,
  request: GatherRequest,
): Promise<{ readonly gathered: Gathered; readonly seen: SeenCandidates }> {
  const { pairs, vector, limits, floor } = request
  const startMs = performance.now()
  let vectorsMs = 0
  const findNear = async (): Promise<readonly number[]> => {
    if (known !== null) return known
    const condition = compileNear(request.near)
    const search = { vector, limit: limits.near, minSimilarity: floor, condition }
    const rows = (await findNearest(statements, model, search)).map(({ row }) => row)
    vectorsMs = performance.now() - startMs
    noteNear(rows)
    return rows
  }
  const [near, found, past] = await Promise.all([
    findNear(),
    // Those that vectors find as well are scored besides.
    request.words &&
      words.findWords(statements, {
        words: request.words,
        pairs,
        limit: limits.words + limits.near,
      }),
    findPast(statements, { words, model }, request),
  ])
  const isFound = found === null || found.best.length > 0 || (past?.byWords.total ?? 0) > 0
  const { times } = request
  const none = new Map()
  const nothing = { vector, times, facts: none, pastFacts: none, chunks: none }
  // Nothing has these words: the next step will be taken.
  if (!isFound && request.words?.next?.length) return { gathered: NOTHING_GATHERED, seen: nothing }
  const pastStates = past === null ? [] : [...past.byWords.matches, ...past.near]
  const comparedMs = performance.now()
  const compare = async () => {
    const pastRows = pastStates.map(({ record }) => record ?? 0)
    const rows = [...new Set([...(found?.best ?? []).map(({ row }) => row), ...near, ...pastRows])]
    if (rows.length === 0) return []
    const values = { rows, model: model.row, vector: formatVector(vector) }
    const compared = await statements.all(SQL.compare, { ...values, ...bindTimes(request.times) })
    vectorsMs += performance.now() - comparedMs
    return compared
  }
  const replaced = pastStates.filter(({ isSuperseded }) => isSuperseded).map(({ id }) => id)
  expectSuccessors(statements, replaced, heldAt({ asOfMs: times.asOfMs }))
  const [byWords, compared, pastFacts] = await Promise.all([
    found && words.scoreWords(statements, found, { limit: limits.words, also: near }),
    compare(),
    readFacts(statements, SQL.past, { keys: pastStates.map(({ revision }) => revision), times }),
  ])
  const present = joinPresent({
    byWords: byWords ? { ...byWords, rankedBy: 'sql' } : NO_WORDS,
    near,
    limit: limits.near,
    compared: new Map(compared.map((row) => [Number(row.row), toCompared(row)])),
    vectorsMs,
  })
  return {
    gathered: past === null ? present : addPast(present, past, past.words),
    seen: {
      vector,
      times,
      pastFacts,
      facts: new Map(compared.map((row) => [Number(row.row), row as unknown as CandidateFacts])),
      chunks: new Map(
        compared.map((row) => [row.id as RecordId, row.ordinal === null ? null : toNear(row)]),
      ),
    },
  }
}

/** Null where every record may be found. */
export function compileNear({
  filter,
  exclude = [],
  ...words
}: GatherRequest['near'] & Partial<Pick<NearSearch, 'exclude'>>): Condition | null {
  const isOther = { sql: 'r.id <> ALL (:exclude::text[])', values: { exclude } }
  const condition = restrictByWords(compileFilter(filter), words, PRESENT)
  return exclude.length === 0 ? condition : joinConditions([condition, isOther])
}

type NearPast = NearState & { readonly words: number; readonly record: number }

/** All past states with a vector of this model that the filter includes, with their cosines, in no particular order. */
export async function findPastNear(
  statements: Statements,
  model: ModelRow,
  { vector, ...search }: GatherRequest['near'] & { readonly vector: Float32Array },
): Promise<NearPast[]> {
  const past = compilePast(search.filter)
  const condition = past && restrictByWords(past, search, PAST)
  if (condition === null) return []
  const sql = SQL.pastNear(condition.sql, isSupersededSql(search.filter))
  const values = { ...condition.values, model: model.row, vector: formatVector(vector) }
  return (await statements.all(sql, values)).map((row) => ({
    id: row.id as RecordId,
    record: Number(row.record),
    revision: Number(row.revision),
    isSuperseded: row.isSuperseded === true,
    similarity: clampCosine(Number(row.similarity)),
    words: Number(row.words ?? 0),
  }))
}

/** Null where the filter includes no past states. */
async function findPast(
  statements: Statements,
  { words, model }: SearchParts,
  { words: match, pairs, near: scope, vector, floor }: GatherRequest,
) {
  if (compilePast(scope.filter) === null) return null
  const findMatches = async (root: Node | null): Promise<PastMatches> =>
    match === null || root === null
      ? NO_MATCHES
      : findPastWords(statements, words, { ...match, root })
  const [byWords, inPairs, near] = await Promise.all([
    findMatches(match?.root ?? null),
    findMatches(pairs),
    findPastNear(statements, model, { ...scope, vector }),
  ])
  const counted = [...near, ...byWords.matches].map((one) => [one.revision, one.words] as const)
  return { byWords, inPairs, near, floor, words: new Map(counted) }
}

function toCompared({ similarity, whole, words }: Row) {
  const toCosine = (number: unknown) => (number === null ? null : clampCosine(Number(number)))
  return {
    similarity: toCosine(similarity),
    wholeSimilarity: toCosine(whole),
    words: Number(words ?? 0),
  }
}

function bindTimes({ asOfMs, atMs }: FactTimes) {
  return { heldMs: heldAt({ asOfMs }), nowMs: atMs }
}

async function readFacts(
  statements: Statements,
  sql: string,
  { keys, times }: { readonly keys: readonly number[]; readonly times: FactTimes },
): Promise<Map<number, CandidateFacts>> {
  const rows = keys.length === 0 ? [] : await statements.all(sql, { keys, ...bindTimes(times) })
  return new Map(rows.map((row) => [Number(row.key), row as unknown as CandidateFacts]))
}

/** In the order of the candidates; null for one that is gone. */
export async function describeCandidates(
  statements: Statements,
  candidates: readonly GatheredRecord[],
  times: FactTimes,
): Promise<(CandidateFacts | null)[]> {
  const read = (sql: string, isPast: boolean) => {
    const keys = candidates.filter((one) => one.isPast === isPast).map(({ key }) => key)
    return readFacts(statements, sql, { keys, times })
  }
  const [present, past] = await Promise.all([read(SQL.present, false), read(SQL.past, true)])
  return candidates.map(({ key, isPast }) => (isPast ? past : present).get(key) ?? null)
}
