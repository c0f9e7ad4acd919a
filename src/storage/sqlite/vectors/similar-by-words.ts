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
  /** Counting stops at a common word. How far down its records are tells about how many there are in all. */
  counts: (
    within: string,
  ) => `SELECT (SELECT iif(count(*) < ${MAX_COUNT}, count(*), count(*) * (:row / max(rowid))) FROM
      (SELECT rowid FROM records_ft WHERE records_ft MATCH word.value${within} LIMIT ${MAX_COUNT}))
    FROM json_each(:words) word ORDER BY word.key`,
  matching: (within: string) => `SELECT rowid FROM records_ft
    WHERE records_ft MATCH :match AND rowid > :after${within} ORDER BY rowid DESC LIMIT ${MAX_MATCHING}`,
  vectors: `SELECT r.id, v.scale, v.codes FROM json_each(:rows) wanted
    CROSS JOIN records r ON r.row = wanted.value AND r.present AND r.namespace = :namespace
    CROSS JOIN ${VECTOR} LIMIT ${MAX_CANDIDATES}`,
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
    row,
    words: JSON.stringify(words.map(toExpression)),
  })
  const findMatching = (set: WordSet): number[] => {
    const match = set.words.map(toExpression).join(' AND ')
    const after = set.isRare ? 0 : row - NEWEST
    const named = isPinned ? { namespace } : {}
    return statements.column(SQL.matching(within), { ...named, match, after })
  }
  const [all, ...others] = chooseWordSets(words, counts.map(Number))
  const [first = all, ...more] = others
  const found = first === undefined ? [] : findMatching(first)
  // Records with all words are among those with the first pair. That query costs as much as three pairs.
  const isMany = found.length > MAX_CANDIDATES && all !== undefined && all !== first
  const best = isMany ? findMatching(all) : []
  const rows = new Set([...best, ...found, ...more.flatMap(findMatching)])
  rows.delete(row)
  const unit = decodeFine(toFineCodes(record))
  return statements
    .all(SQL.vectors, { rows: JSON.stringify([...rows]), namespace, model: model.row })
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
