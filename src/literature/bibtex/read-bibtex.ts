/** Any text is read as BibTeX, and every entry in it is either a work or skipped with a reason. */

import {
  isNameless,
  NAMELESS,
  plainLines,
  type ReadWork,
  type ReadWorks,
  type Skipped,
} from '../read-works.js'
import { type BibtexEntry, inherit } from './crossref.js'
import { loadGrammar, parseEntry, parseMacros } from './parse-entry.js'
import { splitEntries } from './split-entries.js'
import { toWork } from './to-work.js'

/** Entries that hold something for others and are no works themselves. */
const SERVING: ReadonlySet<string> = new Set(['string', 'preamble', 'xdata', 'set', 'control'])

/**
 * BibTeX and biblatex.
 * @example
 * const { works, skipped } = await readBibtex('@book{k, title = {On {G}raphs}, year = 2019}')
 */
export async function readBibtex(text: string): Promise<ReadWorks> {
  const { entries, broken } = splitEntries(plainLines(text))
  if (entries.length === 0) return { works: [], skipped: broken }
  const grammar = await loadGrammar()
  const macros = parseMacros(grammar, entries)
  const skipped: Skipped[] = [...broken]
  const parsed: BibtexEntry[] = []
  for (const entry of entries) {
    if (entry.type === 'string' || entry.type === 'preamble') continue
    const result = parseEntry(grammar, entry, macros)
    if (result.kind === 'fields') parsed.push({ ...entry, fields: result.fields })
    else skipped.push({ name: nameOf(entry), line: entry.line, reason: result.reason })
  }
  const works: ReadWork[] = []
  for (const entry of inherit(parsed)) {
    if (SERVING.has(entry.type)) continue
    const read = readEntry(entry)
    if ('work' in read) works.push(read)
    else skipped.push(read)
  }
  return { works, skipped: skipped.sort((a, b) => a.line - b.line) }
}

function nameOf({ type, key }: { readonly type: string; readonly key: string | null }): string {
  return key ?? `@${type}`
}

function readEntry(entry: BibtexEntry): ReadWork | Skipped {
  const { line } = entry
  try {
    const work = toWork(entry)
    return isNameless(work) ? { name: nameOf(entry), line, reason: NAMELESS } : { work, line }
  } catch (error) {
    // Braces nested by the thousand exhaust the stack; nothing else is thrown.
    if (!(error instanceof RangeError)) throw error
    return { name: nameOf(entry), line, reason: 'It is nested too deeply.' }
  }
}
