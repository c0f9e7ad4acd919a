/** Lists the embedding models of a file, makes missing vectors, and switches to another model. */

import { CairnError } from '../core/errors.js'
import type { BuildProgress } from '../embedding/indexer.js'
import type { EmbedderConfig } from '../embedding/open-embedder.js'
import type { StoredModel } from '../storage/vectors.js'
import type { Context } from './scope.js'

export type ModelsAnswer = {
  readonly models: readonly (StoredModel & {
    /** Share of the live records, 0..1. */ readonly coverage: number
  })[]
  readonly waiting: number
  /** The language model that answers questions; null if none is configured. */
  readonly llm: string | null
}

export type Models = ReturnType<typeof createModels>

export function createModels({ storage, indexer, chat, scope }: Context) {
  const models = async (): Promise<ModelsAnswer> => {
    const stored = await storage.vectors.models(scope.pinnedNamespace)
    const { waiting, records } = await storage.vectors.coverage(scope.pinnedNamespace)
    return {
      waiting,
      llm: chat?.id ?? null,
      models: stored.map((model) => ({
        ...model,
        coverage: records === 0 ? 1 : Math.min(1, model.records / records),
      })),
    }
  }
  return {
    models,

    async embed(
      config: EmbedderConfig | null = null,
      onProgress: (progress: BuildProgress) => void = () => {},
    ): Promise<ModelsAnswer> {
      if (config !== null) {
        scope.assertUnpinned('A model has vectors of')
        const { id: subject } = await indexer.build(config, onProgress)
        await storage.log.note({ action: 'embed', namespace: null, subject })
      }
      const { waiting } = await storage.vectors.coverage(scope.pinnedNamespace)
      for (let done = 0; ; ) {
        onProgress({ done, total: Math.max(done, waiting) })
        const embedded = await indexer.catchUp()
        if (embedded === 0) break
        done += embedded
      }
      return models()
    },

    async removeModel(id: string): Promise<void> {
      scope.assertUnpinned('A model has vectors of')
      if (await storage.vectors.remove(id)) {
        await storage.log.note({ action: 'models.remove', namespace: null, subject: id })
        return
      }
      const known = (await storage.vectors.models()).map((model) => model.id)
      throw new CairnError('not_found', {
        message: `There is no model "${id}" in this file.`,
        hint: known.length === 0 ? 'It has no vectors at all.' : `There are: ${known.join(', ')}.`,
      })
    },
  }
}
