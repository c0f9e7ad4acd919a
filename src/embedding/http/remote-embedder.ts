/** A remote model answers like a local one: in batches, in order, checked, and at length 1. */

import { CairnError } from '../../core/errors.js'
import {
  closedEmbedder,
  type Embedder,
  type EmbedderModel,
  type EmbedOptions,
  normalise,
} from '../embedder.js'
import { cutToTokens, estimateTokens } from './estimate-tokens.js'
import type { RemoteModel } from './known-models.js'

/** How one kind of server is asked: vectors as it sent them, one per text, still unchecked. */
export type AskServer = (
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly unknown[]>

export type RemoteOptions = {
  readonly service: string
  readonly provider: string
  readonly name: string
  /** Dimensions are null until a probe has found them. */
  readonly recipe: Omit<RemoteModel, 'dimensions'> & { readonly dimensions: number | null }
  readonly ask: AskServer
  readonly batch: { readonly maxTexts: number; readonly maxTokens: number }
}

const PROBE = 'dimensions'

/** Asks the server once where neither the configuration nor the table knows the dimensions. */
export async function openRemoteEmbedder(options: RemoteOptions): Promise<Embedder> {
  const { service, ask, recipe } = options
  if (recipe.dimensions !== null) return createRemoteEmbedder(options, recipe.dimensions)
  const [vector] = readVectors(await ask([PROBE]), 1, service)
  return createRemoteEmbedder(options, vector?.length ?? 0)
}

function createRemoteEmbedder(options: RemoteOptions, dimensions: number): Embedder {
  const { provider, name, recipe, batch, ask, service } = options
  const model: EmbedderModel = {
    // Remote models keep their name when shortened; the dimensions tell the vectors apart.
    id: `${provider}/${name}@${dimensions}`,
    dimensions,
    maxTokens: recipe.maxTokens,
    floor: recipe.floor,
    cascadeThreshold: recipe.cascadeThreshold,
  }
  let isClosed = false

  async function embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (isClosed) throw closedEmbedder(model.id)
    const prefix = options.as === 'query' ? recipe.queryPrefix : recipe.passagePrefix
    // Servers refuse blank texts, or have an opinion on nothing; here nothing means no opinion.
    const vectors = texts.map((): Float32Array => new Float32Array(dimensions))
    const asked = texts.flatMap((text, index) =>
      text.trim() === '' ? [] : [{ index, text: cutToTokens(prefix + text, recipe.maxTokens) }],
    )
    for (const group of batches(asked, batch)) {
      const answer = await ask(
        group.map(({ text }) => text),
        options.signal,
      )
      for (const [i, vector] of readVectors(answer, group.length, service).entries()) {
        if (vector.length !== dimensions) throw wrongDimensions(model, vector.length)
        vectors[group[i]?.index ?? -1] = vector
      }
    }
    return vectors
  }

  return {
    model,
    embed,
    countTokens: estimateTokens,
    close: async () => {
      isClosed = true
    },
  }
}

type Asked = { readonly index: number; readonly text: string }

function* batches(asked: readonly Asked[], limit: RemoteOptions['batch']): Generator<Asked[]> {
  let group: Asked[] = []
  let tokens = 0
  for (const each of asked) {
    const more = estimateTokens(each.text)
    const isFull = group.length === limit.maxTexts || tokens + more > limit.maxTokens
    if (isFull && group.length > 0) {
      yield group
      group = []
      tokens = 0
    }
    group.push(each)
    tokens += more
  }
  if (group.length > 0) yield group
}

/** What a server sends is checked number by number: one NaN in the index would poison every distance to it. */
function readVectors(answer: readonly unknown[], count: number, service: string): Float32Array[] {
  if (answer.length !== count) {
    throw badAnswer(`${service} sent ${answer.length} vectors for ${count} texts.`)
  }
  return answer.map((values) => {
    if (!Array.isArray(values) || values.length === 0) {
      throw badAnswer(`${service} sent an answer without numbers.`)
    }
    if (!values.every((value) => typeof value === 'number' && Number.isFinite(value))) {
      throw badAnswer(`${service} sent a vector with something in it that is not a number.`)
    }
    return normalise(values)
  })
}

export function badAnswer(message: string): CairnError {
  return new CairnError('embedder_unavailable', {
    message,
    hint: 'Check that the model is an embedding model and that the server is up to date.',
  })
}

function wrongDimensions(model: EmbedderModel, got: number): CairnError {
  return new CairnError('dimension_mismatch', {
    message: `The model "${model.id}" sent vectors of ${got} numbers; ${model.dimensions} were expected.`,
    hint: `Set vectorSearch.dimensions to ${got}, or choose the model that made the stored vectors.`,
  })
}
