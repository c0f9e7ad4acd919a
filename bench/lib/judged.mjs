/** Reads the documents and queries of every judged set that is available, with ids that are unique across sets. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** Judged sets of scientific English. */
export const SETS = ['scifact', 'cranfield', 'cisi', 'cacm']

/** The folder of a judged set, or null. */
export function findSet(name) {
  const bases = [process.env.CAIRN_SHARED, join(ROOT, '..', 'shared')].filter(Boolean)
  return bases.map((base) => join(base, 'eval', name)).find((path) => existsSync(path)) ?? null
}

/**
 * Null where none of the sets is available.
 * @param tools `readSet` and `readDocuments` of `cairn eval`
 * @param count how many queries in all, the same number of each set
 */
export async function readJudged({ readSet, readDocuments }, count, sets = SETS) {
  const there = sets.flatMap((name) => {
    const folder = findSet(name)
    return folder === null ? [] : [{ name, folder }]
  })
  if (there.length === 0) return null
  const documents = []
  const queries = []
  for (const { name, folder } of there) {
    const set = await readSet(name, folder, { corpus: 'corpus.jsonl', qrels: null, evidence: null })
    const idOf = (id) => `${name}/${id}`
    for await (const document of readDocuments(set.corpusFile)) {
      const record = toRecord(document)
      if (record !== null) documents.push({ record, id: idOf(document.id) })
    }
    for (const { text, judged } of set.queries.slice(0, Math.ceil(count / there.length))) {
      queries.push({ text, judged: new Map([...judged].map(([id, score]) => [idOf(id), score])) })
    }
  }
  return { documents, queries, sets: there.map(({ name }) => name) }
}

/** The title of a document without a text is its text; an empty document is left out. */
function toRecord({ title, text }) {
  const body = text.trim() === '' ? title : text
  if (body.trim() === '') return null
  return { title: body === title ? null : title, body }
}

/** The ids of documents by their text: equal texts are one record, which stands for both. */
export function documentsByText(documents) {
  const byText = new Map()
  for (const { record, id } of documents) {
    const text = textOf(record)
    byText.set(text, [...(byText.get(text) ?? []), id])
  }
  return byText
}

export const textOf = ({ title, body }) => `${title ?? ''}\n${body}`
