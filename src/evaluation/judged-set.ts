/** Finds judged sets in folders and reads their documents, queries and judgements, checked before anything is indexed. */

import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { badInput, CairnError } from '../core/errors.js'
import { type Fields, isFields, textAt } from '../core/json-fields.js'
import type { Judgements } from './metrics.js'

export type Document = {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly session: string | null
  readonly speaker: string | null
  /** When it was said or written, in milliseconds, if its date can be read. */
  readonly at: number | null
  readonly paper: string | null
  readonly line: number
}

export type JudgedQuery = {
  readonly id: string
  readonly text: string
  /** Documents that may not be found, such as the one that the query was taken from. */
  readonly exclude: readonly string[]
  readonly judged: Judgements
  /** The passages of the documents that hold the answer; empty if none are judged. */
  readonly evidence: readonly string[]
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
  /** Judgements of passages, which are the documents of `corpus.jsonl`; null for none. */
  readonly evidence: string | null
}

type SetFolder = { readonly name: string; readonly folder: string }

/** How many folders deep sets are looked for: a wrong path must not walk a whole disk. */
const DEPTH = 2
const QRELS = ['qrels.tsv', join('qrels', 'test.tsv')]
const PASSAGES = 'corpus.jsonl'
const EXCLUDING = ['exclude', 'paper', 'citing_paper']

/** The folders with a corpus, in the order given and then by name. Sets of one name get their paths as names. */
export function findSets(folders: readonly string[], corpus: string): SetFolder[] {
  const found = new Map<string, SetFolder>()
  for (const folder of folders) {
    const inside = findSetsIn({ name: basename(resolve(folder)), folder }, corpus, DEPTH)
    if (inside.length === 0) {
      throw new CairnError('unreadable_file', {
        message: `There is no ${corpus} in ${folder} or in the folders inside it.`,
        hint: 'Name the folder of a set, and its corpus with --corpus where it has another name.',
      })
    }
    for (const one of inside) {
      if (!found.has(resolve(one.folder))) found.set(resolve(one.folder), one)
    }
  }
  const sets = [...found.values()]
  return sets.map((one) => {
    const isShared = sets.some((other) => other !== one && other.name === one.name)
    return isShared ? { ...one, name: resolve(one.folder) } : one
  })
}

function findSetsIn({ name, folder }: SetFolder, corpus: string, depth: number): SetFolder[] {
  if (existsSync(join(folder, corpus))) return [{ name, folder }]
  if (depth === 0) return []
  return listFolders(folder).flatMap((inner) =>
    findSetsIn({ name: `${name}/${inner}`, folder: join(folder, inner) }, corpus, depth - 1),
  )
}

