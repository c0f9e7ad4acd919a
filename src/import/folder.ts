/** Imports a folder: reads each file with the importer for its format, and reports files that no importer reads. */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type FoundFile, readFiles, skipped } from './files.js'
import type { ArchiveReader, ImportEntry, Importer, ReadOptions } from './importer.js'

type DetectFile = (path: string) => Promise<Importer | ArchiveReader | null>

export function createFolderImporter(detectFile: DetectFile): Importer {
  return {
    name: 'folder',
    isMirror: true,
    detect: (_, { files }) => files !== null && files.length > 0,
    read: (folder, given) => {
      const readOne = (file: FoundFile, options: ReadOptions) => {
        const path = join(given.file?.path ?? folder, file.name)
        return readByFormat(file, detectFile, { ...options, file: { name: file.name, path } })
      }
      return readFiles(() => true, readOne)(folder, given)
    },
  }
}

/** Reads one file of a folder or of a zip. */
export async function* readByFormat(
  file: FoundFile,
  detectFile: DetectFile,
  options: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  if (await isPartOfPage(file)) {
    options.onRead?.(file.bytes)
    yield { kind: 'ignored', name: file.name, rule: 'a saved page' }
    return
  }
  const importer = file.bytes === 0 ? null : await detectFile(file.path)
  if (importer === null || importer.name === 'archive' || isData(importer, file.name)) {
    options.onRead?.(file.bytes)
    yield skipped(file.name, explainSkipped(file, importer))
    return
  }
  const nameKey = (key: string): string => (importer.isMirror ? key : joinKey(file.name, key))
  const { isKnown } = options
  const entries = importer.read(file.path, {
    ...options,
    onSize: undefined,
    isKnown: isKnown && ((key, hash) => isKnown(nameKey(key), hash)),
  })
  for await (const entry of entries) {
    if (entry.kind === 'ignored') {
      yield entry
      continue
    }
    // A file in a zip has its format already.
    const { format = importer.name } = entry
    if (entry.kind === 'skipped') yield { ...entry, format }
    else if (entry.kind === 'work') yield { ...entry, key: nameKey(entry.key), format }
    else {
      const { key, aliases = importer.isMirror ? listTails(file.name) : [] } = entry
      const named = { key: nameKey(key), aliases: aliases.map(nameKey), format }
      if (entry.kind === 'unchanged') yield { ...entry, ...named }
      else {
        const links = entry.links?.map((link) => ({ ...link, to: nameKey(link.to) })) ?? []
        yield { ...entry, ...named, links }
      }
    }
  }
}

/** A note may link to `a/b/c.pdf` as `b/c.pdf` or `c.pdf`. */
function listTails(name: string): string[] {
  const parts = name.split('/')
  return parts.map((_, i) => parts.slice(i).join('/'))
}

/** Browsers save the pictures and scripts of `page.html` in `page_files/`. */
async function isPartOfPage({ path }: FoundFile): Promise<boolean> {
  const page = /^(.+)_files[/\\]/.exec(path)?.[1]
  if (page === undefined) return false
  const found = await Promise.all(
    ['.html', '.htm'].map((ending) => stat(page + ending).catch(() => null)),
  )
  return found.some((one) => one !== null)
}

/** Text for programs: nobody searches in it. */
const DATA = /\.(?:json|jsonl|ndjson|geojson|ipynb|svg|css|map|lock)$/i

function isData(importer: Importer, name: string): boolean {
  return importer.name === 'text' && DATA.test(name)
}

function explainSkipped({ name, bytes }: FoundFile, importer: Importer | ArchiveReader | null) {
  if (bytes === 0) return 'It is empty.'
  if (importer?.name === 'archive') return 'It is an archive; import it by its own path.'
  const extension = /\.[^./]{1,10}$/.exec(name)?.[0].toLowerCase() ?? ''
  if (importer !== null) return `No format fits this ${extension} file; \`--format text\` reads it.`
  return extension === '' ? 'No format fits it.' : `${extension} files cannot be imported.`
}

/** Two slashes never occur in the name of a file, so the key of an entry in a file shows which file it is in. */
const IN_FILE = '//'

function joinKey(name: string, key: string): string {
  return name + IN_FILE + (key.startsWith(`${name}/`) ? key.slice(name.length + 1) : key)
}

/** The file in which an entry of a folder is; null if the entry is the whole file. */
export function findFileOfKey(key: string): string | null {
  const end = key.indexOf(IN_FILE)
  return end < 0 ? null : key.slice(0, end)
}
