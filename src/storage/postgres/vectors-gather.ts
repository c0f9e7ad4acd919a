/** Gathers the candidates of a hybrid search and scores each of them by words and by vectors, in few round trips. */

import type { RecordId } from '../../core/ids.js'
import type { Node } from '../../query/tree.js'
import { quantiseVector } from '../../vectors/quantise.js'
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
import { decodeHalves, formatVector } from './halfvec.js'
import { PAST, PRESENT, restrictByWords } from './match.js'
import { findPastWords, NO_MATCHES, type PastMatches } from './past-search.js'
import { compilePast, isSupersededSql } from './past-sql.js'
import { FOUND_ROWS, isNowhere } from './rank.js'
import { readOnce } from './read-ahead.js'
import { expectSuccessors } from './revisions.js'
import { effectiveConfidenceSql } from './salience-sql.js'
import {
  type Condition,
  joinConditions,
  type Row,
  type Statements,
  type Values,
} from './statements.js'
import type { ModelRow } from './vectors-models.js'
import { findNearest } from './vectors-nearest.js'
import { clampCosine, toNear } from './vectors-table.js'
import type { FoundWords, WordSearch } from './word-search.js'

const FACTS = `r.id, r.created_at AS "createdAtMs", coalesce(r.accessed_at, r.created_at) AS "accessedAtMs",
  r.salience, r.importance, r.sector,
  coalesce((SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}), 1) AS confidence`

