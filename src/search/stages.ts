/** Times the stages of a search: embedding, words, vectors, fusion and page. */

import type { Storage } from '../storage/storage.js'

export type Stages = {
  /** The model that embedded the query, if one did. */
  model: string | null
  embedding: number
  words: number
  vectors: number
  /** Ranking and corrections, without the reads of words and vectors. */
  fusion: number
  page: number
}
type Stage = Exclude<keyof Stages, 'model'>

export type StageTimer = ReturnType<typeof createStageTimer>

export function createStageTimer(timer: () => number) {
  const stages: Stages = { model: null, embedding: 0, words: 0, vectors: 0, fusion: 0, page: 0 }
  let outer: Stage | null = null
  /** The time of a nested stage is subtracted from the outer stage. */
  const measure = async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
    const startMs = timer()
    const enclosing = outer
    outer = stage
    try {
      return await work()
    } finally {
      outer = enclosing
      const tookMs = timer() - startMs
      stages[stage] += tookMs
      if (enclosing !== null) stages[enclosing] -= tookMs
    }
  }

  return {
    stages,
    measure,
    /** Wraps the storage so that its reads by words and by vectors are timed. */
    watch(storage: Storage): Storage {
      return {
        ...storage,
        rank: (...args) => measure('words', () => storage.rank(...args)),
        newest: (...args) => measure('words', () => storage.newest(...args)),
        containing: (...args) => measure('words', () => storage.containing(...args)),
        weigh: (...args) => measure('words', () => storage.weigh(...args)),
        vectors: {
          ...storage.vectors,
          nearest: (...args) => measure('vectors', () => storage.vectors.nearest(...args)),
          async gather(request) {
            const gathered = await measure('words', () => storage.vectors.gather(request))
            stages.words -= gathered.vectorsMs
            stages.vectors += gathered.vectorsMs
            return gathered
          },
        },
      }
    },
  }
}
