/** Whatever a file holds, what was read and what was not are both told, with their lines. */

import type { Work } from '../core/work.js'

export type ReadWork = {
  readonly work: Work
  /** Where its entry begins, from 1. */
  readonly line: number
}

export type Skipped = {
  /** Its key, or its first words. */
  readonly name: string
  readonly line: number
  /** One short sentence. */
  readonly reason: string
}

export type ReadWorks = {
  readonly works: readonly ReadWork[]
  readonly skipped: readonly Skipped[]
}

const FIRST_WORDS = 40

/** What a thing without a key is called: the beginning of its text. */
export function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= FIRST_WORDS ? line : `${line.slice(0, FIRST_WORDS).trimEnd()}…`
}

/** A work that nobody could find again is not kept. */
export function isNameless(work: Work): boolean {
  return work.title === '' && work.authors.length === 0 && work.doi === null && work.url === null
}

export const NAMELESS = 'It has no title, author, DOI or link.'

/** As `text.split('\n')` would see it, without a byte order mark and with one kind of line end. */
export function plainLines(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
}
