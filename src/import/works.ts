/** The files of reference managers become works. */

import { basename } from 'node:path'
import type { Work } from '../core/work.js'
import { FORMATS, guessFormat } from '../literature/formats.js'
import { hashValue } from './fields.js'
import { findFiles, readText, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'

type WorkFormat = 'bibtex' | 'ris' | 'csl'

export const [bibtex, ris, csl] = [worksOf('bibtex'), worksOf('ris'), worksOf('csl')]

function worksOf(name: WorkFormat): Importer {
  return {
    name,
    sentence: FORMAT_DESCRIPTIONS[name],
    isMirror: false,
    detect: (path, { text, files }) => files === null && guessFormat(text, basename(path)) === name,
    read: (path, options) => read(name, path, options),
  }
}

/** An entry may refer to any other one of its file, so the file is read as a whole. */
async function* read(
  name: WorkFormat,
  path: string,
  options: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  const { extensions, read: readWorks } = FORMATS[name]
  const isWanted = (file: string): boolean =>
    extensions.some((end) => file.toLowerCase().endsWith(end))
  for await (const file of findFiles(path, isWanted, options)) {
    if (file.kind === 'skipped') {
      yield file
      continue
    }
    const found = await readText(file, options)
    if (found.kind === 'none' || readWorks === null) {
      yield skipped(file.name, found.kind === 'none' ? found.reason : 'It cannot be read back.')
      continue
    }
    const { works, skipped: refused } = await readWorks(found.text)
    const times = new Map<string, number>()
    for (const { work } of works) {
      const own = nameOf(work)
      const time = (times.get(own) ?? 0) + 1
      times.set(own, time)
      const key = time === 1 ? own : `${own}#${time}`
      yield { kind: 'work', key: `${file.name}/${key}`, hash: hashValue(work), work }
    }
    for (const { name: entry, line, reason } of refused) {
      yield skipped(`${file.name}/${entry}`, reason, line)
    }
  }
}

function nameOf(work: Work): string {
  return work.citationKey ?? work.doi ?? hashValue([work.title, work.year, work.authors])
}
