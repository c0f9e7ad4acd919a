/** How each query was answered can be written down, and read again to compare with. */

import { badInput } from '../core/errors.js'
import { type Answered, MEASURES } from './figures.js'
import { brokenLine, readId, readLines, readObject } from './read-lines.js'

/** One query in one mode. */
export type QueryLine = Answered & {
  readonly set: string
  readonly mode: string
  readonly query: string
  /** The documents that were found first. */
  readonly ranking: readonly string[]
}

export function writeQueryLines(lines: readonly QueryLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** The lines of such a file; what it lacks is named with its line. */
export async function readQueryLines(file: string): Promise<QueryLine[]> {
  const lines: QueryLine[] = []
  for await (const line of readLines(file)) {
    const { set, mode, query, ranking, ...rest } = readObject(file, line)
    if (readId(set) === null || readId(mode) === null || readId(query) === null) {
      throw brokenLine(file, line, 'it has no set, mode or query; write it with --per-query')
    }
    const missing = [...MEASURES, 'ms'].find((name) => typeof rest[name] !== 'number')
    if (missing !== undefined) throw brokenLine(file, line, `it has no ${missing}`)
    const found = Array.isArray(ranking) ? ranking.map(String) : []
    lines.push({
      ...(rest as Answered),
      set: String(set),
      mode: String(mode),
      query: String(query),
      ranking: found,
    })
  }
  if (lines.length === 0) throw badInput(`${file} has no queries.`, 'Write it with --per-query.')
  return lines
}
