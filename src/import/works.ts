/** Imports works from the files of reference managers: BibTeX, RIS and CSL-JSON. */

import { basename } from 'node:path'
import { formatOfName } from '../core/work.js'
import { FORMATS, guessFormat } from '../literature/formats.js'
import { readFiles, readText, skipped } from './files.js'
import type { Importer } from './importer.js'
import { createUniqueNames, hashValue } from './values.js'

export const bibtex = createWorkImporter('bibtex')
export const ris = createWorkImporter('ris')
export const csl = createWorkImporter('csl')

function createWorkImporter(format: 'bibtex' | 'ris' | 'csl'): Importer {
  const { list: listWorks } = FORMATS[format]
  return {
    name: format,
    detect: (path, { text }) => guessFormat(text, basename(path)) === format,
    read: readFiles(
      (name) => formatOfName(name) === format,
      async function* (file, options) {
        // An entry may refer to any other one of its file, so the file is read as a whole.
        const text = await readText(file, options)
        const makeUnique = createUniqueNames()
        for (const entry of listWorks?.(text) ?? []) {
          if ('reason' in entry) {
            yield skipped(`${file.name}/${entry.name}`, entry.reason, entry.line)
            continue
          }
          const { work } = entry
          const { citationKey, doi, title, year, authors } = work
          const name = citationKey ?? doi ?? hashValue([title, year, authors])
          const key = `${file.name}/${makeUnique(name)}`
          yield { kind: 'work', key, hash: hashValue(work), work }
        }
      },
    ),
  }
}
