/** Files of any size are read piece by piece, folders in one order, and what cannot be read is named. */

import { createReadStream } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CairnError } from '../core/errors.js'
import type { ReadOptions, SkippedEntry } from './importer.js'

/** A longer line is no record. */
const MAX_LINE_BYTES = 128 * 1024 * 1024
/** A record holds fifty million characters; a file that is larger than all of them could be is not opened. */
export const MAX_TEXT_BYTES = 200 * 1024 * 1024
const LOOKED_AT = 8192

export function skipped(name: string, reason: string, line: number | null = null): SkippedEntry {
  return { kind: 'skipped', name, line, reason }
}

export function unreadablePath(path: string, cause: unknown): CairnError {
  const isMissing = codeOf(cause) === 'ENOENT'
  return new CairnError('unreadable_file', {
    message: isMissing ? `There is nothing at ${path}.` : `${path} cannot be read.`,
    hint: isMissing ? 'Check how it is spelled.' : 'May you read it?',
    cause,
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function explainReadError(error: unknown): string {
  if (error instanceof CairnError) return error.message
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM') return 'It may not be read.'
  if (code === 'ENOENT') return 'It was gone before it could be read.'
  return `It cannot be read (${code || (error instanceof Error ? error.message : String(error))}).`
}

export type FoundFile = {
  readonly kind: 'file'
  /** Relative to the folder, with slashes. */
  readonly name: string
  readonly path: string
  readonly bytes: number
}

/** `.git`, `.obsidian`, `node_modules`: what tools keep for themselves. */
function isIgnored(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** All files below, in the order of their names; links to folders are not followed. */
export async function* walk(
  folder: string,
  within = '',
): AsyncGenerator<FoundFile | SkippedEntry, void> {
  let entries: Awaited<ReturnType<typeof readNames>>
  try {
    entries = await readNames(join(folder, within))
  } catch (error) {
    if (within === '') throw unreadablePath(folder, error)
    yield skipped(`${within}/`, explainReadError(error))
    return
  }
  for (const entry of entries) {
    if (isIgnored(entry.name)) continue
    const name = within === '' ? entry.name : `${within}/${entry.name}`
    if (entry.isDirectory()) yield* walk(folder, name)
    else yield* findFile(folder, name)
  }
}

async function readNames(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function* findFile(
  folder: string,
  name: string,
): AsyncGenerator<FoundFile | SkippedEntry, void> {
  const path = join(folder, name)
  try {
    const found = await stat(path)
    if (found.isFile()) yield { kind: 'file', name, path, bytes: found.size }
    else if (found.isDirectory()) {
      yield skipped(`${name}/`, 'It is a link to a folder, which is not followed.')
    }
  } catch (error) {
    yield skipped(name, explainReadError(error))
  }
}

/** The file itself, or those of the folder that are wanted, all known before the first is read. */
export async function* findFiles(
  path: string,
  isWanted: (name: string) => boolean,
  options: ReadOptions,
): AsyncGenerator<FoundFile | SkippedEntry, void> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadablePath(path, error)
  })
  const files: FoundFile[] = []
  if (found.isDirectory()) {
    for await (const one of walk(path)) {
      options.signal?.throwIfAborted()
      if (one.kind === 'skipped') yield one
      else if (isWanted(one.name)) files.push(one)
    }
  } else {
    files.push({ kind: 'file', name: basename(path), path, bytes: found.size })
  }
  options.onSize?.(files.reduce((sum, { bytes }) => sum + bytes, 0))
  yield* files
}

export async function readFirstBytes(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadablePath(path, error)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw unreadablePath(path, error)
  } finally {
    await file.close()
  }
}

export type ReadText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: string }

/** The text of a file, in whatever encoding it says or seems to have. */
export async function readText(file: FoundFile, options: ReadOptions): Promise<ReadText> {
  options.signal?.throwIfAborted()
  if (file.bytes > MAX_TEXT_BYTES) return none('It is larger than 200 MB.')
  try {
    const bytes = await readFile(file.path)
    options.onRead?.(bytes.length)
    return decode(bytes)
  } catch (error) {
    return none(explainReadError(error))
  }
}

function none(reason: string): ReadText {
  return { kind: 'none', reason }
}

export function decode(bytes: Uint8Array): ReadText {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return text(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return text(bytes, 'utf-16be')
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return none('It is no text.')
  try {
    return text(bytes, 'utf-8', true)
  } catch {
    // Older files of Windows: every byte is a character there, but hardly any is a control character.
    const controls = bytes.subarray(0, LOOKED_AT).filter(isControl).length
    return controls > 0 ? none('It is no text.') : text(bytes, 'windows-1252')
  }
}

function isControl(byte: number): boolean {
  return (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) || byte === 127
}

function text(bytes: Uint8Array, encoding: string, fatal = false): ReadText {
  return { kind: 'text', text: new TextDecoder(encoding, { fatal }).decode(bytes) }
}

/** The pieces of a file as the disk gives them. */
export async function* readChunks(
  path: string,
  { signal, onRead }: ReadOptions,
): AsyncGenerator<Buffer, void> {
  const stream = createReadStream(path, { highWaterMark: 1 << 18 })
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted()
      const bytes = chunk as Buffer
      onRead?.(bytes.length)
      yield bytes
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof CairnError ? error : unreadablePath(path, error)
  } finally {
    stream.destroy()
  }
}

export type ByteLine = {
  /** From 1. */
  readonly number: number
  /** Without its line feed; null where it was too long to be kept. */
  readonly bytes: Buffer | null
}

const LINE_FEED = 10

/** Splits on line feeds alone: a JSON text may hold other line ends of Unicode. */
export async function* readByteLines(
  path: string,
  options: ReadOptions,
  mostBytes = MAX_LINE_BYTES,
): AsyncGenerator<ByteLine, void> {
  let number = 0
  let parts: Buffer[] = []
  let held = 0
  const take = (part: Buffer): void => {
    held += part.length
    if (held <= mostBytes) parts.push(part)
    else parts = []
  }
  const finish = (): ByteLine => {
    number++
    const bytes = held > mostBytes ? null : Buffer.concat(parts)
    parts = []
    held = 0
    return { number, bytes }
  }
  for await (const chunk of readChunks(path, options)) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, end))
      start = end + 1
      yield finish()
    }
    take(chunk.subarray(start))
  }
  if (held > 0) yield finish()
}

export type TextLine = { readonly number: number; readonly text: string | null }

/** Lines that are not blank, as text. */
export async function* readTextLines(
  path: string,
  options: ReadOptions,
): AsyncGenerator<TextLine, void> {
  const decoder = new TextDecoder()
  for await (const { number, bytes } of readByteLines(path, options)) {
    const line = bytes === null ? null : decoder.decode(bytes)
    if (line?.trim() !== '') yield { number, text: line }
  }
}
