/** Adapts the embedder of a program to the `Embedder` interface. */

import { badInput, CairnError } from '../core/errors.js'
import { type Embedder, normalise } from './embedder.js'
import { cutToTokens, estimateTokens } from './http/remote-embedder.js'

/** An embedding model of the program itself, as it is given to `openCairn`. */
export type OwnEmbedder = {
  /** Names the model and its version. Only vectors with the same id are compared. */
  readonly id: string
  readonly dimensions: number
  /** Returns one vector of `dimensions` numbers for each text, in order. Cairn normalises them. */
  readonly embed: (
    texts: readonly string[],
    role: 'query' | 'passage',
  ) => Promise<readonly ArrayLike<number>[]>
  /** The maximum length of a chunk in tokens of about four letters. Default: 512. */
  readonly maxTokens?: number
  /** Below this cosine a record does not match. Default: 0.3. */
  readonly floor?: number
  /** From this cosine on, the cascade lens accepts a match by vectors alone. Default: 0.7. */
  readonly cascadeThreshold?: number
}

/** Checks the shape of an embedder, so that a mistake is reported when the file is opened. */
export function checkOwnEmbedder(given: OwnEmbedder): OwnEmbedder {
  const fail = (problem: string) =>
    badInput(`embedder ${problem}.`, 'Give { id, dimensions, embed(texts, role) }.')
  if (typeof given !== 'object' || given === null) throw fail('must be an object')
  if (typeof given.id !== 'string' || given.id.trim() === '') throw fail('needs an id')
  if (!Number.isInteger(given.dimensions) || given.dimensions < 1)
    throw fail('needs dimensions, a whole number from 1 up')
  if (typeof given.embed !== 'function') throw fail('needs a function embed')
  return given
}

export function adaptEmbedder(own: OwnEmbedder): Embedder {
  const { dimensions, maxTokens = 512, floor = 0.3, cascadeThreshold = 0.7 } = own
  const id = `own/${own.id}`
  const readVector = (values: ArrayLike<number> | undefined): Float32Array => {
    const isVector = values !== undefined && Array.prototype.every.call(values, Number.isFinite)
    if (isVector && values.length === dimensions) return normalise(values)
    throw new CairnError('dimension_mismatch', {
      message: `The embedder "${own.id}" must return ${dimensions} finite numbers for each text.`,
      hint: 'Correct its dimensions or its embed function.',
    })
  }
  return {
    model: { id, dimensions, maxTokens, floor, cascadeThreshold },
    countTokens: estimateTokens,
    async embed(texts, { as }) {
      const cut = texts.map((text) => cutToTokens(text, maxTokens))
      const vectors = await own.embed(cut, as)
      return texts.map((_, i) => readVector(vectors[i]))
    },
    close: async () => {},
  }
}
