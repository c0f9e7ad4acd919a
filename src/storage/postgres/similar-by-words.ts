/** Finds records similar to a given one through the rare words they share; looks at a bounded number of them. */

import type { RecordId } from '../../core/ids.js'
import type { Node } from '../../query/tree.js'
import { segment } from '../../text/segment.js'
import {
  chooseWordSets,
  listLongWords,
  MAX_CANDIDATES,
  MAX_CHARACTERS,
  NEWEST,
} from '../rare-words.js'
import type { SimilarRecord } from '../vectors.js'
import { compileMatch, findRows, PRESENT } from './match.js'
import type { Condition, Statements } from './statements.js'
import type { ModelRow } from './vectors-models.js'
import { clampCosine, WHOLE } from './vectors-table.js'
import type { WordSearch } from './word-search.js'

const SQL = {
  record: `SELECT r.row, r.namespace, r.title, left(r.body, ${MAX_CHARACTERS}) AS body, ${WHOLE} AS vector
    FROM records r JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row AND e.model = :model
    WHERE r.id = :id`,
  /** The newest first. */
  matching: (
    rows: string,
    order: number,
    after: string,
  ) => `(SELECT r.namespace, r.row, ${order} AS place
    FROM (${rows}) m (row) JOIN records r ON r.row = m.row
    WHERE r.present AND r.namespace = :namespace AND r.row <> :row${after}
    ORDER BY r.row DESC LIMIT ${MAX_CANDIDATES})`,
  similar: (found: string) => `SELECT r.id, -(${WHOLE} <#> :vector::halfvec) AS similarity
    FROM (SELECT namespace, row FROM (${found}) found GROUP BY namespace, row
      ORDER BY min(place), row DESC LIMIT ${MAX_CANDIDATES}) best
    JOIN records r ON r.namespace = best.namespace AND r.row = best.row
    JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row AND e.model = :model AND e.chunks > 0
    ORDER BY similarity DESC, r.id COLLATE "C"`,
} as const

type SimilarParts = { readonly words: WordSearch; readonly model: ModelRow }

/** Best first; equal similarities in the order of their ids. */
export async function findSimilarByWords(
  statements: Statements,
  { words: search, model }: SimilarParts,
  { id, isPinned }: { readonly id: RecordId; readonly isPinned: boolean },
): Promise<SimilarRecord[]> {
  const [record] = await statements.all(SQL.record, { id, model: model.row })
  if (record === undefined || record.vector === null) return []
  const row = Number(record.row)
  const namespace = String(record.namespace)
  const text = `${record.title ?? ''} ${record.body}`
  const words = listLongWords(segment(text)?.text ?? text)
  const counts = await search.countEach(statements, words.map(toNode), {
    fields: null,
    namespace: isPinned ? namespace : null,
  })
  const sets = chooseWordSets(words, counts).map((set, i): Condition => {
    const rows = findShared(set.words, `set${i}`)
    const after = set.isRare ? '' : ` AND m.row > ${row - NEWEST}`
    return { sql: SQL.matching(rows.sql, i, after), values: rows.values }
  })
  if (sets.length === 0) return []
  const found = await statements.all(SQL.similar(sets.map(({ sql }) => sql).join(' UNION ALL ')), {
    ...Object.assign({}, ...sets.map(({ values }) => values)),
    namespace,
    row,
    model: model.row,
    vector: String(record.vector),
  })
  return found.map((one) => ({
    id: one.id as RecordId,
    similarity: clampCosine(Number(one.similarity)),
  }))
}

function toNode(text: string): Node {
  return { kind: 'word', text }
}

function findShared(words: readonly string[], name: string): Condition {
  const expression = compileMatch({ kind: 'and', parts: words.map(toNode) }, null)
  if (expression === null) throw new Error(`No words to look for in ${words.join(', ')}.`)
  return findRows(expression, PRESENT, name)
}
