/** Every candidate is scored on both sides, mostly from memory and in a fixed number of statements. */

import type { Gathered, GatheredRecord, GatherRequest } from '../../search.js'
import { readWordCounts } from '../bm25.js'
import type { PreparedFilter } from '../filter.js'
import type { FullText, PreparedMatch } from '../full-text.js'
import type { Statements } from '../statements.js'
import { readUnread } from './candidate-facts.js'
import type { StatedModel } from './models.js'
import type { Nearest } from './nearest.js'

/** A request whose filters need nothing more from the file. */
export type PreparedGather = Omit<GatherRequest, 'words' | 'near'> & {
  readonly words: PreparedMatch | null
  readonly near: Omit<GatherRequest['near'], 'filter'> & { readonly filter: PreparedFilter }
}

export type GatherParts = {
  readonly statements: Statements
  readonly fullText: FullText
  readonly nearest: Nearest
}

/** The best by words with their bm25, for whoever adds candidates of the past. */
export type GatheredPresent = Gathered & { readonly bestBm25: number }

export function gather(
  { statements, fullText, nearest }: GatherParts,
  model: StatedModel,
  request: PreparedGather,
): GatheredPresent {
  const { words, vector, limits, floor } = request
  const near = nearest.findRows(model, {
    ...request.near,
    model: model.id,
    vector,
    limit: limits.near,
    minSimilarity: floor,
    exclude: [],
    // All candidates are compared by what is in memory; only the page is looked at more closely.
    rounded: true,
  })
  const owners = near.map(({ owner }) => owner)
  const byWords = words === null ? NO_WORDS : fullText.rankRows(words, limits.words, owners)
  const bm25 = new Map(byWords.ranked.map((hit) => [hit.row, hit.bm25]))
  const onlyNear = owners.filter((owner) => !bm25.has(owner))
  const rows = [...bm25.keys(), ...onlyNear]
  const inPairs =
    words === null || request.pairs === null
      ? []
      : fullText.scoreRows({ ...words, root: request.pairs }, [...bm25.keys()])
  const pairBm25 = new Map(inPairs.map((hit) => [hit.row, hit.bm25]))
  const { best, whole } = nearest.similarities(model, vector, rows)
  const unread = readUnread(statements, model, rows)
  const lengths = [...fullText.countWords([...bm25.keys()]), ...countNear(statements, onlyNear)]
  const records = rows.map((row, i): GatheredRecord => {
    const isRead = !unread.has(row)
    return {
      key: row,
      bm25: bm25.get(row) ?? null,
      pairBm25: pairBm25.get(row) ?? null,
      similarity: isRead ? orNull(best[i]) : null,
      wholeSimilarity: isRead ? orNull(whole[i]) : null,
      words: lengths[i] ?? 0,
      isPast: false,
      isSuperseded: false,
    }
  })
  const [first] = byWords.ranked
  return {
    records,
    total: byWords.total + onlyNear.length,
    superseded: 0,
    isExact: near.length < limits.near,
    bestByWords: first === undefined ? null : { key: first.row, isPast: false },
    rankedBy: byWords.rankedBy,
    bestBm25: first?.bm25 ?? 0,
  }
}

/** What is found by meaning alone may have no word at all. */
function countNear(statements: Statements, rows: readonly number[]): number[] {
  const counts = readWordCounts(statements, 'records_ft', rows)
  return rows.map((row) => counts.get(row) ?? 0)
}

const NO_WORDS = { ranked: [], total: 0, rankedBy: null } as const

function orNull(number: number | undefined): number | null {
  return number === undefined || Number.isNaN(number) ? null : number
}
