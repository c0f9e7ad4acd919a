/** Walks folders in a fixed order, and reads files whole, in chunks or line by line; explains read errors. */

import { createReadStream, type Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { CairnError } from '../core/errors.js'
import { textAt } from '../core/json-fields.js'
import { createRules, findRule, type IgnoreRules, readRules } from './ignore-rules.js'
import type {
  IgnoredEntry,
  ImportEntry,
  ReadOptions,
  ReadProgress,
  SkippedEntry,
} from './importer.js'

const MAX_LINE_BYTES = 128 * 1024 * 1024
const MAX_TEXT_BYTES = 200 * 1024 * 1024
const SAMPLE_BYTES = 8192
const LINE_FEED = 10
const SPACES: readonly number[] = [9, LINE_FEED, 12, 13]

export function skipped(name: string, reason: string, line: number | null = null): SkippedEntry {
  return { kind: 'skipped', name, line, reason }
}

export function unreadablePath(path: string, cause: unknown): CairnError {
  const isMissing = textAt(cause, 'code') === 'ENOENT'
  return new CairnError('unreadable_file', {
    message: isMissing ? `There is nothing at ${path}.` : `${path} cannot be read.`,
    hint: isMissing ? 'Check how it is spelled.' : 'Check its permissions.',
    cause,
  })
}

export function explainReadError(error: unknown): string {
  if (error instanceof CairnError) return error.message
  const code = textAt(error, 'code')
  if (code === 'EACCES' || code === 'EPERM') return 'There is no permission to read it.'
  if (code === 'ENOENT') return 'It was gone before it could be read.'
  return `It cannot be read (${code ?? (error instanceof Error ? error.message : String(error))}).`
}

export type FoundFile = {
  readonly kind: 'file'
  /** Relative to the folder, with slashes. */
  readonly name: string
  readonly path: string
  readonly bytes: number
}

type WalkOptions = Pick<ReadOptions, 'followLinks' | 'include' | 'exclude'>

/**
 * All files of a folder and its subfolders, sorted by name. Passes over hidden files and `node_modules`, and names what the rules
 * of `.gitignore` and `.cairnignore` leave out. A folder may come from someone else, so a link in it to a file elsewhere
 * is skipped unless the caller asks for such files.
 */
export async function* walk(
  folder: string,
  options: WalkOptions = {},
): AsyncGenerator<FoundFile | SkippedEntry | IgnoredEntry, void> {
  yield* walkBelow(folder, '', { ...options, rules: await createRules(options) })
}

async function* walkBelow(
  folder: string,
  within: string,
  options: WalkOptions & { readonly rules: readonly IgnoreRules[] },
): AsyncGenerator<FoundFile | SkippedEntry | IgnoredEntry, void> {
  let entries: Dirent[] = []
  try {
    entries = await readdir(join(folder, within), { withFileTypes: true })
  } catch (error) {
    if (within === '') throw unreadablePath(folder, error)
    yield skipped(`${within}/`, explainReadError(error))
  }
  const rules = [...options.rules, ...(await readRules(folder, within, entries))]
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const name = within === '' ? entry.name : `${within}/${entry.name}`
    const fullName = entry.isDirectory() ? `${name}/` : name
    const rule = findRule(rules, fullName)
    if (rule !== null) {
      yield { kind: 'ignored', name: fullName, rule }
      continue
    }
    if (entry.isDirectory()) {
      yield* walkBelow(folder, name, { ...options, rules })
      continue
    }
    try {
      const path = join(folder, name)
      const found = await stat(path)
      const isKept =
        options.followLinks || !entry.isSymbolicLink() || (await isWithin(folder, path))
      if (found.isFile()) {
        yield isKept ? { kind: 'file', name, path, bytes: found.size } : skipped(name, OUTSIDE)
      } else if (found.isDirectory()) {
        yield skipped(`${name}/`, 'It is a link to a folder; such links are not followed.')
      }
    } catch (error) {
      yield skipped(name, explainReadError(error))
    }
  }
}

export const OUTSIDE =
  'It is a link to a file outside of the folder; `--follow-links` reads such files.'

/** Whether a path is in the folder once all links are followed. */
export async function isWithin(folder: string, path: string): Promise<boolean> {
  const [root, target] = await Promise.all([realpath(folder), realpath(path)])
  return target.startsWith(root.endsWith(sep) ? root : root + sep)
}

