/** Reads the lines of an archive, which is recognised by its first one. */

import { CairnError } from '../core/errors.js'
import { readByteLines } from './files.js'
import type { ArchiveReader } from './importer.js'

/** The longest string of JavaScript; a record of the largest size, with every character escaped, is shorter. */
const MAX_LINE_BYTES = 500_000_000

export const archive: ArchiveReader = {
  name: 'archive',
  detect: (_, { text }) => /^\uFEFF?\s*\{\s*"cairnArchive"\s*:/.test(text),
  async *readLines(path, options) {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    for await (const lines of readByteLines(path, options, MAX_LINE_BYTES)) {
      for (const { number, bytes } of lines) {
        if (bytes === null) throw unreadable(number, 'it is too long')
        try {
          yield decoder.decode(bytes)
        } catch (error) {
          if (!(error instanceof TypeError)) throw error
          throw unreadable(number, 'it is not valid UTF-8')
        }
      }
    }
  },
}

function unreadable(line: number, reason: string): CairnError {
  return new CairnError('damaged_archive', {
    message: `Line ${line} of the archive cannot be used: ${reason}.`,
    hint: 'The lines before it may be stored already; import an intact copy to get the rest.',
  })
}
