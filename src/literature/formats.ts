/** Lists the formats of works with their readers and writers, and recognises the format of a file. */

import { type ExportFormat, formatOfName, type Work } from '../core/work.js'
import { listBibtex, writeBibtex } from './bibtex/bibtex.js'
import { listCsl, writeCsl } from './csl.js'
import { writeCsv, writeMarkdown } from './reference-lists.js'
import { listRis, writeRis } from './ris.js'
import type { ReadWork, SkippedWork } from './works-file.js'

export type Format = {
  /** Entry by entry; null for a format that cannot be read back. */
  readonly list: ((text: string) => Iterable<ReadWork | SkippedWork>) | null
  readonly write: (works: readonly Work[]) => string
}

export const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  bibtex: { list: listBibtex, write: writeBibtex },
  ris: { list: listRis, write: writeRis },
  csl: { list: listCsl, write: writeCsl },
  markdown: { list: null, write: writeMarkdown },
  csv: { list: null, write: writeCsv },
}

const BEGINNING_CHARS = 65_536
const CSL_VARIABLES =
  /"(?:DOI|URL|issued|container-title|author|citation-key|publisher|editor)"\s*:/

/** By the extension, else by the text. JSON may hold anything, so a `.json` file is recognised by its text if it has one. */
export function guessFormat(text: string, fileName: string | null): ExportFormat | null {
  const named = formatOfName(fileName ?? '')
  const beginning = text.slice(0, BEGINNING_CHARS).replace(/^\uFEFF/, '')
  const isAnyJson = /\.json$/i.test(fileName ?? '') && beginning.trim() !== ''
  return named === null || isAnyJson ? recognise(beginning) : named
}

/** With a key and a comma: `@media (` in a page and `@Component({` in a note are none. */
const BIBTEX_ENTRY =
  /^\s*@[ \t]*(?:(?:string|preamble|comment)\s*[{(]|[a-zA-Z]+\s*[{(]\s*[^\s{}(),="]+\s*,)/im

function recognise(text: string): ExportFormat | null {
  if (/^\s*\[\s*\]\s*$/.test(text)) return 'csl'
  if (/^\s*[[{]/.test(text)) {
    return /"(?:type|title)"\s*:/.test(text) && CSL_VARIABLES.test(text) ? 'csl' : null
  }
  if (/^TY {0,2}- ?[A-Z]/m.test(text)) return 'ris'
  return BIBTEX_ENTRY.test(text) ? 'bibtex' : null
}
