/** Counts the contents of a file, checks it, repairs it and compacts it. */

import type { Overview } from '../core/answer.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/record-requests.js'
import type { Check, Figures, FileSizes, OptimizeOutcome, Statistics } from '../storage/storage.js'
import type { ModelProbe } from './model-probes.js'
import type { Context } from './scope.js'

export type StatsAnswer = Statistics & {
  /** Null in a pinned namespace, as is everything that is counted for the whole file. */
  readonly file: string | null
  readonly chunks: number
  readonly vectors: Readonly<Record<string, number>>
  readonly waiting: number
  /** The space that each part takes; null if it was not requested. */
  readonly sizes: FileSizes | null
}

export type DoctorAnswer = {
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly repaired: boolean
  /** The models that are configured, and whether each answers; `ok` does not depend on it. */
  readonly models: readonly ModelProbe[]
}

export function createMaintenance(context: Context) {
  const { storage, file, scope, now, decay, indexer } = context

  const checkModel = async (): Promise<Check> => {
    const detail = await indexer.checkBundled().catch((error: Error) => error.message)
    return { name: 'model', ok: detail === '', detail }
  }

  /** The bundled model makes all its vectors again. Vectors of other models are costly, so unchanged ones are kept. */
  const rebuild = async (): Promise<void> => {
    const changed = await indexer.listChangedFiles()
    const [bundled] = changed?.length === 0 ? [await storage.vectors.active()] : []
    await storage.rebuild(bundled?.id ?? null)
    if (changed !== null && changed.length > 0) return
    const { waiting } = await storage.vectors.coverage()
    const isAvailable = await indexer.embedPending(waiting)
    if (isAvailable) await indexer.embedPast()
  }

  return {
    async stats(input: requests.StatsOptions = {}): Promise<StatsAnswer> {
      const { sizes } = check(requests.statsRequest, input)
      const { pinnedNamespace } = scope
      const statistics = await storage.statistics(pinnedNamespace)
      const stored = await storage.vectors.models(pinnedNamespace)
      const active = stored.find(({ state }) => state === 'active')
      const { waiting } = await storage.vectors.coverage(pinnedNamespace)
      return {
        file: pinnedNamespace === null ? file : null,
        ...statistics,
        chunks: active?.vectors ?? 0,
        vectors: Object.fromEntries(stored.map(({ id, vectors }) => [id, vectors])),
        waiting,
        sizes: sizes && pinnedNamespace === null ? await storage.sizes() : null,
      }
    },

    figures: (): Promise<Figures> => storage.figures(),

    async overview(input: requests.OverviewInput = {}): Promise<Overview> {
      const { by, namespaces } = check(requests.overviewRequest, input)
      const narrowed = scope.narrow(namespaces)
      return storage.overview({ by: by ?? null, namespaces: narrowed, nowMs: now(), decay })
    },

    async doctor(input: requests.DoctorOptions = {}): Promise<DoctorAnswer> {
      const { repair } = check(requests.doctorRequest, input)
      scope.assertUnpinned('A check covers')
      if (repair) {
        await rebuild()
        await storage.log.note({ action: 'doctor', namespace: null, subject: null })
      }
      const checks = [...(await storage.check()), await checkModel()]
      const { probeModels } = await import('./model-probes.js')
      const probes = await probeModels(context)
      return { ok: checks.every(({ ok }) => ok), checks, repaired: repair, models: probes }
    },

    async optimize(input: requests.OptimizeOptions = {}): Promise<OptimizeOutcome> {
      const { vacuum } = check(requests.optimizeRequest, input)
      scope.assertUnpinned('Optimizing changes')
      return storage.optimize(vacuum)
    },
  }
}
