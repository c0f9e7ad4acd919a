/** Measures search on judged sets through the public API, with the default settings. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cairn } from '../cairn/cairn.js'
import { type OpenOptions, openCairn } from '../cairn/open.js'
import type { Hit } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { QueryLine } from './compare.js'
import {
  type Document,
  findSets,
  type JudgedQuery,
  type JudgedSet,
  readDocuments,
  readSet,
  type SetFiles,
} from './judged-set.js'
import { type Figures, judge, showsPassage, summarize } from './metrics.js'

type SearchInput = Exclude<Parameters<Cairn['search']>[0], string>
type RecordInput = Parameters<Cairn['addMany']>[0][number]

type EvalOptions = SetFiles & {
  readonly folders: readonly string[]
  readonly modes: readonly string[]
  readonly lens: string | null
  /** A file or folder with other documents, which no query asks for; null for none. */
  readonly among: string | null
  /** At most this many queries of each set; null: all. */
  readonly limitQueries: number | null
  /** An empty folder for the index. */
  readonly workFolder: string
  readonly env: NonNullable<OpenOptions['env']>
  /** The embedding model; null for the bundled one. */
  readonly model: Exclude<OpenOptions['vectors'], false | undefined> | null
  readonly timer: () => number
  readonly onProgress: (progress: EvalProgress) => void
}

type EvalProgress = { readonly unit: string; readonly done: number; readonly total: number }

export type SetReport = {
  readonly docs: number
  /** How many other documents there were. */
  readonly among?: number
  readonly queries: number
  readonly modes: Readonly<Record<string, Figures>>
}

export type EvalReport = {
  readonly sets: Readonly<Record<string, SetReport>>
  /** Over all queries of all sets, by mode. */
  readonly mean: Readonly<Record<string, Figures>>
}

type EvalOutcome = {
  readonly report: EvalReport
  readonly degraded: Readonly<Record<string, number>>
  readonly lines: readonly QueryLine[]
}

const DEPTH = 100
/** How many documents of a ranking are written to a line. */
const SHOWN = 10
const BATCH = 256
/** The time of the first document of a set without dates. */
const FIRST_AT = Date.UTC(2020, 0, 1)
const APART_MS = 1000

export async function evaluate(options: EvalOptions): Promise<EvalOutcome> {
  const { folders, modes, limitQueries } = options
  const sets: JudgedSet[] = []
  for (const { name, folder } of findSets(folders, options.corpus)) {
    const set = await readSet(name, folder, options)
    sets.push({ ...set, queries: set.queries.slice(0, limitQueries ?? set.queries.length) })
  }
  await assertAskable(options)

  const reports: Record<string, SetReport> = {}
  const degraded: Record<string, number> = {}
  const lines: QueryLine[] = []
  for (const [i, set] of sets.entries()) {
    const file = join(options.workFolder, `${i}.cairn`)
    const indexed = await indexInto(file, set, options)
    const figures: Record<string, Figures> = {}
    for (const mode of modes) {
      const asked = await askAll(indexed, mode, options)
      figures[mode] = summarize(asked.lines)
      lines.push(...asked.lines)
      degraded[mode] = (degraded[mode] ?? 0) + asked.degraded
    }
    const { documents: docs, queries, among } = indexed
    const others = among === null ? {} : { among }
    reports[set.name] = { docs, ...others, queries: queries.length, modes: figures }
    await rm(file, { force: true })
  }
  const means = modes.map((mode) => [mode, summarize(lines.filter((line) => line.mode === mode))])
  return { report: { sets: reports, mean: Object.fromEntries(means) }, degraded, lines }
}

/** A mode or lens that the library refuses fails here, before an hour of indexing. */
async function assertAskable(options: EvalOptions): Promise<void> {
  await using cairn = await openCairn({ file: ':memory:', ...openOptions(options) })
  for (const mode of options.modes) await cairn.search(toSearch('', mode, options.lens))
}

function openOptions({ env, model }: EvalOptions): Pick<OpenOptions, 'env' | 'vectors'> {
  return { env, ...(model === null ? {} : { vectors: model }) }
}

type IndexedSet = JudgedSet & { readonly file: string; readonly among: number | null } & Documents

async function indexInto(file: string, set: JudgedSet, options: EvalOptions): Promise<IndexedSet> {
  await using cairn = await openCairn({ file, ...openOptions(options) })
  const among = options.among === null ? null : await importOthers(cairn, options.among, options)
  const documents = await indexSet(cairn, set, (done) =>
    options.onProgress({ unit: `documents of ${set.name}`, done, total: set.documents }),
  )
  return { ...set, file, among, ...documents }
}

async function importOthers(
  cairn: Cairn,
  path: string,
  { onProgress }: EvalOptions,
): Promise<number> {
  const { read: documents } = await cairn.import(path, {
    onProgress: ({ read }) => onProgress({ unit: 'other documents', done: read, total: read }),
  })
  return documents
}

