/** Promise: which models have read the file is known, and another can be put in charge while the old one serves. */

import { CairnError } from '../core/errors.js'
import type { EmbedderConfig } from '../embedding/open-embedder.js'
import type { BuildProgress, Meaning } from '../indexing/meaning.js'
import type { StoredModel } from '../storage/meaning.js'
import type { Storage } from '../storage/storage.js'

export type ModelsAnswer = {
  readonly models: readonly (StoredModel & {
    /** Share of the live records, 0..1. */ readonly coverage: number
  })[]
  readonly waiting: number
}

export type OnProgress = (progress: BuildProgress) => void

export type Models = ReturnType<typeof createModels>

export function createModels(storage: Storage, meaning: Meaning) {
  const list = async (): Promise<ModelsAnswer> => {
    const models = await storage.meaning.models()
    const { waiting, records } = await storage.meaning.coverage()
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
      if (config !== null) await meaning.build(config, onProgress)
      const { waiting } = await storage.meaning.coverage()
      for (let done = 0; ; ) {
        onProgress({ done, total: Math.max(done, waiting) })
        const read = await meaning.catchUp()
        if (read === 0) break
        done += read
      }
      return list()
    },
    async remove(id: string): Promise<void> {
      if (await storage.meaning.remove(id)) return
      const known = (await storage.meaning.models()).map((model) => model.id)
      throw new CairnError('not_found', {
        message: `There is no model "${id}" in this file.`,
        hint: known.length === 0 ? 'It has no vectors at all.' : `There are: ${known.join(', ')}.`,
      })
    },
  }
}
