/** An embedder for tests: deterministic, similar for texts that share words, with nothing to load. */

import { closedEmbedder, type Embedder, normalise } from './embedder.js'

const WORD = /[\p{L}\p{N}]+/gu

/** Every word has a fixed pseudo-random vector. The vector of a text is the sum of its words' vectors. */
export function createFakeEmbedder(dimensions = 64): Embedder {
  const model = {
    id: `fake/hash@${dimensions}`,
    dimensions,
    maxTokens: 512,
    floor: 0.2,
    cascadeThreshold: 0.6,
  }
  let isClosed = false
  return {
    model,
    embed: async (texts, { signal }) => {
      if (isClosed) throw closedEmbedder(model.id)
      signal?.throwIfAborted()
      return texts.map((text) => embedText(text, dimensions))
    },
    countTokens: (text) => text.match(WORD)?.length ?? 0,
    close: async () => {
      isClosed = true
    },
  }
}

function embedText(text: string, dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions)
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    let state = 0x811c9dc5
    for (let i = 0; i < word.length; i++) {
      state = Math.imul(state ^ word.charCodeAt(i), 0x01000193)
    }
    for (let j = 0; j < dimensions; j++) {
      // Two rounds of mixing, so that adjacent dimensions of a word are not correlated.
      let mixed = Math.imul(state + j * 0x9e3779b9, 0x85ebca6b)
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
      sum[j] = (sum[j] as number) + ((mixed ^ (mixed >>> 16)) >> 0) / 2 ** 31
    }
  }
  return normalise(sum)
}
