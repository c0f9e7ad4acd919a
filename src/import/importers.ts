/** Every importer is named once, and a path finds the one that fits it or one sentence that says why none does. */

import { closeSync, openSync, readSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { badInput } from '../core/errors.js'
import { archive } from './archive.js'
import { beir } from './beir.js'
import { chat } from './chat.js'
import { chatgpt } from './chatgpt.js'
import { claude } from './claude.js'
import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { readFirstBytes, unreadablePath, walk } from './files.js'
import { git } from './git.js'
import type { ArchiveReader, Beginning, Importer, ImportFormat } from './importer.js'
import { jsonl } from './jsonl.js'
import { markdown } from './markdown.js'
import { mbox } from './mbox.js'
import { pdf } from './pdf.js'
import { text } from './text.js'
import { bibtex, csl, ris } from './works.js'

/** In the order in which they are tried: what is told by its shape before what could be anything. */
export const IMPORTERS: readonly (Importer | ArchiveReader)[] = [
  archive,
  pdf,
  git,
  beir,
  codex,
  claudeCode,
  chatgpt,
  claude,
  mbox,
  jsonl,
  bibtex,
  ris,
  csl,
  chat,
  markdown,
  text,
]

const LOOKED_AT = 65_536
const FILES_LOOKED_AT = 2000

export type Chosen = ImportPath & { readonly importer: Importer | ArchiveReader }

export type ImportPath = {
  /** In full, so that it is the same source from wherever it is named. */
  readonly path: string
  readonly isFolder: boolean
  /** Null for a folder. */
  readonly bytes: number | null
}

export async function chooseImporter(
  path: string,
  { format }: { readonly format?: string | undefined } = {},
): Promise<Chosen> {
  const whole = resolve(path)
  const found = await stat(whole).catch((error: unknown) => {
    throw unreadablePath(path, error)
  })
  const isFolder = found.isDirectory()
  const place = { path: whole, isFolder, bytes: isFolder ? null : found.size }
  if (format !== undefined) return { ...place, importer: importerNamed(format) }
  if (!isFolder && found.size === 0) throw badInput(`${path} is empty.`)
  const beginning = await lookAt(whole, isFolder)
  const importer = IMPORTERS.find((one) => one.detect(whole, beginning))
  if (importer !== undefined) return { ...place, importer }
  throw badInput(
    isFolder
      ? `Nothing in the folder ${path} looks like a note, a text, a PDF, mail or a conversation.`
      : `${path} is of no kind that can be imported.`,
    `Name its format: ${formatNames()}.`,
  )
}

function formatNames(): string {
  return IMPORTERS.map(({ name }) => name)
    .sort()
    .join(', ')
}

function importerNamed(format: string): Chosen['importer'] {
  const importer = IMPORTERS.find(({ name }) => name === (format as ImportFormat))
  if (importer !== undefined) return importer
  throw badInput(`There is no format "${format}".`, `There are ${formatNames()}.`)
}

async function lookAt(path: string, isFolder: boolean): Promise<Beginning> {
  if (!isFolder) {
    const bytes = await readFirstBytes(path, LOOKED_AT)
    return { bytes, text: new TextDecoder().decode(bytes), files: null, peek: () => '' }
  }
  const files: string[] = []
  for await (const found of walk(path)) {
    if (found.kind === 'file') files.push(found.name)
    if (files.length >= FILES_LOOKED_AT) break
  }
  const peek = (file: string): string => peekAt(join(path, file))
  return { bytes: new Uint8Array(0), text: '', files, peek }
}

/** Empty where it cannot be read. */
function peekAt(path: string): string {
  try {
    const file = openSync(path, 'r')
    const bytes = Buffer.alloc(LOOKED_AT)
    try {
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, LOOKED_AT, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}
