/** The documents of a BEIR folder become documents, with all that is said about each. */

import { basename, join } from 'node:path'
import { cleanLabels, type Fields, hashValue, isFields, makeSessionId, textAt } from './fields.js'
import { skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'
import { readJsonLines } from './json-values.js'

const CORPUS = 'corpus.jsonl'

export const beir: Importer = {
  name: 'beir',
  sentence: FORMAT_DESCRIPTIONS.beir,
  isMirror: false,
  detect: (_, { text, files }) =>
    files === null
      ? /^\s*\{/.test(text) && /"_id"\s*:/.test(text) && /"text"\s*:/.test(text)
      : files.includes(CORPUS),
  read,
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const file = /\.jsonl$/i.test(path) ? path : join(path, CORPUS)
  for await (const entry of readJsonLines(file, options)) {
    if (entry.kind === 'broken') yield skipped(CORPUS, entry.reason, entry.line)
    else yield readDocument(entry.value, basename(file), entry.line)
  }
}

function readDocument(value: unknown, name: string, line: number): ImportEntry {
  const key = textAt(value, '_id')
  if (!isFields(value) || key === null) return skipped(name, 'The document has no _id.', line)
  const [title, text] = [textAt(value, 'title'), textAt(value, 'text')]
  const body = text ?? title
  if (body === null) return skipped(key, 'It has neither text nor title.', line)
  const metadata: Fields = isFields(value.metadata) ? value.metadata : {}
  const session = textAt(metadata, 'session')
  const id = session === null ? null : makeSessionId(session)
  const record = {
    body,
    title: text === null ? null : title,
    kind: 'document' as const,
    people: cleanLabels([textAt(metadata, 'speaker')]),
    metadata: { ...metadata, id: key },
    ...(id === null ? {} : { session: id }),
  }
  return {
    kind: 'record',
    key,
    hash: hashValue(record),
    record,
    ...(id === null ? {} : { session: { id, title: null, startedAt: null, endedAt: null } }),
  }
}
