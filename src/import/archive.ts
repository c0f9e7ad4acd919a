/** The lines of an archive are told by the first one, and each is given as it stands in the file. */

import { CairnError } from '../core/errors.js'
import { readByteLines } from './files.js'
import type { ArchiveReader, ReadOptions } from './importer.js'

/** What fits into a text of JavaScript; a record of the largest size, with every character escaped, is below it. */
const MAX_LINE_BYTES = 500_000_000

export const archive: ArchiveReader = {
  name: 'archive',
  detect: (_, { text }) => /^\uFEFF?\s*\{\s*"cairnArchive"\s*:/.test(text),
  readLines,
}

async function* readLines(path: string, options: ReadOptions): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const { number, bytes } of readByteLines(path, options, MAX_LINE_BYTES)) {
    if (bytes === null) throw unreadable(number, 'is too long')
    try {
      yield decoder.decode(bytes)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw unreadable(number, 'is no text in UTF-8')
    }
  }
}

function unreadable(line: number, what: string): CairnError {
  return new CairnError('damaged_archive', {
    message: `Line ${line} of the archive ${what}.`,
    hint: 'What the lines before it say may be stored already; import a sound copy to have the rest.',
  })
}
