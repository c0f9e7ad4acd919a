/** Promise: what an importer finds has one shape, whichever tool wrote it. */

import type { Work } from '../core/work.js'
import type { RecordInput } from '../requests/record-requests.js'

/** A conversation as the other tool knew it. */
export type ItemSession = {
  readonly id: string
  readonly title: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
}

export type ItemLink = {
  /** One word in capitals. `SUPERSEDES`: this record takes the place of the other. */
  readonly type: string
  /** The key or an alias of another item of the same source. */
  readonly to: string
}

export type RecordItem = {
  readonly kind: 'record'
  /** Stable within the source: a relative path, the id of a message, the hash of a commit. */
  readonly key: string
  /** Of everything that would be stored. */
  readonly hash: string
  readonly record: RecordInput
  readonly session?: ItemSession
  readonly links?: readonly ItemLink[]
  /** Other names by which links may call it. */
  readonly aliases?: readonly string[]
}

export type WorkItem = {
  readonly kind: 'work'
  readonly key: string
  readonly hash: string
  readonly work: Work
}

/** What is there already, and was not read because that would take long. */
export type SameItem = { readonly kind: 'same'; readonly key: string; readonly hash: string }

/** What was not taken over, or not whole. `name` is its key, its file or its first words. */
export type SkippedItem = {
  readonly kind: 'skipped'
  readonly name: string
  readonly line: number | null
  readonly reason: string
}

export type Item = RecordItem | WorkItem | SameItem | SkippedItem

export const FORMATS = [
  'markdown',
  'text',
  'pdf',
  'jsonl',
  'chatgpt',
  'claude',
  'claude-code',
  'codex',
  'chat',
  'beir',
  'mbox',
  'git',
  'bibtex',
  'ris',
  'csl',
] as const
export type ImportFormat = (typeof FORMATS)[number]

export type ReadOptions = {
  readonly signal?: AbortSignal | undefined
  /** How many bytes there are, as soon as that is known, and how many more were read. */
  readonly onSize?: ((bytes: number) => void) | undefined
  readonly onRead?: ((bytes: number) => void) | undefined
  /** Whether an item was stored with this hash before: what is slow to read is then left unread. */
  readonly isKnown?: ((key: string, hash: string) => Promise<boolean>) | undefined
}

/** What can be told of a path without reading all of it. */
export type Beginning = {
  /** The first bytes of a file; empty for a folder. */
  readonly bytes: Uint8Array
  /** The same as text. */
  readonly text: string
  /** For a folder, the first files in it and below, relative to it; null for a file. */
  readonly files: readonly string[] | null
  /** The beginning of a file of that folder. */
  readonly peek: (file: string) => string
}

export type Importer = {
  readonly name: ImportFormat
  /** What it reads, for help and documentation. */
  readonly sentence: string
  /** Whether the source is a mirror of files: what is gone from a folder is then deleted, unless told otherwise. */
  readonly isMirror: boolean
  detect(path: string, beginning: Beginning): boolean
  /** Never fails for what a file contains; only for a path that cannot be read at all. */
  read(path: string, options: ReadOptions): AsyncIterable<Item>
}

/** A folder is of a kind where most of its files are; a vault of notes may hold a PDF. */
export function isMostly(files: readonly string[], isOne: (name: string) => boolean): boolean {
  const count = files.filter(isOne).length
  return count > 0 && count * 2 >= files.length
}
