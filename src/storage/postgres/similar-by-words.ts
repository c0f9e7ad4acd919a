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
import { compileMatch, type Expression } from './match.js'
import type { Statements } from './statements.js'
import type { ModelRow } from './vectors-models.js'
import { clampCosine, WHOLE } from './vectors-table.js'
import type { WordSearch } from './word-search.js'

const ELSEWHERE = 'w.namespace = :namespace AND w.record <> :row AND w.record > s.after'

const SQL = {
  record: `SELECT r.row, r.namespace, r.title, left(r.body, ${MAX_CHARACTERS}) AS body, ${WHOLE} AS vector
    FROM records r JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row AND e.model = :model
    WHERE r.id = :id`,
  /** Of each set of words, the newest that hold all of them; one shape for any sets, so that it is planned once. */
  similar: `SELECT r.id, -(${WHOLE} <#> :vector::halfvec) AS similarity
    FROM (SELECT m.row FROM unnest(:queries::text[], :words::text[], :afters::bigint[])
        WITH ORDINALITY s (query, words, after, place)
      CROSS JOIN LATERAL (
        SELECT w.record FROM words w
        WHERE w.is_whole AND w.lexemes @@ s.query::tsquery AND ${ELSEWHERE}
        UNION ALL
        SELECT w.record FROM unnest(string_to_array(s.words, E'\\n')) word
          JOIN words w ON NOT w.is_whole AND w.lexemes @@ word::tsquery AND ${ELSEWHERE}
        GROUP BY w.record HAVING count(DISTINCT word) = cardinality(string_to_array(s.words, E'\\n'))
        ORDER BY 1 DESC LIMIT ${MAX_CANDIDATES}) m (row)
      GROUP BY m.row ORDER BY min(s.place), m.row DESC LIMIT ${MAX_CANDIDATES}) best
    JOIN records r ON r.namespace = :namespace AND r.row = best.row
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
  const sets = chooseWordSets(words, counts)
  if (sets.length === 0) return []
  const expressions = sets.map((set) => compileSet(set.words))
  const found = await statements.all(SQL.similar, {
    queries: expressions.map(({ query }) => query),
    words: expressions.map(({ tests }) => [...new Set(tests)].join('\n')),
    afters: sets.map(({ isRare }) => (isRare ? 0 : row - NEWEST)),
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

function compileSet(words: readonly string[]): Expression {
  const expression = compileMatch({ kind: 'and', parts: words.map(toNode) }, null)
  if (expression === null) throw new Error(`No words to look for in ${words.join(', ')}.`)
  return expression
}
