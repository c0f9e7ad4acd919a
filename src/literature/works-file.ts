/** Shared by the readers and writers of all formats: results, skipped entries, type tables and citation keys. */

import { WORK_TYPES, type Work, type WorkType } from '../core/work.js'
import { foldText } from './identities.js'

/** `line` is the first line of the entry, from 1. */
export type ReadWork = { readonly work: Work; readonly line: number }

export type SkippedWork = { readonly name: string; readonly line: number; readonly reason: string }

/** Skips a work that nobody could find again. */
export function acceptWork(work: Work, name: string, line: number): ReadWork | SkippedWork {
  const { title, authors, doi, url } = work
  const isFindable = title !== '' || authors.length > 0 || doi !== null || url !== null
  if (isFindable) return { work, line }
  return { name, line, reason: 'It has no title, author, DOI or link.' }
}

const FIRST_WORDS = 40

export function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= FIRST_WORDS ? line : `${line.slice(0, FIRST_WORDS).trimEnd()}…`
}

/** Without a byte order mark, and with `\n` as the only line end. */
export function normalizeLineEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
}

/** Each type with a format's names for it; the first is written. A name of two types is read as the later one. */
export function createTypeTable(names: Readonly<Record<WorkType, string>>) {
  const types = new Map(
    WORK_TYPES.flatMap((type) => names[type].split(' ').map((name) => [name, type] as const)),
  )
  return {
    read: (name: string): WorkType => types.get(name) ?? 'other',
    write: (type: WorkType): string => names[type].split(' ', 1)[0] ?? '',
  }
}

const SMALL_WORDS =
  /^(?:an?|the|on|of|in|for|and|or|to|from|with|by|at|as|is|are|how|what|why|der|die|das|les?|la|une?)$/

/**
 * A key for each work, unique regardless of case as BibTeX wants it: its own, or author + year + first word.
 * By hand: Vaswani, 2017, "Attention is all you need" → `vaswani2017attention`; a second one gets the suffix `a`.
 */
export function assignKeys(works: readonly Work[]): string[] {
  const taken = new Set<string>()
  return works.map((work) => {
    // Some characters end a key or mean something else to TeX.
    const own = work.citationKey?.replace(/[\s,{}()"'#%~\\=@$&^[\]]/g, '') ?? ''
    const base = own || makeKey(work)
    let key = base
    for (let copy = 1; taken.has(key.toLowerCase()); copy++) {
      key = base + (copy <= 26 ? String.fromCharCode(96 + copy) : `-${copy}`)
    }
    taken.add(key.toLowerCase())
    return key
  })
}

function makeKey(work: Work): string {
  const fold = (text: string): string => foldText(text).replace(/[^a-z0-9]+/g, '')
  const words = work.title.split(/[^\p{L}\p{M}\p{N}]+/u).map(fold)
  const word = words.find((candidate) => candidate !== '' && !SMALL_WORDS.test(candidate)) ?? ''
  const name = fold((work.authors[0] ?? work.editors[0])?.family ?? '')
  return `${name}${work.year ?? ''}${word}` || 'work'
}
