/** A folder becomes documents, queries and judgements, checked whole before anything is indexed. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { badInput, CairnError } from '../core/errors.js'
import { readJudgements } from './judgements.js'
import type { Judgements } from './metrics.js'
import { brokenLine, type Fields, isFields, readId, readLines, readObject } from './read-lines.js'
import { readWrittenDate } from './written-date.js'

export type Document = {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly session: string | null
  readonly speaker: string | null
  /** When it was said or written, as far as that can be read. */
  readonly at: number | null
  /** The work it is a part of. */
  readonly paper: string | null
  /** Its line in the file. */
  readonly line: number
}

export type JudgedQuery = {
  readonly id: string
  readonly text: string
  /** Documents that may not be found, such as the one that the query was taken from. */
  readonly exclude: readonly string[]
  readonly judged: Judgements
}

export type JudgedSet = {
  readonly name: string
  readonly corpusFile: string
  readonly documents: number
  readonly queries: readonly JudgedQuery[]
}

export type SetFiles = {
  readonly corpus: string
  /** Null for `qrels.tsv`, or else `qrels/test.tsv`. */
  readonly qrels: string | null
}

const QUERIES = 'queries.jsonl'
const QRELS = ['qrels.tsv', join('qrels', 'test.tsv')]
const EXCLUDING = ['exclude', 'paper', 'citing_paper']

/** The set of a folder: only queries for which at least one relevant document is in the corpus. */
export async function readSet(name: string, folder: string, files: SetFiles): Promise<JudgedSet> {
  const corpusFile = join(folder, files.corpus)
  const judgements = await readJudgements(qrelsOf(folder, files.qrels))
  const queries = await readQueries(join(folder, QUERIES), judgements)
  const ids = new Set<string>()
  for await (const { id, line } of readDocuments(corpusFile)) {
    if (ids.has(id)) throw brokenLine(corpusFile, { number: line }, `the _id "${id}" is taken`)
    ids.add(id)
  }
  const usable = queries.filter(({ judged }) =>
    [...judged].some(([id, score]) => score > 0 && ids.has(id)),
  )
  if (usable.length === 0) {
    throw badInput(
      `No query of ${folder} has a relevant document in ${files.corpus}.`,
      'The ids of the judgements must be those of the queries and of the corpus.',
    )
  }
  return { name, corpusFile, documents: ids.size, queries: usable }
}

export async function* readDocuments(file: string): AsyncGenerator<Document> {
  for await (const line of readLines(file)) {
    const fields = readObject(file, line)
    const { title = '', text = '' } = fields
    const id = readId(fields._id)
    if (id === null) throw brokenLine(file, line, 'the document has no _id')
    if (!isText(title) || !isText(text)) {
      throw brokenLine(file, line, 'title and text must be text')
    }
    const metadata = metadataOf(fields)
    const session = readId(metadata.session)
    const speaker = readId(metadata.speaker)
    yield {
      id,
      title: title ?? '',
      text: text ?? '',
      session,
      speaker,
      at: readWrittenDate(metadata.date_time),
      paper: readId(metadata.paper),
      line: line.number,
    }
  }
}

async function readQueries(
  file: string,
  judgements: ReadonlyMap<string, Judgements>,
): Promise<JudgedQuery[]> {
  const queries = new Map<string, JudgedQuery>()
  for await (const line of readLines(file)) {
    const fields = readObject(file, line)
    const id = readId(fields._id)
    if (id === null) throw brokenLine(file, line, 'the query has no _id')
    if (queries.has(id)) throw brokenLine(file, line, `the _id "${id}" is taken`)
    const { text } = fields
    if (typeof text !== 'string' || text.trim() === '') {
      throw brokenLine(file, line, 'the query has no text')
    }
    const metadata = metadataOf(fields)
    const exclude = EXCLUDING.flatMap((name) => metadata[name]).map(readId)
    const judged = judgements.get(id) ?? new Map<string, number>()
    queries.set(id, { id, text, exclude: exclude.filter((one) => one !== null), judged })
  }
  return [...queries.values()]
}

function qrelsOf(folder: string, given: string | null): string {
  if (given !== null) return join(folder, given)
  const there = QRELS.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (there !== undefined) return there
  throw new CairnError('unreadable_file', {
    message: `There are no judgements in ${folder}: neither ${QRELS.join(' nor ')}.`,
    hint: 'Name their file with --qrels.',
  })
}

/** Null stands for no text in some sets. */
function isText(value: unknown): value is string | null {
  return typeof value === 'string' || value === null
}

function metadataOf({ metadata }: Fields): Fields {
  return isFields(metadata) ? metadata : {}
}
