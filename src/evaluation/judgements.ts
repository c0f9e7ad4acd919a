/** Judgements mean the same in the form of BEIR and in that of TREC. */

import type { Judgements } from './metrics.js'
import { brokenLine, type Line, readLines } from './read-lines.js'

/** Where a line has its query, its document and its score. */
type Columns = { readonly query: number; readonly document: number; readonly score: number }

const BEIR: Columns = { query: 0, document: 1, score: 2 }
const TREC: Columns = { query: 0, document: 2, score: 3 }

/** By query. A pair that is judged twice has the higher score, in whatever order the lines stand. */
export async function readJudgements(file: string): Promise<ReadonlyMap<string, Judgements>> {
  const byQuery = new Map<string, Map<string, number>>()
  let named: Columns | null = null
  let isFirst = true
  for await (const line of readLines(file)) {
    const cells = cellsOf(line.text)
    const isHeader = isFirst && Number.isNaN(Number(cells.at(-1)))
    isFirst = false
    if (isHeader) {
      named = readHeader(cells)
      continue
    }
    const { query, document, score } = readCells(file, line, named ?? formOf(cells))
    const judged = byQuery.get(query) ?? new Map<string, number>()
    byQuery.set(query, judged.set(document, Math.max(score, judged.get(document) ?? -Infinity)))
  }
  return byQuery
}

/** Tabs where there are any, since an id may hold a space; TREC files often have spaces alone. */
function cellsOf(text: string): string[] {
  return (text.includes('\t') ? text.split('\t') : text.split(/ +/)).map((cell) => cell.trim())
}

/** The columns that a header names; null where it names others, and only their number tells. */
function readHeader(names: readonly string[]): Columns | null {
  const at = { query: names.indexOf('query-id'), document: names.indexOf('corpus-id') }
  const score = names.indexOf('score')
  return at.query < 0 || at.document < 0 || score < 0 ? null : { ...at, score }
}

function formOf(cells: readonly string[]): Columns {
  return cells.length === 4 ? TREC : BEIR
}

function readCells(file: string, line: Line, columns: Columns) {
  const cells = cellsOf(line.text)
  const query = cells[columns.query] ?? ''
  const document = cells[columns.document] ?? ''
  const written = cells[columns.score] ?? ''
  const score = Number(written)
  if (query === '' || document === '' || written === '' || !Number.isFinite(score)) {
    throw brokenLine(file, line, 'this is not a query, a document and a score')
  }
  return { query, document, score }
}
