/** Which models have read the file is known, and another can be put in charge while the old one serves. */

import { CairnError } from '../core/errors.js'
import type { BuildProgress, Indexer } from '../embedding/indexer.js'
import type { EmbedderConfig } from '../embedding/open-embedder.js'
import type { Storage } from '../storage/storage.js'
import type { StoredModel } from '../storage/vectors.js'

export type ModelsAnswer = {
  readonly models: readonly (StoredModel & {
    /** Share of the live records, 0..1. */ readonly coverage: number
  })[]
  readonly waiting: number
}

export type OnProgress = (progress: BuildProgress) => void

export type Models = ReturnType<typeof createModels>

export function createModels(storage: Storage, indexer: Indexer) {
  const list = async (): Promise<ModelsAnswer> => {
    const models = await storage.vectors.models()
    const { waiting, records } = await storage.vectors.coverage()
    return {
      waiting,
      models: models.map((model) => ({
        ...model,
        coverage: records === 0 ? 1 : Math.min(1, model.records / records),
      })),
    }
  }
  return {
    list,
    async embed(
      config: EmbedderConfig | null,
      onProgress: OnProgress = () => {},
    ): Promise<ModelsAnswer> {
      if (config !== null) await indexer.build(config, onProgress)
      const { waiting } = await storage.vectors.coverage()
      for (let done = 0; ; ) {
        onProgress({ done, total: Math.max(done, waiting) })
        const read = await indexer.catchUp()
        if (read === 0) break
        done += read
      }
      return list()
    },
    async remove(id: string): Promise<void> {
      if (await storage.vectors.remove(id)) return
      const known = (await storage.vectors.models()).map((model) => model.id)
      throw new CairnError('not_found', {
        message: `There is no model "${id}" in this file.`,
        hint: known.length === 0 ? 'It has no vectors at all.' : `There are: ${known.join(', ')}.`,
      })
    },
  }
}
