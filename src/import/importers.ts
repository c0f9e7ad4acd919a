/** Lists all importers and chooses the one for a path. */

import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badInput } from '../core/errors.js'
import { claudeCode, codex, gemini } from './agent-sessions.js'
import { archive } from './archive.js'
import { chat } from './chat.js'
import { chatgpt, claude } from './chat-exports.js'
import { readFirstBytes, unreadablePath, walk } from './files.js'
import { createFolderImporter, readByFormat } from './folder.js'
import { git } from './git.js'
import { html } from './html.js'
import type { ArchiveReader, Importer } from './importer.js'
import { beir, jsonl } from './jsonl.js'
import { markdown } from './markdown.js'
import { mbox } from './mbox.js'
import { docx, epub } from './office.js'
import { pdf } from './pdf.js'
import { text } from './text.js'
import { bibtex, csl, ris } from './works.js'
import { createZipImporter } from './zip.js'
import { zotero } from './zotero/zotero.js'

const zip = createZipImporter((file, options) => readByFormat(file, detectFile, options))

/** In the order in which they are tried: those with a distinctive form first. */
const FILE_IMPORTERS: readonly (Importer | ArchiveReader)[] = [
  archive,
  docx,
  epub,
  zip,
  pdf,
  beir,
  codex,
  gemini,
  claudeCode,
  chatgpt,
  claude,
  mbox,
  bibtex,
  ris,
  csl,
  jsonl,
  chat,
  markdown,
  html,
  text,
]

const folder = createFolderImporter(detectFile)
const FOLDER_IMPORTERS: readonly Importer[] = [git, zotero, beir, folder]

export const IMPORTERS = [...new Set([...FOLDER_IMPORTERS, ...FILE_IMPORTERS])]

const BEGINNING_BYTES = 65_536

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
  const importer = isFolder ? await detectFolder(absolute) : await detectFile(absolute)
  if (importer !== null) return { ...source, importer }
  throw badInput(
    isFolder
      ? `There is no file in the folder ${path}.`
      : `${path} is of no kind that can be imported.`,
    isFolder ? 'Hidden files are not imported.' : `Name its format: ${names.join(', ')}.`,
  )
}

async function detectFile(path: string): Promise<Importer | ArchiveReader | null> {
  const bytes = await readFirstBytes(path, BEGINNING_BYTES)
  const beginning = { bytes, text: new TextDecoder().decode(bytes), files: null }
  return FILE_IMPORTERS.find((one) => one.detect(path, beginning)) ?? null
}

async function detectFolder(path: string): Promise<Importer | null> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadablePath(path, error)
  })
  const isShown = (entry: Dirent): boolean => entry.isFile() && !entry.name.startsWith('.')
  const files = entries.filter(isShown).map(({ name }) => name)
  for await (const found of walk(path)) {
    if (found.kind !== 'file') continue
    files.push(found.name)
    break
  }
  const beginning = { bytes: new Uint8Array(0), text: '', files }
  return FOLDER_IMPORTERS.find((one) => one.detect(path, beginning)) ?? null
}
