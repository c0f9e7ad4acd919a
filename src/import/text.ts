/** A text file becomes a document under its name, and what is no text is said to be none. */

import { cleanLabel, hashValue } from './fields.js'
import { decode, type FoundFile, findFiles, readText, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'

export const text: Importer = {
  name: 'text',
  sentence: FORMAT_DESCRIPTIONS.text,
  isMirror: true,
  detect: (_, { bytes, files }) =>
    files === null
      ? bytes.length > 0 && decode(bytes).kind === 'text'
      : files.some((file) => /\.(?:txt|text)$/i.test(file)),
  read,
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  for await (const file of findFiles(path, () => true, options)) {
    yield file.kind === 'skipped' ? file : await readOne(file, options)
  }
}

async function readOne(file: FoundFile, options: ReadOptions): Promise<ImportEntry> {
  const found = await readText(file, options)
  if (found.kind === 'none') return skipped(file.name, found.reason)
  if (found.text.trim() === '') return skipped(file.name, 'It is empty.')
  const record = {
    body: found.text,
    title: titleFromPath(file.name),
    kind: 'document' as const,
    source: cleanLabel(file.name.slice(-500)),
    metadata: { path: file.name },
  }
  return { kind: 'record', key: file.name, hash: hashValue(record), record }
}

/** The name without its folder and ending. */
export function titleFromPath(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return last.replace(/(?<=.)\.[^.]*$/, '')
}
