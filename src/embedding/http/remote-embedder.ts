/** Embeds with a remote server: sends texts in batches, then checks and normalises the vectors it returns. */

import { CairnError } from '../../core/errors.js'
import {
  closedEmbedder,
  type Embedder,
  type EmbedderModel,
  type EmbedOptions,
  normalise,
} from '../embedder.js'

export type RemoteModel = Omit<EmbedderModel, 'id'> &
  Readonly<Record<'queryPrefix' | 'passagePrefix', string>>

type RemoteOptions = {
  readonly service: string
  readonly provider: string
  readonly name: string
  /** If the dimensions are null, one request to the server determines them. */
  readonly model: Omit<RemoteModel, 'dimensions'> & { readonly dimensions: number | null }
  /** Sends one request. Returns one vector per text, unchecked. */
  readonly ask: (texts: readonly string[], options: EmbedOptions) => Promise<readonly unknown[]>
  readonly batch: { readonly maxTexts: number; readonly maxTokens: number }
}

const PROBE = 'dimensions'

export async function openRemoteEmbedder(options: RemoteOptions): Promise<Embedder> {
  const { service, provider, name, ask, batch } = options
  const { queryPrefix, passagePrefix, maxTokens, floor, cascadeThreshold } = options.model
  const dimensions =
    options.model.dimensions ??
    readVectors(await ask([PROBE], { as: 'passage' }), 1, service)[0]?.length ??
    0
  // The id includes the dimensions, because a server can shorten the vectors of the same model.
  const id = `${provider}/${name}@${dimensions}`
  const model: EmbedderModel = { id, dimensions, maxTokens, floor, cascadeThreshold }
  let isClosed = false

  async function embed(texts: readonly string[], asked: EmbedOptions) {
    if (isClosed) throw closedEmbedder(model.id)
    const prefix = asked.as === 'query' ? queryPrefix : passagePrefix
    // Blank texts are not sent, because servers reject them or invent a vector. They keep the zero vector.
    const vectors = texts.map((): Float32Array => new Float32Array(dimensions))
    const filled = texts.flatMap((text, index) =>
      text.trim() === '' ? [] : [{ index, text: cutToTokens(prefix + text, maxTokens) }],
    )
    for (const group of batches(filled, batch)) {
      const sent = group.map(({ text }) => text)
      const answer = await ask(sent, asked)
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

/** Checks every number of an answer: a single NaN in a stored vector would break every comparison with it. */
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

const WORD_OR_SIGN = /[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]/gu
const LETTERS_PER_TOKEN = 4
const DIGITS_PER_TOKEN = 2
/** The start and end markers of most models. */
const MARKER_TOKENS = 2

/** Estimates the tokens of a text without the model's tokenizer. The estimate is rather too high than too low. */
export function estimateTokens(text: string): number {
  let tokens = MARKER_TOKENS
  for (const [part] of text.matchAll(WORD_OR_SIGN)) tokens += countTokens(part)
  return tokens
}

/** Cuts a text to the longest prefix of at most `maxTokens` estimated tokens. */
export function cutToTokens(text: string, maxTokens: number): string {
  // A character costs at most two tokens, so a short text needs no check.
  if (text.length * 2 + MARKER_TOKENS <= maxTokens) return text
  let tokens = MARKER_TOKENS
  for (const match of text.matchAll(WORD_OR_SIGN)) {
    const [part] = match
    const more = countTokens(part)
    if (tokens + more > maxTokens) {
      // Cuts inside a word, so that a text of one very long word is not cut to nothing. Never cuts inside a sign.
      const kept = part.charCodeAt(0) < 128 ? (maxTokens - tokens) * charactersPerToken(part) : 0
      return text.slice(0, match.index + kept)
    }
    tokens += more
  }
  return text
}

function countTokens(part: string): number {
  return part.charCodeAt(0) < 128 ? Math.ceil(part.length / charactersPerToken(part)) : part.length
}

function charactersPerToken(part: string): number {
  const code = part.charCodeAt(0)
  return code >= 48 && code <= 57 ? DIGITS_PER_TOKEN : LETTERS_PER_TOKEN
}
