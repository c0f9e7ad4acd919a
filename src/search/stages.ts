/** Measures the stages of a search: embedding, words, vectors, fusion and page. */

import type { Storage } from '../storage/storage.js'

export type Stages = {
  /** The model that embedded the query, where one did. */
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
  /** The time of a stage inside another does not count for the outer one. */
  const measure = async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
    const startMs = timer()
    const around = outer
    outer = stage
    try {
      return await work()
    } finally {
      outer = around
      const tookMs = timer() - startMs
      stages[stage] += tookMs
      if (around !== null) stages[around] -= tookMs
    }
  }

  return {
    stages,
    measure,
    /** The same storage; what it reads by words and by vectors is measured. */
    watch(storage: Storage): Storage {
      return {
        ...storage,
        rank: (...asked) => measure('words', () => storage.rank(...asked)),
        newest: (...asked) => measure('words', () => storage.newest(...asked)),
        containing: (...asked) => measure('words', () => storage.containing(...asked)),
        weigh: (...asked) => measure('words', () => storage.weigh(...asked)),
        vectors: {
          ...storage.vectors,
          nearest: (...asked) => measure('vectors', () => storage.vectors.nearest(...asked)),
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
