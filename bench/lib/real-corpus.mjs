/** Makes any number of records from sentences of the judged sets, with the real questions of these sets. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, MAIN_NAMESPACE, RARE_NAMESPACE } from './corpus.mjs'
import { findSet, SETS } from './judged.mjs'

/** The queries of the sets are questions and claims of whole sentences. */
const QUERY_FILES = ['queries.jsonl', 'queries_train.jsonl']
const SENTENCE_END = /(?<=[.?!])\s+|\n{2,}/
const SHORTEST_SENTENCE = 20
const MOST_SENTENCES = 9
/** The share of a record that is from the document of its title. */
const OWN_SHARE = 0.5

/** Null where the folder of judged sets is missing. */
export function openRealCorpus(seed = 1) {
  const folders = SETS.map(findSet)
  if (folders.includes(null)) return null
  const sets = folders.map((folder) => readLines(folder, 'corpus.jsonl').map(toDocument))
  return {
    records: (count) => generateRecords(count, sets, createRandom(seed)),
    /** Each once, in an order that mixes the sets. */
    questions: (count) => shuffle(readQueries(folders), createRandom(seed + 1)).slice(0, count),
  }
}

function readLines(folder, file) {
  const path = join(folder, file)
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
}

function toDocument({ title, text }) {
  const sentences = text.split(SENTENCE_END).map((sentence) => sentence.trim())
  return { title, sentences: sentences.filter(({ length }) => length >= SHORTEST_SENTENCE) }
}

/** A title with some sentences of its document and some of others of the same set. */
function* generateRecords(count, sets, random) {
  const pick = (list) => list[Math.floor(random() * list.length)]
  const told = sets.map((documents) => documents.filter(({ sentences }) => sentences.length > 0))
  for (let i = 0; i < count; i++) {
    const documents = pick(told)
    const own = pick(documents)
    const length = 1 + Math.floor(random() * MOST_SENTENCES)
    const sentences = Array.from({ length }, () =>
      pick((random() < OWN_SHARE ? own : pick(documents)).sentences),
    )
    yield {
      title: own.title,
      body: sentences.join(' '),
      tags: [],
      namespace: i % 100 === 7 ? RARE_NAMESPACE : MAIN_NAMESPACE,
    }
  }
}

function readQueries(folders) {
  const texts = folders.flatMap((folder) =>
    QUERY_FILES.flatMap((file) => readLines(folder, file)).map(({ text }) => text),
  )
  return [...new Set(texts.map((text) => text.replace(/\s+/g, ' ').trim()))]
}

function shuffle(items, random) {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[other]] = [mixed[other], mixed[i]]
  }
  return mixed
}
