/** Lists all importers and chooses the one for a path. */

import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { badInput } from '../core/errors.js'
import { claudeCode, codex } from './agent-sessions.js'
import { archive } from './archive.js'
import { chat } from './chat.js'
import { chatgpt, claude } from './chat-exports.js'
import { readFirstBytes, unreadablePath, walk } from './files.js'
import { git } from './git.js'
import type { ArchiveReader, Beginning, Importer } from './importer.js'
import { beir, jsonl } from './jsonl.js'
import { markdown } from './markdown.js'
import { mbox } from './mbox.js'
import { pdf } from './pdf.js'
import { text } from './text.js'
import { bibtex, csl, ris } from './works.js'

/** In the order in which they are tried: those with a distinctive form first. */
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

const BEGINNING_BYTES = 65_536
const MAX_FILES = 2000
const MAX_LOGS = 5

export type ImportPath = {
  /** Absolute, so that a source has one name. */
  readonly path: string
  readonly isFolder: boolean
  readonly bytes: number | null
}

export async function chooseImporter(
  path: string,
  { format }: { readonly format?: string | undefined } = {},
): Promise<ImportPath & { readonly importer: Importer | ArchiveReader }> {
  const absolute = resolve(path)
  const stats = await stat(absolute).catch((error: unknown) => {
    throw unreadablePath(path, error)
  })
  const isFolder = stats.isDirectory()
  const source = { path: absolute, isFolder, bytes: isFolder ? null : stats.size }
  const names = IMPORTERS.map(({ name }) => name).sort()
  if (format !== undefined) {
    const importer = IMPORTERS.find(({ name }) => name === format)
    if (importer !== undefined) return { ...source, importer }
    throw badInput(`There is no format "${format}".`, `There are ${names.join(', ')}.`)
  }
  if (stats.size === 0 && !isFolder) throw badInput(`${path} is empty.`)
  const beginning = isFolder ? await listFolder(absolute) : await readBeginning(absolute)
  const importer = IMPORTERS.find((one) => one.detect(absolute, beginning))
  if (importer !== undefined) return { ...source, importer }
  throw badInput(
    isFolder
      ? `Nothing in the folder ${path} looks like a note, a text, a PDF, mail or a conversation.`
      : `${path} is of no kind that can be imported.`,
    `Name its format: ${names.join(', ')}.`,
  )
}

async function readBeginning(path: string): Promise<Beginning> {
  const bytes = await readFirstBytes(path, BEGINNING_BYTES)
  return { bytes, text: new TextDecoder().decode(bytes), files: null, logs: [] }
}

async function listFolder(path: string): Promise<Beginning> {
  const files: string[] = []
  for await (const found of walk(path)) {
    if (found.kind === 'skipped') continue
    files.push(found.name)
    if (files.length >= MAX_FILES) break
  }
  const logs: string[] = []
  for (const file of files.filter((name) => name.endsWith('.jsonl')).slice(0, MAX_LOGS)) {
    logs.push((await readBeginning(join(path, file)).catch(() => null))?.text ?? '')
  }
  return { bytes: new Uint8Array(0), text: '', files, logs }
}
