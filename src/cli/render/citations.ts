/** What a work cites and what cites it stand in two lists, with what is not stored named too. */

import type { CitationsAnswer, CitedWork } from '../../cairn/works.js'
import type { ShortId } from '../resolve-ids.js'
import { alignedRows } from './rows.js'
import { oneLine, type Style } from './style.js'

const INDENT = '  '

export function renderCitations(answer: CitationsAnswer, short: ShortId, style: Style): string {
  const { references, citedBy, unresolved } = answer
  const rowsOf = (works: readonly CitedWork[]): string =>
    alignedRows(
      works.map(({ id, year, title }) => ({
        cells: [short(id), String(year ?? '')],
        text: oneLine(title ?? ''),
      })),
      style,
      INDENT,
    )
  const sections = [
    [`cites ${references.length + unresolved.length}`, rowsOf(references)],
    ['not stored', unresolved.map((name) => `${INDENT}${oneLine(name)}\n`).join('')],
    [`cited by ${citedBy.length}`, rowsOf(citedBy)],
  ] as const
  const told = sections.filter(([, rows]) => rows !== '')
  if (told.length === 0) return 'no citations\n'
  return told.map(([heading, rows]) => `${style.bold(heading)}\n${rows}`).join('')
}
