/** Finds records that are similar to a given one among those that share its rare words. The time does not grow with the file. */

import type { RecordId } from '../../../core/ids.js'
import { BLOCK_SLOTS } from '../../../vectors/block.js'
import { cosineFine, decodeFine } from '../../../vectors/quantise.js'
import { OWN_COLUMNS } from '../../bm25.js'
import {
  chooseWordSets,
  listLongWords,
  MAX_CANDIDATES,
  MAX_CHARACTERS,
  MAX_COUNT,
  NEWEST,
  type WordSet,
} from '../../rare-words.js'
import type { SimilarRecord } from '../../vectors.js'
import { quote } from '../match.js'
import type { Statements } from '../statements.js'
import type { ModelRow } from './models.js'
import { toFineCodes } from './vector-writer.js'

const VECTOR = `embedded e ON e.record = r.row AND e.model = :model
  CROSS JOIN chunks c ON c.record = r.row AND c.model = :model AND c.ordinal = 0
  CROSS JOIN vectors v ON v.place = coalesce(e.whole_block, c.block) * ${BLOCK_SLOTS} + coalesce(e.whole_slot, c.slot)`

const MAX_MATCHING = 2 * MAX_CANDIDATES

const SQL = {
  hasTurns: 'SELECT EXISTS (SELECT 1 FROM records WHERE session_id IS NOT NULL)',
  record: `SELECT r.row, r.namespace, i.title, substr(i.body, 1, ${MAX_CHARACTERS}) AS body, v.scale, v.codes
    FROM records r JOIN records_indexed i ON i.row = r.row CROSS JOIN ${VECTOR} WHERE r.id = :id`,
  counts: (within: string) => `SELECT (SELECT count(*) FROM
      (SELECT 1 FROM records_ft WHERE records_ft MATCH word.value${within} LIMIT ${MAX_COUNT}))
    FROM json_each(:words) word ORDER BY word.key`,
  /** Newest first. Hidden records are null rather than filtered out, so that the LIMIT bounds the work. */
  matching: (
    within: string,
  ) => `SELECT CASE WHEN r.present AND r.namespace = :namespace AND r.row <> :row THEN r.row END
    FROM (SELECT rowid AS row FROM records_ft WHERE records_ft MATCH :match AND rowid > :after${within}
      ORDER BY rowid DESC LIMIT ${MAX_MATCHING}) found
    CROSS JOIN records r ON r.row = found.row`,
  vectors: `SELECT r.id, v.scale, v.codes FROM json_each(:rows) wanted
    CROSS JOIN records r ON r.row = wanted.value CROSS JOIN ${VECTOR}`,
} as const

/** For a pinned caller, which must not notice other namespaces. Costs one look-up for each record that holds the word. */
const WITHIN = ` AND EXISTS (SELECT 1 FROM records n WHERE n.row = records_ft.rowid AND n.namespace = :namespace)`

/** Returns the best first; equal similarities in the order of ids. */
export function findSimilarByWords(
  statements: Statements,
  model: ModelRow,
  { id, isPinned }: { readonly id: RecordId; readonly isPinned: boolean },
): SimilarRecord[] {
  const [record] = statements.all(SQL.record, { id, model: model.row })
  if (record === undefined) return []
  const { row, namespace } = record as { readonly row: number; readonly namespace: string }
  const within = isPinned ? WITHIN : ''
  const toExpression = statements.value(SQL.hasTurns) === 1 ? inOwnColumns : quote
  const words = listLongWords(`${record.title ?? ''} ${record.body}`)
  const counts = statements.column(SQL.counts(within), {
    ...(isPinned ? { namespace } : {}),
    words: JSON.stringify(words.map(toExpression)),
  })
  const findMatching = (set: WordSet): { rows: unknown[]; isCut: boolean } => {
    const match = set.words.map(toExpression).join(' AND ')
    const after = set.isRare ? 0 : row - NEWEST
    const found = statements.column(SQL.matching(within), { match, after, namespace, row })
    return { rows: found.filter((one) => one !== null), isCut: found.length === MAX_MATCHING }
  }
  const [all, ...pairs] = chooseWordSets(words, counts.map(Number))
  const rows = new Set<unknown>()
  for (const [i, set] of (pairs.length === 0 && all !== undefined ? [all] : pairs).entries()) {
    if (rows.size >= MAX_CANDIDATES) break
    const found = findMatching(set)
    // Records with all words are among those with the first pair. That query costs as much as three pairs.
    const isMany = i === 0 && (found.isCut || found.rows.length > MAX_CANDIDATES)
    if (isMany && all !== undefined) for (const one of findMatching(all).rows) rows.add(one)
    for (const one of found.rows) rows.add(one)
  }
  const unit = decodeFine(toFineCodes(record))
  const candidates = JSON.stringify([...rows].slice(0, MAX_CANDIDATES))
  return statements
    .all(SQL.vectors, { rows: candidates, model: model.row })
    .map((other) => ({
      id: other.id as RecordId,
      similarity: cosineFine(unit, toFineCodes(other)),
    }))
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
}

/** Only turns have text of their neighbours. Without turns FTS5 need not tell the columns apart. */
function inOwnColumns(word: string): string {
  return `{${OWN_COLUMNS.join(' ')}} : ${quote(word)}`
}
