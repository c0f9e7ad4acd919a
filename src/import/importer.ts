/** What an importer finds has one shape, whichever tool wrote it. */

import type { Work } from '../core/work.js'
import type { RecordInput } from '../schemas/record-requests.js'

/** A conversation as the other tool knew it. */
export type EntrySession = {
  readonly id: string
  readonly title: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
}

export type EntryLink = {
  /** One word in capitals. `SUPERSEDES`: this record takes the place of the other. */
  readonly type: string
  /** The key or an alias of another item of the same source. */
  readonly to: string
}

export type RecordEntry = {
  readonly kind: 'record'
  /** Stable within the source: a relative path, the id of a message, the hash of a commit. */
  readonly key: string
  /** Of everything that would be stored. */
  readonly hash: string
  readonly record: RecordInput
  readonly session?: EntrySession
  readonly links?: readonly EntryLink[]
  /** Other names by which links may call it. */
  readonly aliases?: readonly string[]
}

export type WorkEntry = {
  readonly kind: 'work'
  readonly key: string
  readonly hash: string
  readonly work: Work
}

/** What is there already, and was not read because that would take long. */
export type UnchangedEntry = {
  readonly kind: 'unchanged'
  readonly key: string
  readonly hash: string
}

/** What was not taken over, or not whole. `name` is its key, its file or its first words. */
export type SkippedEntry = {
  readonly kind: 'skipped'
  readonly name: string
  readonly line: number | null
  readonly reason: string
}

export type ImportEntry = RecordEntry | WorkEntry | UnchangedEntry | SkippedEntry

/** What each importer reads, for help and documentation. */
export const FORMAT_DESCRIPTIONS = {
  archive: 'An archive: all that `cairn export --all` wrote, with its ids, times and past.',
  markdown: 'Markdown notes: a file, or a folder such as a vault of Obsidian.',
  text: 'Plain text: a file, or every text file of a folder.',
  pdf: 'PDFs with text: a file, or a folder of them.',
  jsonl: 'JSONL: a record a line, as docs/import.md describes it.',
  chatgpt: 'The conversations.json of a ChatGPT export.',
  claude: 'The conversations.json of a Claude export.',
  'claude-code':
    'Sessions of Claude Code: a .jsonl file, or a folder of them such as ~/.claude/projects.',
  codex:
    'Sessions of Codex: a rollout-….jsonl file, or a folder of them such as ~/.codex/sessions.',
  chat: 'Any list of messages with role (or speaker, author) and content (or text): JSON or JSONL.',
  beir: 'A BEIR folder: corpus.jsonl with _id, title and text.',
  mbox: 'Mail: an .mbox or .eml file, such as Thunderbird and Google Takeout write.',
  git: 'The history of a git repository: a record for each commit.',
  bibtex: 'BibTeX and BibLaTeX: a .bib file.',
  ris: 'RIS: a .ris file.',
  csl: 'CSL-JSON: what Zotero and others export as .json.',
} as const

export type ImportFormat = keyof typeof FORMAT_DESCRIPTIONS
export const FORMATS = Object.keys(FORMAT_DESCRIPTIONS) as readonly ImportFormat[]

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
  readonly name: Exclude<ImportFormat, 'archive'>
  readonly sentence: string
  /** Whether the source is a mirror of files: what is gone from a folder is then deleted, unless told otherwise. */
  readonly isMirror: boolean
  detect(path: string, beginning: Beginning): boolean
  /** Never fails for what a file contains; only for a path that cannot be read at all. */
  read(path: string, options: ReadOptions): AsyncIterable<ImportEntry>
}

/** An archive is no source of items: its lines are put back as they are. */
export type ArchiveReader = Pick<Importer, 'sentence' | 'detect'> & {
  readonly name: 'archive'
  /** Every line, blank ones too, so that they can be counted. */
  readLines(path: string, options: ReadOptions): AsyncIterable<string>
}

/** A folder is of a kind where most of its files are; a vault of notes may hold a PDF. */
export function isMostly(files: readonly string[], isOne: (name: string) => boolean): boolean {
  const count = files.filter(isOne).length
  return count > 0 && count * 2 >= files.length
}
