/** A text file becomes a document under its name, and what is no text is said to be none. */

import { hashOf, labelOf } from './fields.js'
import { decode, type FoundFile, filesAt, readText, skipped } from './files.js'
import { type Importer, type Item, type ReadOptions, SENTENCES } from './item.js'

export const text: Importer = {
  name: 'text',
  sentence: SENTENCES.text,
  isMirror: true,
  detect: (_, { bytes, files }) =>
    files === null
      ? bytes.length > 0 && decode(bytes).kind === 'text'
      : files.some((file) => /\.(?:txt|text)$/i.test(file)),
  read,
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<Item, void> {
  for await (const file of filesAt(path, () => true, options)) {
    yield file.kind === 'skipped' ? file : await readOne(file, options)
  }
}

async function readOne(file: FoundFile, options: ReadOptions): Promise<Item> {
  const found = await readText(file, options)
  if (found.kind === 'none') return skipped(file.name, found.reason)
  if (found.text.trim() === '') return skipped(file.name, 'It is empty.')
  const record = {
    body: found.text,
    title: titleOf(file.name),
    kind: 'document' as const,
    source: labelOf(file.name.slice(-500)),
    metadata: { path: file.name },
  }
  return { kind: 'record', key: file.name, hash: hashOf(record), record }
}

/** The name without its folder and ending. */
export function titleOf(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return last.replace(/(?<=.)\.[^.]*$/, '')
}
