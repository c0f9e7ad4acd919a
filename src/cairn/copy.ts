/** Copies everything to another file or database, with its vectors; a copy that was interrupted can be continued. */

import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { hidePassword, isDatabaseUrl } from '../core/database-url.js'
import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import { assertNames } from '../schemas/check.js'
import type { ArchiveLine } from '../storage/archive.js'
import type { Storage } from '../storage/storage.js'
import type { ModelInfo } from '../storage/vectors.js'
import { type ArchiveReport, importLines, writeLines } from './archive.js'
import { noteTaken } from './history.js'
import type { Context } from './scope.js'

export type CopyOptions = {
  /** Merges into a target that is not empty: of two different records, the one that changed last stays. Default: false. */
  readonly force?: boolean
  /** Records that were read, and how many there are. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
  /** Ends the copy. Written batches stay, and another run continues from there. */
  readonly signal?: AbortSignal
}

export type CopyReport = Omit<ArchiveReport, 'writtenBy' | 'dryRun'> & {
  readonly from: string
  readonly to: string
  /** Records whose vectors were copied. */
  readonly vectors: number
  /** Records of the target that have to be embedded there. */
  readonly waiting: number
}

/** At once; a record has its text and often several vectors. */
const BATCH = 500

export function createCopy(context: Context) {
  return async (address: string, options: CopyOptions = {}): Promise<CopyReport> => {
    assertNames(options, ['force', 'onProgress', 'signal'])
    context.scope.assertUnpinned('A copy holds')
    if (address === '') {
      throw badInput('A copy needs a target: a file or the address of a database.')
    }
    const source = nameFile(context.file)
    if (nameFile(address) === source) {
      throw badInput(`${hidePassword(address)} is the source itself.`, 'Name another target.')
    }
    const target = await context.openTarget(address)
    try {
      return await copyInto(context, { ...target, source }, options)
    } finally {
      await target.storage.close()
    }
  }
}

async function copyInto(
  context: Context,
  { storage: to, source, file }: { storage: Storage; source: string; file: string },
  options: CopyOptions,
) {
  const { force = false, onProgress = () => {}, signal } = options
  if (!force) {
    if (!(await to.archive.isFreeFor(source))) {
      throw badInput(
        `The target ${file} is not empty.`,
        'Name an empty one, or give --force to merge: of two different records the one that changed last stays.',
      )
    }
    await to.archive.noteCopy(source)
  }
  await context.recalls.written()
  await noteTaken(context.storage, { action: 'copy', namespace: null, subject: file })
  const { records, deleted } = await context.storage.statistics()
  const total = Object.values(records).reduce((sum, n) => sum + n, deleted)
  const vectors = createVectorCopy(context.storage, to)
  const imported = await importLines(
    { storage: to, log: context.log },
    writeLines(context.storage),
    {
      ...vectors,
      onProgress: (progress) => onProgress({ done: progress.records, total }),
      ...(signal !== undefined && { signal }),
    },
  )
  const { writtenBy: _, dryRun: __, ...report } = imported
  await to.archive.noteCopy(null)
  // The copy is complete without it.
  const optimized = report.added.record > 0 ? to.optimize(false) : Promise.resolve()
  await optimized.catch((error) => context.log('warn', 'copy.optimize', { error: String(error) }))
  const { waiting } = await to.vectors.coverage()
  return { from: context.file, to: file, ...report, vectors: vectors.count(), waiting }
}

/** One name for all spellings of a path. */
function nameFile(address: string): string {
  if (isDatabaseUrl(address)) return hidePassword(address)
  try {
    return realpathSync(address)
  } catch {
    return resolve(address)
  }
}

/** Copies vectors if both sides have the same active model. Otherwise the target makes its own. */
function createVectorCopy(from: Storage, to: Storage) {
  let shared: ModelInfo | null | undefined
  let copied = 0
  /** Turns that lack a neighbour until the next batch: their vector depends on all neighbours. */
  const late: RecordId[] = []

  const findModel = async (): Promise<ModelInfo | null> => {
    const [ours, theirs] = await Promise.all([from.vectors.active(), to.vectors.active()])
    const isSame = ours?.id === theirs?.id && ours?.dimensions === theirs?.dimensions
    return isSame ? ours : null
  }

  const copy = async (model: ModelInfo, ids: readonly RecordId[]): Promise<void> => {
    const missing = await to.vectors.listMissing(model.id, ids)
    const found = missing.length === 0 ? [] : await from.vectors.read(model.id, missing)
    const made = missing.flatMap((id, i) => {
      const vectors = found[i] ?? null
      return vectors === null ? [] : [{ id, vectors }]
    })
    if (made.length === 0) return
    await to.vectors.storeVectors(model, made)
    const left = await to.vectors.listMissing(
      model.id,
      made.map(({ id }) => id),
    )
    copied += made.length - left.length
    late.push(...left)
  }

  const copyPast = async (model: ModelInfo): Promise<void> => {
    for (let after = -1; ; ) {
      const states = await to.vectors.listPastPending(after, BATCH)
      const last = states.at(-1)
      if (last === undefined) return
      after = last.row
      const found = await from.vectors.readPast(model.id, states)
      const made = states.flatMap(({ row, title, body }, i) => {
        const whole = found[i] ?? null
        const vectors = { of: { title, body, context: null }, chunks: [], whole }
        return whole === null ? [] : [{ row, vectors }]
      })
      if (made.length > 0) await to.vectors.storePast(model, made)
    }
  }

  return {
    async afterBatch(batch: readonly ArchiveLine[]): Promise<void> {
      const ids = batch.flatMap(({ entry }) =>
        entry.kind === 'record' ? [entry.value.id as RecordId] : [],
      )
      if (ids.length === 0) return
      // The line of the model comes before all records.
      if (shared === undefined) shared = await findModel()
      if (shared !== null) await copy(shared, ids)
    },
    async atEnd(): Promise<void> {
      if (!shared) return
      const ids = late.splice(0)
      for (let i = 0; i < ids.length; i += BATCH) await copy(shared, ids.slice(i, i + BATCH))
      await copyPast(shared)
    },
    count: () => copied,
  }
}
