/** Imports works from the files of reference managers: BibTeX, RIS and CSL-JSON. */

import { basename } from 'node:path'
import type { Work } from '../core/work.js'
import { FORMATS, guessFormat } from '../literature/formats.js'
import { readFiles, readText, skipped } from './files.js'
import type { Importer } from './importer.js'
import { hashValue } from './values.js'

export const bibtex = createWorkImporter('bibtex')
export const ris = createWorkImporter('ris')
export const csl = createWorkImporter('csl')

function createWorkImporter(format: 'bibtex' | 'ris' | 'csl'): Importer {
  const { extensions, read: readWorks } = FORMATS[format]
  return {
    name: format,
    detect: (path, { text, files }) =>
      files === null && guessFormat(text, basename(path)) === format,
    read: (path, options) =>
      readFiles(path, {
        ...options,
        isWanted: (name) => extensions.some((end) => name.toLowerCase().endsWith(end)),
        readFile: async function* (file) {
          // An entry may refer to any other one of its file, so the file is read as a whole.
          const read = await readWorks?.(await readText(file, options))
          const counts = new Map<string, number>()
          for (const { work } of read?.works ?? []) {
            const name = makeName(work)
            const count = (counts.get(name) ?? 0) + 1
            counts.set(name, count)
            const key = `${file.name}/${count === 1 ? name : `${name}#${count}`}`
            yield { kind: 'work', key, hash: hashValue(work), work }
          }
          for (const { name, line, reason } of read?.skipped ?? []) {
            yield skipped(`${file.name}/${name}`, reason, line)
          }
        },
      }),
  }
}

function makeName(work: Work): string {
  return work.citationKey ?? work.doi ?? hashValue([work.title, work.year, work.authors])
}
