/** Search is measured through the same door that users take, with the settings they get by default. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cairn } from '../cairn/cairn.js'
import { type OpenOptions, openCairn } from '../cairn/open.js'
import { type Answered, type Figures, judge, summarize } from './figures.js'
import { findSets } from './find-sets.js'
import { type Documents, indexSet } from './index-set.js'
import { type JudgedQuery, type JudgedSet, readSet, type SetFiles } from './judged-set.js'
import type { QueryLine } from './per-query.js'

type SearchInput = Exclude<Parameters<Cairn['search']>[0], string>

export type EvalOptions = SetFiles & {
  readonly folders: readonly string[]
  /** Each is asked every query; the library says which modes there are. */
  readonly modes: readonly string[]
  readonly lens: string | null
  /** Only so many queries of each set. */
  readonly limitQueries: number | null
  /** A folder for the index, empty and of no use afterwards. */
  readonly workFolder: string
  readonly env: NonNullable<OpenOptions['env']>
  /** The embedding model; null for the bundled one. */
  readonly model: Exclude<OpenOptions['vectors'], false | undefined> | null
  /** Milliseconds, with parts of them. */
  readonly timer: () => number
  readonly onProgress: (progress: EvalProgress) => void
}

export type EvalProgress = {
  readonly unit: string
  readonly done: number
  readonly total: number
}

export type SetReport = {
  readonly docs: number
  readonly queries: number
  readonly modes: Readonly<Record<string, Figures>>
}

export type EvalReport = {
  readonly sets: Readonly<Record<string, SetReport>>
  /** Over all queries of all sets, by mode. */
  readonly mean: Readonly<Record<string, Figures>>
}

/** What an evaluation found, and how many answers of a mode were not what it asked for. */
export type EvalOutcome = {
  readonly report: EvalReport
  readonly degraded: Readonly<Record<string, number>>
  /** Every query in every mode. */
  readonly lines: readonly QueryLine[]
}

/** As deep as the deepest measure looks. */
const DEPTH = 100
/** How many documents a line of a query keeps. */
const SHOWN = 10

export async function evaluate(options: EvalOptions): Promise<EvalOutcome> {
  const { folders, modes, limitQueries } = options
  const sets: JudgedSet[] = []
  for (const { name, folder } of findSets(folders, options.corpus)) {
    const set = await readSet(name, folder, options)
    sets.push({ ...set, queries: set.queries.slice(0, limitQueries ?? set.queries.length) })
  }
  await assertAskable(options)

  const reports: Record<string, SetReport> = {}
  const all = new Map(modes.map((mode) => [mode, [] as Answered[]]))
  const degraded = new Map<string, number>()
  const lines: QueryLine[] = []
  for (const [i, set] of sets.entries()) {
    const file = join(options.workFolder, `${i}.cairn`)
    const documents = await indexInto(file, set, options)
    const figures: Record<string, Figures> = {}
    for (const mode of modes) {
      const asked = await askAll({ file, set, documents, mode }, options)
      figures[mode] = summarize(asked.answered)
      all.get(mode)?.push(...asked.answered)
      lines.push(...asked.answered)
      degraded.set(mode, (degraded.get(mode) ?? 0) + asked.degraded)
    }
    reports[set.name] = { docs: set.documents, queries: set.queries.length, modes: figures }
    await rm(file, { force: true })
  }
  const means = [...all].map(([mode, answered]) => [mode, summarize(answered)] as const)
  return {
    report: { sets: reports, mean: Object.fromEntries(means) },
    degraded: Object.fromEntries(degraded),
    lines,
  }
}

/** A mode or a lens that the library refuses is said before an hour of indexing, in its own words. */
async function assertAskable(options: EvalOptions): Promise<void> {
  await using cairn = await openCairn({ file: ':memory:', ...openOptions(options) })
  for (const mode of options.modes) await cairn.search(toInput('', mode, options.lens))
}

function openOptions({ env, model }: EvalOptions): Pick<OpenOptions, 'env' | 'vectors'> {
  return { env, ...(model === null ? {} : { vectors: model }) }
}

async function indexInto(file: string, set: JudgedSet, options: EvalOptions): Promise<Documents> {
  await using cairn = await openCairn({ file, ...openOptions(options) })
  // Awaited here: the file is closed when this returns.
  return await indexSet(cairn, set, (done) =>
    options.onProgress({ unit: `documents of ${set.name}`, done, total: set.documents }),
  )
}

type Run = {
  readonly file: string
  readonly set: JudgedSet
  readonly documents: Documents
  readonly mode: string
}

/** Opened anew for each mode, so that none is faster for what another left in memory. */
async function askAll({ file, set, documents, mode }: Run, options: EvalOptions) {
  const answering = { ...openOptions(options), create: false, cache: false } as const
  await using cairn = await openCairn({ file, ...answering })
  const answered: QueryLine[] = []
  let degraded = 0
  for (const [i, query] of set.queries.entries()) {
    const input = { ...toInput(query.text, mode, options.lens), ...without(query, documents) }
    const start = options.timer()
    const answer = await cairn.search(input)
    const ms = options.timer() - start
    const ranking = answer.hits.flatMap(({ id }) => documents.ofRecord.get(id) ?? [])
    answered.push({
      set: set.name,
      mode,
      query: query.id,
      ...judge(ranking.slice(0, DEPTH), query.judged, ms),
      ranking: ranking.slice(0, SHOWN),
    })
    if (answer.degraded !== null) degraded++
    const unit = `queries of ${set.name}, ${mode}`
    options.onProgress({ unit, done: i + 1, total: set.queries.length })
  }
  return { answered, degraded }
}

function toInput(query: string, mode: string, lens: string | null): SearchInput {
  const input = { query, mode, limit: DEPTH, ...(lens === null ? {} : { lens }) }
  // Modes and lenses are the library's to know; it refuses others in its own words.
  return input as SearchInput
}

function without({ exclude }: JudgedQuery, { toRecords }: Documents): SearchInput {
  const out = [...new Set(exclude.flatMap((name) => toRecords.get(name) ?? []))]
  return out.length === 0 ? {} : { ids: { out } }
}
