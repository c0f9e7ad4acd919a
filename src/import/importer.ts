/** The interface of an importer, the entries it reads, and the list of formats. */

import type { Work } from '../core/work.js'
import type { Paper } from '../literature/match-pdf.js'
import type { RecordInput } from '../schemas/record-requests.js'
import type { PdfWorker } from './pdf/worker.js'

export type EntrySession = {
  readonly id: string
  readonly title: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
}

export type EntryLink = {
  /** One word in capitals. `SUPERSEDES`: this record replaces the other. */
  readonly type: string
  /** The key or an alias of another entry of the same source. */
  readonly to: string
}

/** Of an entry from a folder: the format of its file. */
type FromFile = { readonly format?: ImportFormat }

export type RecordEntry = FromFile & {
  readonly kind: 'record'
  /** Stable within the source: a relative path, the id of a message, the hash of a commit. */
  readonly key: string
  /** Of everything that would be stored. */
  readonly hash: string
  readonly record: RecordInput
  readonly session?: EntrySession
  readonly links?: readonly EntryLink[]
  /** Other names that links may use for it. */
  readonly aliases?: readonly string[]
  /** For a PDF: the details that identify its work. */
  readonly paper?: Paper
  /** The key of the work of the same source whose full text it is. */
  readonly textOf?: string
}

export type WorkEntry = Pick<RecordEntry, 'key' | 'hash' | 'format'> & {
  readonly kind: 'work'
  readonly work: Work
}

/** Stored already; not read again because that would be slow. */
export type UnchangedEntry = Pick<RecordEntry, 'key' | 'hash' | 'format' | 'aliases' | 'links'> & {
  readonly kind: 'unchanged'
}

/** Not imported, or not completely. `name` is its key, its file or its first words. */
export type SkippedEntry = FromFile & {
  readonly kind: 'skipped'
  readonly name: string
  readonly line: number | null
  readonly reason: string
}

/** A file, or a folder with a slash at its end, that a rule leaves out. It exists, so nothing of it is deleted. */
export type IgnoredEntry = {
  readonly kind: 'ignored'
  readonly name: string
  /** The file or the option with the rule, such as `.gitignore`. */
  readonly rule: string
}

export type ImportEntry = RecordEntry | WorkEntry | UnchangedEntry | SkippedEntry | IgnoredEntry

export const FORMAT_DESCRIPTIONS = {
  folder: 'A folder: each file in the format that it has.',
  archive: 'An archive: all that `cairn export --all` wrote, with its ids, times and past.',
  markdown: 'Markdown notes: a file, or a folder such as a vault of Obsidian.',
  text: 'Plain text: a file, or every text file of a folder.',
  pdf: 'PDFs with text: a file, or a folder of them.',
  html: 'Web pages: an .html file, such as a browser saves.',
  docx: 'Documents of Word: a .docx file.',
  epub: 'E-books: an .epub file.',
  zip: 'A zip: each file in the format that it has, such as the export of ChatGPT or Claude.',
  jsonl: 'JSON and JSONL: objects with body, text or content; docs/import.md describes them.',
  chatgpt: 'The conversations.json of a ChatGPT export; a zip or folder of one is read as it is.',
  claude: 'The conversations.json of a Claude export; a zip or folder of one is read as it is.',
  'claude-code':
    'Sessions of Claude Code: a .jsonl file, or a folder of them such as ~/.claude/projects.',
  codex:
    'Sessions of Codex: a rollout-….jsonl file, or a folder of them such as ~/.codex/sessions.',
  gemini:
    'Sessions of Gemini CLI: a session-….json or .jsonl file, or a folder of them such as ~/.gemini/tmp.',
  chat: 'Any list of messages with role (or speaker, author) and content (or text): JSON or JSONL.',
  beir: 'A BEIR folder: corpus.jsonl with _id, title and text.',
  mbox: 'Mail: an .mbox or .eml file, such as Thunderbird and Google Takeout write.',
  zotero: 'A Zotero library: the folder with zotero.sqlite and storage, such as ~/Zotero.',
  git: 'The history of a git repository: a record for each commit.',
  bibtex: 'BibTeX and BibLaTeX: a .bib file.',
  ris: 'RIS: a .ris file.',
  csl: 'CSL-JSON: what Zotero and others export as .json.',
} as const

export type ImportFormat = keyof typeof FORMAT_DESCRIPTIONS

export type ReadOptions = {
  readonly signal?: AbortSignal | undefined
  /** Gets the total number of bytes as soon as it is known; `onRead` then gets how many more were read. */
  readonly onSize?: ((bytes: number) => void) | undefined
  readonly onRead?: ((bytes: number) => void) | undefined
  /** Also reads files outside of the folder that links in it point to. */
  readonly followLinks?: boolean | undefined
  /** Patterns as in `.gitignore`: of a folder, only files that match, or only those that do not. */
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  /** Of a file in a folder: its name there, and a path that is the same in every import. */
  readonly file?: { readonly name: string; readonly path: string } | undefined
  /** Shared by all PDFs of an import: a thread takes long to start. */
  readonly pdfWorker: PdfWorker
  /** Whether an entry with this hash is stored: a slow reader then skips it. */
  readonly isKnown?: ((key: string, hash: string) => Promise<boolean>) | undefined
}

export type ReadProgress = Pick<ReadOptions, 'signal' | 'onRead'>

export type Beginning = {
  /** The first bytes of a file, also as text; empty for a folder. */
  readonly bytes: Uint8Array
  readonly text: string
  /** The files of a folder, and the first one that would be read; null for a file. */
  readonly files: readonly string[] | null
}

export type Importer = {
  readonly name: Exclude<ImportFormat, 'archive'>
  /** Whether files that disappear from the folder are deleted, unless the caller says otherwise. */
  readonly isMirror?: true
  detect(path: string, beginning: Beginning): boolean
  /** Throws only for a path that cannot be read at all, never for the content of a file. */
  read(path: string, options: ReadOptions): AsyncIterable<ImportEntry>
}

/** An archive has lines instead of entries. */
export type ArchiveReader = Pick<Importer, 'detect'> & {
  readonly name: 'archive'
  readonly isMirror?: never
  /** Every line, including blank ones, so that they can be counted. */
  readLines(path: string, options: ReadProgress): AsyncIterable<string>
}
