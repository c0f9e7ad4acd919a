/** Adapts the embedder of a program to the `Embedder` interface. */

import { badInput, CairnError } from '../core/errors.js'
import { type Embedder, normalise } from './embedder.js'
import { cutToTokens, estimateTokens } from './http/remote-embedder.js'

const QUERY_TIMEOUT_MS = 5_000
const PASSAGE_TIMEOUT_MS = 60_000
/** Node's timers take no longer time. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** What PostgreSQL can store. */
const MAX_DIMENSIONS = 16_000

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
  /** How long a search waits for its vector; then it uses keywords for a minute. Default: 5000. Writes wait for a minute, or longer if this is longer. */
  readonly timeoutMs?: number
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
  const { dimensions, timeoutMs = QUERY_TIMEOUT_MS } = given
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS)
    throw fail(`needs dimensions, a whole number from 1 to ${MAX_DIMENSIONS}`)
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS))
    throw fail(`needs a timeoutMs from 1 to ${MAX_TIMER_MS}`)
  if (typeof given.embed !== 'function') throw fail('needs a function embed')
  return given
}

/** Waits for the program at most so long, and adds the name of its embedder to an error. */
async function callWithin<T>(
  limitMs: number,
  { id }: OwnEmbedder,
  call: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const expire = () => reject(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError'))
    timer = setTimeout(expire, limitMs)
  })
  try {
    return await Promise.race([call(), late])
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message.replace(/\.$/, '')}` : ''
    throw new CairnError('embedder_unavailable', {
      message: `The embedder "${id}" failed${reason}.`,
      hint: 'Check its function embed(texts, role).',
      cause,
    })
  } finally {
    clearTimeout(timer)
  }
}

export function adaptEmbedder(own: OwnEmbedder): Embedder {
  const { dimensions, maxTokens = 512, floor = 0.3, cascadeThreshold = 0.7 } = own
  const { timeoutMs = QUERY_TIMEOUT_MS } = own
  const limitsMs = { query: timeoutMs, passage: Math.max(timeoutMs, PASSAGE_TIMEOUT_MS) }
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
      const vectors = await callWithin(limitsMs[as], own, () => own.embed(cut, as))
      return texts.map((_, i) => readVector(vectors?.[i]))
    },
    close: async () => {},
  }
}
