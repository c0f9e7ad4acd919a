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
  const measure = async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
    const startMs = timer()
    const result = await work()
    stages[stage] += timer() - startMs
    return result
  }

  return {
    stages,
    measure,
    /** The same storage; what it reads by words and by vectors is measured, and not as fusion. */
    watch(storage: Storage): Storage {
      const read = async <T>(stage: 'words' | 'vectors', work: () => Promise<T>): Promise<T> => {
        const before = stages[stage]
        const result = await measure(stage, work)
        stages.fusion -= stages[stage] - before
        return result
      }
      return {
        ...storage,
        rank: (...asked) => read('words', () => storage.rank(...asked)),
        newest: (...asked) => read('words', () => storage.newest(...asked)),
        containing: (...asked) => read('words', () => storage.containing(...asked)),
        weigh: (...asked) => read('words', () => storage.weigh(...asked)),
        vectors: {
          ...storage.vectors,
          nearest: (...asked) => read('vectors', () => storage.vectors.nearest(...asked)),
          async gather(request) {
            const gathered = await read('words', () => storage.vectors.gather(request))
            stages.words -= gathered.vectorsMs
            stages.vectors += gathered.vectorsMs
            return gathered
          },
        },
      }
    },
  }
}
