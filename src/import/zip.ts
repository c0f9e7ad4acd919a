/** Imports zips: each file in one is extracted, read in its format, and removed. Also reads parts of documents that are zips. */

import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import { CairnError } from '../core/errors.js'
import { textAt } from '../core/json-fields.js'
import { type FoundFile, nameFile, readFiles, skipped, unreadablePath } from './files.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'

const MAX_ENTRY_BYTES = 8 * 1024 ** 3
/** The largest part of a document that is read into memory. */
const MAX_PART_BYTES = 100 * 1024 ** 2
const MAX_ENTRIES = 100_000

type ReadByFormat = (file: FoundFile, options: ReadOptions) => AsyncIterable<ImportEntry>

export function createZipImporter(readByFormat: ReadByFormat): Importer {
  return {
    name: 'zip',
    detect: (path, { bytes }) => /\.zip$/i.test(path) && isZip(bytes),
    read: readFiles(
      (name) => /\.zip$/i.test(name),
      (file, options) => readZip(file, readByFormat, options),
    ),
  }
}

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)
}

async function* readZip(
  { path }: FoundFile,
  readByFormat: ReadByFormat,
  given: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  const root = given.file?.path ?? path
  const folder = await mkdtemp(join(tmpdir(), 'cairn-zip-'))
  let zip: ZipFile | null = null
  try {
    const opened = await openZip(path, nameFile(path, given))
    const { entries } = opened
    zip = opened.zip
    given.onSize?.(entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0))
    for (const [i, entry] of entries.entries()) {
      given.signal?.throwIfAborted()
      const { fileName: name, uncompressedSize: bytes } = entry
      const reason = findReasonToSkip(entry)
      if (reason !== null) {
        given.onRead?.(bytes)
        yield skipped(name, reason)
        continue
      }
      const within = join(folder, String(i))
      const target = join(within, basename(name))
      await mkdir(within)
      const damage = await extract(zip, entry, target)
      if (damage !== null) {
        given.onRead?.(bytes)
        yield skipped(name, damage)
        continue
      }
      const options = { ...given, file: { name, path: join(root, name) } }
      yield* readByFormat({ kind: 'file', name, path: target, bytes }, options)
      await rm(within, { recursive: true, force: true })
    }
  } finally {
    zip?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Why the entry cannot be extracted, or null. */
async function extract(zip: ZipFile, entry: Entry, target: string): Promise<string | null> {
  try {
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target))
    return null
  } catch (error) {
    // Errors of the disk have other codes, and those of the zip have none.
    const code = textAt(error, 'code')
    if (code !== null && !code.startsWith('Z_')) throw error
    return 'It is damaged in the zip.'
  }
}

/** Pictures and sound, which exports hold thousands of, are not extracted to find out that they cannot be read. */
const MEDIA = /\.(?:png|jpe?g|gif|webp|heic|tiff?|bmp|ico|wav|mp3|m4a|ogg|mp4|mov|webm|avi)$/i

function findReasonToSkip(entry: Entry): string | null {
  const { fileName, uncompressedSize } = entry
  const media = MEDIA.exec(fileName)?.[0]
  if (media !== undefined) return `${media.toLowerCase()} files cannot be imported.`
  if (/\.zip$/i.test(fileName)) return 'It is a zip in a zip.'
  if (entry.isEncrypted()) return 'It is encrypted.'
  return uncompressedSize > MAX_ENTRY_BYTES ? 'It is larger than 8 GB.' : null
}

async function openZip(path: string, name: string): Promise<{ zip: ZipFile; entries: Entry[] }> {
  const { openPromise } = await import('yauzl')
  const entries: Entry[] = []
  let zip: ZipFile | null = null
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false })
    for await (const entry of zip.eachEntry()) {
      const isHidden = /(?:^|\/)(?:\.|__MACOSX\/|node_modules\/)/.test(entry.fileName)
      if (!entry.fileName.endsWith('/') && !isHidden) entries.push(entry)
      if (entries.length > MAX_ENTRIES) throw tooMany(name)
    }
    return { zip, entries: entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)) }
  } catch (cause) {
    zip?.close()
    if (cause instanceof CairnError) throw cause
    if (textAt(cause, 'code') !== null) throw unreadablePath(path, cause)
    throw new CairnError('unreadable_file', {
      message: `The file ${name} is not a whole zip.`,
      hint: 'Download or copy it again.',
      cause,
    })
  }
}

function tooMany(name: string): CairnError {
  return new CairnError('unreadable_file', {
    message: `The zip ${name} has more than ${MAX_ENTRIES} files.`,
    hint: 'Unpack it, and import the folder.',
  })
}

/** Opens a document that is a zip of texts, such as a .docx file. `read` returns null for a part that is not there. */
export async function openDocument(path: string, name: string) {
  const { zip, entries } = await openZip(path, name)
  const byName = new Map(entries.map((entry) => [entry.fileName, entry]))
  const read = async (part: string): Promise<string | null> => {
    const entry = byName.get(part)
    if (entry === undefined || entry.uncompressedSize > MAX_PART_BYTES) return null
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    return new TextDecoder().decode(Buffer.concat(chunks))
  }
  return { read, close: () => zip.close() }
}