/** Opens the file again for each mode, so that none profits from what another left in memory. */
async function askAll(set: IndexedSet, mode: string, options: EvalOptions) {
  const answering = { ...openOptions(options), create: false, cache: false } as const
  await using cairn = await openCairn({ file: set.file, ...answering })
  const lines: QueryLine[] = []
  let degraded = 0
  for (const [i, query] of set.queries.entries()) {
    const out = [...new Set(query.exclude.flatMap((name) => set.toRecords.get(name) ?? []))]
    const ids = out.length === 0 ? {} : { ids: { out } }
    const input = { ...toSearch(query.text, mode, options.lens), ...ids }
    const start = options.timer()
    const answer = await cairn.search(input)
    const ms = options.timer() - start
    // Another document is found instead of one of the set.
    const ranking = answer.hits.flatMap(({ id }) => set.ofRecord.get(id) ?? [id])
    lines.push({
      set: set.name,
      mode,
      query: query.id,
      ...judge(ranking.slice(0, DEPTH), query.judged, ms),
      ...(query.evidence.length > 0 && { passage: isShown(answer.hits, query, set) ? 1 : 0 }),
      ranking: ranking.slice(0, SHOWN),
    })
    if (answer.degraded !== null) degraded++
    const unit = `queries of ${set.name}, ${mode}`
    options.onProgress({ unit, done: i + 1, total: set.queries.length })
  }
  return { lines, degraded }
}

/** Whether the snippet of the first relevant hit on the page shows a passage that holds the answer. */
function isShown(hits: readonly Hit[], { judged, evidence }: JudgedQuery, set: IndexedSet) {
  const relevant = hits
    .slice(0, SHOWN)
    .find(({ id }) => set.ofRecord.get(id)?.some((document) => (judged.get(document) ?? 0) > 0))
  if (relevant?.snippet == null) return false
  const { snippet, record } = relevant
  const shown = { start: snippet.start, end: snippet.start + snippet.text.length }
  return evidence.some((text) => {
    const start = record.body.indexOf(text)
    return start >= 0 && showsPassage(shown, { start, end: start + text.length })
  })
}

function toSearch(query: string, mode: string, lens: string | null): SearchInput {
  // The library knows the modes and lenses, and refuses others.
  return { query, mode, limit: DEPTH, ...(lens !== null && { lens }) } as SearchInput
}

/** Which documents a record stands for: the same text twice is one record. */
export type Documents = {
  readonly ofRecord: ReadonlyMap<RecordId, readonly string[]>
  /** By the document's id, and for a part of a work by the work as well. */
  readonly toRecords: ReadonlyMap<string, readonly RecordId[]>
}

export async function indexSet(
  cairn: Cairn,
  set: JudgedSet,
  onProgress: (done: number) => void,
): Promise<Documents> {
  const ofRecord = new Map<RecordId, string[]>()
  const toRecords = new Map<string, RecordId[]>()
  const addBatch = async (batch: readonly Document[]): Promise<void> => {
    const answers = await addAll(cairn, set.corpusFile, batch)
    for (const [i, { id }] of answers.entries()) {
      const { id: document = '', paper = null } = batch[i] ?? {}
      for (const name of paper === null || paper === document ? [document] : [document, paper]) {
        toRecords.set(name, [...(toRecords.get(name) ?? []), id])
      }
      ofRecord.set(id, [...(ofRecord.get(id) ?? []), document])
    }
  }
  let batch: Document[] = []
  let done = 0
  onProgress(0)
  for await (const document of readDocuments(set.corpusFile)) {
    done++
    // A document without any text cannot be stored, so it cannot be found. It still counts if it is judged.
    if (`${document.title}${document.text}`.trim() !== '') batch.push(document)
    if (batch.length < BATCH) continue
    await addBatch(batch)
    batch = []
    onProgress(done)
  }
  if (batch.length > 0) await addBatch(batch)
  onProgress(done)
  return { ofRecord, toRecords }
}

async function addAll(cairn: Cairn, file: string, batch: readonly Document[]) {
  try {
    return await cairn.addMany(batch.map(toRecord))
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'bad_input') throw error
    const lines = `lines ${batch[0]?.line} to ${batch.at(-1)?.line}`
    throw new CairnError('bad_input', {
      message: `${file}, ${lines}, cannot be added: ${error.message}`,
      cause: error,
    })
  }
}

/** Documents of the same time keep the order of their lines. A document that has only a title is that text. */
function toRecord({ title, text, session, speaker, at, paper, line }: Document): RecordInput {
  const hasBoth = title.trim() !== '' && text.trim() !== ''
  return {
    title: hasBoth ? title : null,
    body: text.trim() === '' ? title : text,
    people: speaker === null ? [] : [speaker],
    occurredAt: (at ?? FIRST_AT) + line * APART_MS,
    ...(paper !== null && { source: paper }),
    ...(session !== null && { session }),
  }
}
