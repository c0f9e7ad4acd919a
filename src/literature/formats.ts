/** Every format is named once, with how it is read, written and recognised. */

import type { Work } from '../core/work.js'
import { readBibtex } from './bibtex/read-bibtex.js'
import { writeBibtex } from './bibtex/write-bibtex.js'
import { readCsl } from './csl/read-csl.js'
import { writeCsl } from './csl/write-csl.js'
import type { ReadWorks } from './read-works.js'
import { readRis } from './ris/read-ris.js'
import { writeRis } from './ris/write-ris.js'
import { writeCsv } from './write-csv.js'
import { writeMarkdown } from './write-markdown.js'

export const FORMAT_NAMES = ['bibtex', 'ris', 'csl', 'markdown', 'csv'] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

export type Format = {
  readonly name: FormatName
  /** With their dot, the usual one first. */
  readonly extensions: readonly string[]
  /** Null where works cannot be read back. */
  readonly read: ((text: string) => Promise<ReadWorks>) | null
  readonly write: (works: readonly Work[]) => string
}

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  bibtex: {
    name: 'bibtex',
    extensions: ['.bib', '.bibtex', '.biblatex'],
    read: readBibtex,
    write: writeBibtex,
  },
  ris: { name: 'ris', extensions: ['.ris'], read: readRis, write: writeRis },
  csl: { name: 'csl', extensions: ['.json', '.csljson'], read: readCsl, write: writeCsl },
  markdown: {
    name: 'markdown',
    extensions: ['.md', '.markdown'],
    read: null,
    write: writeMarkdown,
  },
  csv: { name: 'csv', extensions: ['.csv'], read: null, write: writeCsv },
}

/** Enough of a file to know it by. */
const LOOKED_AT = 65_536

/**
 * By the ending of the file's name, or else by what the text looks like. JSON may be anything, so a text is looked at
 * whatever its name; without a text the name decides.
 */
export function guessFormat(text: string, fileName: string | null): FormatName | null {
  const ending = /\.[^./\\]+$/.exec(fileName ?? '')?.[0].toLowerCase()
  const named = FORMAT_NAMES.find((name) => FORMATS[name].extensions.includes(ending ?? ''))
  const beginning = text.slice(0, LOOKED_AT).replace(/^\uFEFF/, '')
  if (named === undefined) return looksLike(beginning)
  return ending === '.json' && beginning.trim() !== '' ? looksLike(beginning) : named
}

function looksLike(text: string): FormatName | null {
  if (/^\s*[[{]/.test(text)) return isCsl(text) ? 'csl' : null
  if (/^TY {0,2}- ?[A-Z]/m.test(text)) return 'ris'
  return /^\s*@[ \t]*[a-zA-Z]+\s*[{(]/m.test(text) ? 'bibtex' : null
}

function isCsl(text: string): boolean {
  const variables = /"(?:DOI|URL|issued|container-title|author|citation-key|publisher|editor)"\s*:/
  return /^\s*\[\s*\]\s*$/.test(text) || (/"(?:type|title)"\s*:/.test(text) && variables.test(text))
}