function listFolders(folder: string): string[] {
  try {
    // By name and number: conv-9 comes before conv-10.
    const { compare } = new Intl.Collator('en', { numeric: true })
    return readdirSync(folder)
      .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory())
      .sort(compare)
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The folder ${folder} cannot be read.`,
      hint: 'Check that it exists, is a folder, and may be read.',
      cause,
    })
  }
}

/** The set of a folder, with the queries that have at least one relevant document in the corpus. */
export async function readSet(name: string, folder: string, files: SetFiles): Promise<JudgedSet> {
  const corpusFile = join(folder, files.corpus)
  const judgements = await readJudgements(findQrels(folder, files.qrels))
  const queries = await readQueries(join(folder, 'queries.jsonl'), judgements)
  const ids = new Set<string>()
  for await (const { id, line } of readDocuments(corpusFile)) {
    if (ids.has(id)) throw invalidLine(corpusFile, { number: line }, `the _id "${id}" is taken`)
    ids.add(id)
  }
  const evidence = await readEvidence(folder, files.evidence)
  const usable = queries
    .filter(({ judged }) => [...judged].some(([id, score]) => score > 0 && ids.has(id)))
    .map((query) => ({ ...query, evidence: evidence.get(query.id) ?? [] }))
  if (usable.length === 0) {
    throw badInput(
      `No query of ${folder} has a relevant document in ${files.corpus}.`,
      'The ids of the judgements must be those of the queries and of the corpus.',
    )
  }
  return { name, corpusFile, documents: ids.size, queries: usable }
}

/** The texts of the relevant passages of each query. */
async function readEvidence(folder: string, qrels: string | null) {
  const texts = new Map<string, string[]>()
  if (qrels === null) return texts
  const passages = new Map<string, string>()
  for await (const { id, text } of readDocuments(join(folder, PASSAGES))) passages.set(id, text)
  for (const [query, judged] of await readJudgements(join(folder, qrels))) {
    const relevant = [...judged].filter(([, score]) => score > 0)
    texts.set(
      query,
      relevant.flatMap(([id]) => passages.get(id) ?? []),
    )
  }
  return texts
}

export async function* readDocuments(file: string): AsyncGenerator<Document> {
  for await (const line of readLines(file)) {
    const fields = parseObject(file, line)
    const id = textAt(fields, '_id')
    if (id === null) throw invalidLine(file, line, 'the document has no _id')
    // Null stands for no text in some sets.
    const [title, text] = [fields.title ?? '', fields.text ?? '']
    if (typeof title !== 'string' || typeof text !== 'string') {
      throw invalidLine(file, line, 'title and text must be text')
    }
    const { metadata } = fields
    yield {
      id,
      title,
      text,
      session: textAt(metadata, 'session'),
      speaker: textAt(metadata, 'speaker'),
      at: parseWrittenDate(textAt(metadata, 'date_time')),
      paper: textAt(metadata, 'paper'),
      line: line.number,
    }
  }
}

/** `1:56 pm on 8 May, 2023`, as chats write it. */
const TIME_FIRST = /^(\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?)\s+on\s+(.+)$/i
const HAS_ZONE = /(?:z|[+-]\d{2}:?\d{2}|gmt|utc)$/i
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/

/** Milliseconds, or null. A date without a zone is in UTC, so that a set gives the same figures everywhere. */
export function parseWrittenDate(written: string | null): number | null {
  const text = (written ?? '').trim()
  const [, time, day] = TIME_FIRST.exec(text) ?? []
  const inOrder = time === undefined ? text : `${day} ${time}`
  if (!/\d{4}/.test(inOrder)) return null
  let zoned = inOrder
  if (!HAS_ZONE.test(inOrder) && !ISO_DAY.test(inOrder)) {
    zoned = ISO_TIME.test(inOrder) ? `${inOrder.replace(' ', 'T')}Z` : `${inOrder} UTC`
  }
  const ms = Date.parse(zoned)
  return Number.isNaN(ms) ? null : ms
}

async function readQueries(file: string, judgements: ReadonlyMap<string, Judgements>) {
  const queries = new Map<string, JudgedQuery>()
  for await (const line of readLines(file)) {
    const fields = parseObject(file, line)
    const id = textAt(fields, '_id')
    if (id === null) throw invalidLine(file, line, 'the query has no _id')
    if (queries.has(id)) throw invalidLine(file, line, `the _id "${id}" is taken`)
    const { text, metadata } = fields
    if (typeof text !== 'string' || text.trim() === '') {
      throw invalidLine(file, line, 'the query has no text')
    }
    const excluded = EXCLUDING.flatMap((name) => (isFields(metadata) ? metadata[name] : []))
    const exclude = excluded.flatMap((one) => textAt({ one }, 'one') ?? [])
    queries.set(id, { id, text, exclude, judged: judgements.get(id) ?? new Map(), evidence: [] })
  }
  return [...queries.values()]
}

function findQrels(folder: string, given: string | null): string {
  const names = given === null ? QRELS : [given]
  const paths = names.map((name) => join(folder, name))
  const found = given === null ? paths.find((path) => existsSync(path)) : paths[0]
  if (found !== undefined) return found
  throw new CairnError('unreadable_file', {
    message: `There are no judgements in ${folder}: neither ${QRELS.join(' nor ')}.`,
    hint: 'Name their file with --qrels.',
  })
}

/** The columns of the query, the document and the score. */
const BEIR = [0, 1, 2]
const TREC = [0, 2, 3]

/** Judgements by query, in the format of BEIR or TREC. A pair that is judged twice has the higher score. */
async function readJudgements(file: string): Promise<ReadonlyMap<string, Judgements>> {
  const byQuery = new Map<string, Map<string, number>>()
  let named: readonly number[] | null = null
  let isFirst = true
  for await (const line of readLines(file)) {
    // An id may hold a space, so tabs go first; TREC files often have spaces alone.
    const separator = line.text.includes('\t') ? '\t' : / +/
    const cells = line.text.split(separator).map((cell) => cell.trim())
    const isHeader = isFirst && Number.isNaN(Number(cells.at(-1)))
    isFirst = false
    if (isHeader) {
      const at = ['query-id', 'corpus-id', 'score'].map((name) => cells.indexOf(name))
      named = at.includes(-1) ? null : at
      continue
    }
    const columns = named ?? (cells.length === 4 ? TREC : BEIR)
    const [query = '', document = '', written = ''] = columns.map((at) => cells[at])
    const score = Number(written)
    if (query === '' || document === '' || written === '' || !Number.isFinite(score)) {
      throw invalidLine(file, line, 'this is not a query, a document and a score')
    }
    const judged = byQuery.get(query) ?? new Map<string, number>()
    byQuery.set(query, judged.set(document, Math.max(score, judged.get(document) ?? -Infinity)))
  }
  return byQuery
}

export type Line = { readonly text: string; readonly number: number }

/**
 * The lines that are not blank, numbered from 1. Splits on line feeds alone: a JSON text may hold U+2028, at which
 * Node's own `readline` would split it.
 */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let rest = ''
  let number = 0
  for await (const chunk of readChunks(file)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      number++
      const text = line.replace(/^\uFEFF|\r$/g, '')
      if (text.trim() !== '') yield { text, number }
    }
  }
}

/** The text of a file piece by piece, with a line feed at the end. */
async function* readChunks(file: string): AsyncGenerator<string> {
  try {
    for await (const chunk of createReadStream(file, { encoding: 'utf8' })) yield String(chunk)
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `${file} cannot be read.`,
      hint: 'Check that it exists, is a file, and may be read.',
      cause,
    })
  }
  yield '\n'
}

export function parseObject(file: string, line: Line): Fields {
  let value: unknown
  try {
    value = JSON.parse(line.text)
  } catch {
    throw invalidLine(file, line, 'this is not JSON')
  }
  if (isFields(value)) return value
  throw invalidLine(file, line, 'this is not a JSON object')
}

export function invalidLine(file: string, { number }: Pick<Line, 'number'>, why: string) {
  const hint = 'docs/evaluation.md shows the shape of a set.'
  return badInput(`${file}, line ${number}: ${why}.`, hint)
}
