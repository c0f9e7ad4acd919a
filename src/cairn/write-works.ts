/** Works leave in a format that others read; what writes them is loaded when it is first needed. */

import { badInput } from '../core/errors.js'
import {
  CITATION_STYLES,
  type CitationStyle,
  EXPORT_FORMATS,
  type ExportFormat,
  type Work,
} from '../core/work.js'

/** The text of a file of that format, with a line end behind it. */
export async function writeWorks(works: readonly Work[], format: ExportFormat): Promise<string> {
  const { FORMATS } = await import('../literature/formats.js')
  const writer = FORMATS[oneOf('format', format, EXPORT_FORMATS)]
  const text = writer.write(works)
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** A reference for each work. */
export async function citeWorks(works: readonly Work[], style: CitationStyle): Promise<string[]> {
  if (oneOf('style', style, CITATION_STYLES) === 'plain') {
    const { formatReference } = await import('../literature/reference-lists.js')
    return works.map(formatReference)
  }
  return Promise.all(works.map(async (work) => (await writeWorks([work], 'bibtex')).trimEnd()))
}

function oneOf<T extends string>(what: string, given: T, known: readonly T[]): T {
  if (known.includes(given)) return given
  throw badInput(`There is no ${what} "${given}".`, `There are ${known.join(', ')}.`)
}
