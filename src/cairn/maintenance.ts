/** What the file holds and whether it is sound can be asked at any time. */

import type { Check, FileSizes, OptimizeOutcome, Statistics, Storage } from '../storage/storage.js'
import type { Models } from './models.js'

export type StatsAnswer = Statistics & {
  readonly file: string
  readonly chunks: number
  /** Vectors by model. */
  readonly vectors: Readonly<Record<string, number>>
  /** Records that have no vectors yet. */
  readonly waiting: number
  /** What takes how much room; null where it was not asked for. */
  readonly sizes: FileSizes | null
}

export type StatsOptions = {
  /** Also measures what takes how much room, for which the whole file is read. Default: false. */
  readonly sizes?: boolean
}

export type DoctorAnswer = {
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly repaired: boolean
}

export async function readStats(
  storage: Storage,
  file: string,
  { sizes = false }: StatsOptions = {},
): Promise<StatsAnswer> {
  const statistics = await storage.statistics()
  const models = await storage.vectors.models()
  const active = models.find(({ state }) => state === 'active')
  const { waiting } = await storage.vectors.coverage()
  return {
    file,
    ...statistics,
    chunks: active?.vectors ?? 0,
    vectors: Object.fromEntries(models.map(({ id, vectors }) => [id, vectors])),
    waiting,
    sizes: sizes ? await storage.sizes() : null,
  }
}

export type OptimizeOptions = {
  /** Also writes the file anew, without the room that removed records left. Default: false. */
  readonly vacuum?: boolean | undefined
}

export function optimize(
  storage: Storage,
  { vacuum = false }: OptimizeOptions,
): Promise<OptimizeOutcome> {
  return storage.optimize(vacuum)
}

export async function examine(
  storage: Storage,
  models: Models,
  { repair = false }: { readonly repair?: boolean | undefined },
): Promise<DoctorAnswer> {
  if (repair) {
    await storage.rebuild()
    const checks = await storage.check()
    if (checks.some(({ name, ok }) => name === 'vectors' && !ok)) {
      await storage.vectors.clear()
      await models.embed(null)
    }
  }
  const checks = await storage.check()
  return { ok: checks.every(({ ok }) => ok), checks, repaired: repair }
}