/** Reads the file itself, or all wanted files of the folder; a file that cannot be read is skipped with its reason. */
export function readFiles(
  isWanted: (name: string) => boolean,
  readOne: (file: FoundFile, options: ReadOptions) => AsyncIterable<ImportEntry>,
) {
  return async function* (path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
    const stats = await stat(path).catch((error: unknown) => {
      throw unreadablePath(path, error)
    })
    const files: FoundFile[] = []
    if (stats.isDirectory()) {
      for await (const found of walk(path, options)) {
        options.signal?.throwIfAborted()
        if (found.kind !== 'file') yield found
        else if (isWanted(found.name)) files.push(found)
      }
    } else {
      files.push({ kind: 'file', name: nameFile(path, options), path, bytes: stats.size })
    }
    options.onSize?.(files.reduce((sum, { bytes }) => sum + bytes, 0))
    for (const file of files) {
      try {
        yield* readOne(file, options)
      } catch (error) {
        options.signal?.throwIfAborted()
        yield skipped(file.name, explainReadError(error))
      }
    }
  }
}

/** Its name in the folder that is imported, or its own name. */
export function nameFile(path: string, { file }: Pick<ReadOptions, 'file'>): string {
  return file?.name ?? basename(path)
}

export async function readFirstBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of readChunks(path, {}, maxBytes)) parts.push(part)
  return Buffer.concat(parts)
}

/** The text of a file in whatever encoding it has; throws if it is not text. */
export async function readText(file: FoundFile, options: ReadProgress): Promise<string> {
  options.signal?.throwIfAborted()
  if (file.bytes > MAX_TEXT_BYTES) throwNotText('It is larger than 200 MB.')
  const bytes = await readFile(file.path)
  options.onRead?.(bytes.length)
  return decodeText(bytes) ?? throwNotText('It is not text.')
}

function throwNotText(message: string): never {
  throw new CairnError('unreadable_file', { message, hint: 'Choose a text file.' })
}

/** UTF-16 by its byte order mark, else UTF-8, else Windows-1252; null for bytes that are not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  if (sample.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // In Windows-1252 every byte is a character, but text holds hardly any control characters.
    const hasControls = sample.some((byte) => byte === 127 || (byte < 32 && !SPACES.includes(byte)))
    return hasControls ? null : new TextDecoder('windows-1252').decode(bytes)
  }
}

export async function* readChunks(
  path: string,
  { signal, onRead }: ReadProgress,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer, void> {
  const stream = createReadStream(path, { highWaterMark: 1 << 18, end: maxBytes - 1 })
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal?.throwIfAborted()
      onRead?.(chunk.length)
      yield chunk
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof CairnError ? error : unreadablePath(path, error)
  } finally {
    stream.destroy()
  }
}

/** Collects parts of a value; `take` returns them joined and starts anew, null for more than the limit. */
export function collectBytes(maxBytes: number) {
  let parts: Buffer[] = []
  let length = 0
  return {
    add: (part: Buffer): void => {
      length += part.length
      if (length <= maxBytes) parts.push(part)
      else parts = []
    },
    take: (): Buffer | null => {
      const [first] = parts
      const isOne = parts.length === 1 && first !== undefined
      const bytes = length > maxBytes ? null : isOne ? first : Buffer.concat(parts)
      parts = []
      length = 0
      return bytes
    },
  }
}

/** `number` is from 1; `bytes` are without the line feed, and null if the line is longer than the limit. */
type ByteLine = { readonly number: number; readonly bytes: Buffer | null }

/**
 * The lines of each chunk together: to wait for each of a million empty lines would take seconds. Splits only on line
 * feeds: a JSON text may hold other line ends of Unicode.
 */
export function readByteLines(path: string, options: ReadProgress, maxBytes = MAX_LINE_BYTES) {
  return splitBytes(readChunks(path, options), { separator: LINE_FEED, maxBytes })
}

/** Splits chunks of bytes as `readByteLines` does, at any byte. */
export async function* splitBytes(
  chunks: AsyncIterable<Buffer>,
  { separator, maxBytes }: { readonly separator: number; readonly maxBytes: number },
): AsyncGenerator<readonly ByteLine[], void> {
  const { add, take } = collectBytes(maxBytes)
  let number = 1
  for await (const chunk of chunks) {
    const lines: ByteLine[] = []
    let start = 0
    for (let end = chunk.indexOf(separator); end >= 0; end = chunk.indexOf(separator, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      lines.push({ number: number++, bytes: take() })
    }
    add(chunk.subarray(start))
    yield lines
  }
  const bytes = take()
  if (bytes?.length !== 0) yield [{ number, bytes }]
}