const SQL = {
  compare: (
    wanted: string,
  ) => `SELECT r.row, ${FACTS}, c.ordinal, c."start", c."end", c.similarity, c.vector,
      halfvec_send(e.whole) AS whole,
      (SELECT max(w.text_words) FROM words w WHERE w.namespace = r.namespace AND w.record = r.row) AS words
    FROM ${wanted}
    LEFT JOIN LATERAL (SELECT c.ordinal, c."start", c."end", halfvec_send(c.vector) AS vector,
        -(c.vector <#> :vector::halfvec) AS similarity
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

/** Which records are compared: those in `:rows`, those that `findBest` finds without those in `:rows`, or those in `:ids`. */
const WANTED = {
  rows: 'unnest(:rows::bigint[]) AS wanted (row) JOIN records r ON r.row = wanted.row',
  found: `unnest(${FOUND_ROWS}) AS wanted (row) JOIN records r ON r.row = wanted.row AND r.row <> ALL (:rows::bigint[])`,
  ids: 'unnest(:ids::text[]) AS wanted (id) JOIN records r ON r.id = wanted.id',
} as const
/** Of a search among no more ids than this, all are compared at once. */
const FEW_IDS = 100

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
  const { vector, limits, times } = request
  const startMs = performance.now()
  let vectorsMs = 0
  let near: readonly number[] = known ?? []
  const { compare, compareOnce } = createComparing(statements, model, request)
  const ids = request.near.filter.idsIn ?? null
  const among = ids !== null && ids.length <= FEW_IDS ? ids : null
  const compared: Promise<readonly Row[]>[] = among === null ? [] : [compare('ids', { ids: among })]
  const compareRows = (rows: readonly number[]): void => {
    if (among === null && rows.length > 0) compared.push(compareOnce(rows))
  }
  const gatherNear = async (): Promise<void> => {
    near = known ?? (await findNear(statements, model, request))
    vectorsMs = performance.now() - startMs
    noteNear(near)
    compareRows(near)
  }
  const gatherWords = async (): Promise<FoundWords | null> => {
    const prepared =
      request.words && (await words.prepareWords(statements, request.words, request.pairs))
    if (prepared === null) return null
    // Those that vectors find as well are scored besides.
    const limit = limits.words + limits.near
    const found = words.findWords(statements, prepared, { limit, also: near })
    if (among === null && !isNowhere(prepared.sought)) {
      compared.push(compare('found', { rows: near }))
    }
    return found
  }
  const gatherPast = async () => {
    const past = await findPast(statements, { words, model }, request)
    const states = past === null ? [] : [...past.byWords.matches, ...past.near]
    compareRows([...new Set(states.map(({ record }) => record ?? 0))])
    const replaced = states.filter(({ isSuperseded }) => isSuperseded).map(({ id }) => id)
    expectSuccessors(statements, replaced, heldAt({ asOfMs: times.asOfMs }))
    const keys = states.map(({ revision }) => revision)
    return { past, facts: await readFacts(statements, SQL.past, { keys, times }) }
  }
  // Vectors come first: what they find is scored along with what words find.
  const [, found, { past, facts: pastFacts }] = await Promise.all([
    gatherNear(),
    gatherWords(),
    gatherPast(),
  ])
  const isFound = found === null || found.best.length > 0 || (past?.byWords.total ?? 0) > 0
  // Nothing has these words: the next step will be taken.
  if (!isFound && request.words?.next?.length) {
    const none = new Map()
    const seen = { vector, times, facts: none, pastFacts: none, chunks: none }
    return { gathered: NOTHING_GATHERED, seen }
  }
  const [byWords, ...rows] = await Promise.all([
    found && words.scoreWords(statements, found, { limit: limits.words, also: near }),
    ...compared,
  ])
  const byRow = new Map(rows.flat().map((row) => [Number(row.row), row]))
  // A search for phrases may have taken several statements, of which only the first was known.
  const missed = (byWords?.ranked ?? []).map(({ row }) => row).filter((row) => !byRow.has(row))
  for (const row of missed.length === 0 ? [] : await compareOnce(missed)) {
    byRow.set(Number(row.row), row)
  }
  const present = joinPresent({
    byWords: byWords ? { ...byWords, rankedBy: 'sql' } : NO_WORDS,
    near,
    limit: limits.near,
    compared: new Map([...byRow].map(([key, row]) => [key, toCompared(row, vector)])),
    vectorsMs,
  })
  return {
    gathered: past === null ? present : addPast(present, past, past.words),
    seen: {
      vector,
      times,
      pastFacts,
      facts: new Map([...byRow].map(([key, row]) => [key, row as unknown as CandidateFacts])),
      chunks: new Map(
        [...byRow.values()].map((row) => [
          row.id as RecordId,
          row.ordinal === null ? null : toNear(row),
        ]),
      ),
    },
  }
}

/** Compares records with the vector of a search; a snapshot that compares the same rows again has the answer. */
function createComparing(
  statements: Statements,
  model: ModelRow,
  { vector, times }: GatherRequest,
) {
  const common = { model: model.row, vector: formatVector(vector), ...bindTimes(times) }
  const compare = (wanted: keyof typeof WANTED, values: Values): Promise<readonly Row[]> => {
    const rows = statements.all(SQL.compare(WANTED[wanted]), { ...common, ...values })
    // It is awaited later, and only where it is needed.
    rows.catch(() => {})
    return rows
  }
  const compareOnce = (rows: readonly number[]): Promise<readonly Row[]> =>
    readOnce(statements, JSON.stringify(['compare', rows, common]), () => compare('rows', { rows }))
  return { compare, compareOnce }
}

/** The rows of the nearest records, best first; a snapshot that asks again has the answer. */
function findNear(
  statements: Statements,
  model: ModelRow,
  { vector, limits, floor, near }: GatherRequest,
): Promise<readonly number[]> {
  const search = { vector, limit: limits.near, minSimilarity: floor, condition: compileNear(near) }
  const key = JSON.stringify(['nearest', model.row, formatVector(vector), limits.near, floor, near])
  return readOnce(statements, key, async () =>
    (await findNearest(statements, model, search)).map(({ row }) => row),
  )
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
  const rows = await readOnce(statements, JSON.stringify([sql, values]), () =>
    statements.all(sql, values),
  )
  return rows.map((row) => ({
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

/**
 * A file compares the candidates of a hybrid search by one byte per dimension, which changes a cosine by about a thousandth. It
 * is done here as well, so that records with almost equal scores come in the same order.
 */
function toCompared({ vector, whole, words }: Row, unit: Float32Array) {
  const toCosine = (bytes: unknown) =>
    bytes === null ? null : compareRounded(decodeHalves(bytes as Uint8Array), unit)
  return {
    similarity: toCosine(vector),
    wholeSimilarity: toCosine(whole),
    words: Number(words ?? 0),
  }
}

function compareRounded(vector: Float32Array, unit: Float32Array): number {
  const { bytes, scale } = quantiseVector(vector)?.codes ?? { bytes: [], scale: 0 }
  let sum = 0
  for (let i = 0; i < unit.length; i++) sum += (unit[i] as number) * (bytes[i] ?? 0)
  return clampCosine(sum * scale)
}

function bindTimes({ asOfMs, atMs }: FactTimes) {
  return { heldMs: heldAt({ asOfMs }), nowMs: atMs }
}

async function readFacts(
  statements: Statements,
  sql: string,
  { keys, times }: { readonly keys: readonly number[]; readonly times: FactTimes },
): Promise<Map<number, CandidateFacts>> {
  if (keys.length === 0) return new Map()
  const values = { keys, ...bindTimes(times) }
  const rows = await readOnce(statements, JSON.stringify([sql, values]), () =>
    statements.all(sql, values),
  )
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
