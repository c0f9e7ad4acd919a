/** Answers a question from the library: searches, gives the passages to the language model, and checks its reply. */

import type {
  AskAnswer,
  AskEvent,
  AskPassage,
  AskSentence,
  Degradation,
  Rewording,
  SearchAnswer,
} from '../core/answer.js'
import { type ChatReply, parseReply } from '../core/chat-model.js'
import { CairnError } from '../core/errors.js'
import { listAt } from '../core/json-fields.js'
import { createMarker, fence, fillPrompt } from '../core/prompt.js'
import { check } from '../schemas/check.js'
import { resolveNames } from '../schemas/names.js'
import { type AskInput, askRequest } from '../schemas/search-request.js'
import { checkSentence, choosePassages, createSentenceSplitter, isNoAnswer } from '../search/ask.js'
import { type Chat, explainFailure } from './chat.js'
import type { Context } from './scope.js'
import type { Searches } from './search.js'

export type AskOptions = {
  readonly signal?: AbortSignal | undefined
  /** Gets the other wordings, the passages, and each sentence once it was checked. */
  readonly onEvent?: ((event: AskEvent) => void) | undefined
}

/** A question and options, or options alone. */
export type Ask = (input: string | AskInput, options?: AskOptions) => Promise<AskAnswer>

export const MAX_REWORDINGS = 3
/** Other wordings only help: a model that is still loading must not hold up the search. */
const REWORD_TIMEOUT_MS = 20_000
const MAX_QUERY_CHARACTERS = 200

const REWORDINGS_SCHEMA = {
  type: 'object',
  properties: { queries: { type: 'array', items: { type: 'string' } } },
  required: ['queries'],
  additionalProperties: false,
}

const NO_REPLY = { queries: [], sentences: [], tokens: { prompt: null, reply: null } }

export const NO_LLM: Degradation = {
  reason: 'no_llm',
  message:
    'No language model is configured; `cairn config set llm.provider ollama --user` and `cairn config set llm.model NAME --user` name one.',
}

export function createAsk({ chat, log, timer, now, defaults }: Context, { search }: Searches): Ask {
  // The model reads the passages anyway, so it does not also rate the passages of each search.
  const ranking = defaults.rerank === 'llm' ? { rerank: 'off' } : {}

  return async (input, { signal, onEvent = () => {} } = {}) => {
    const startMs = timer()
    const given = resolveNames(askRequest, typeof input === 'string' ? { question: input } : input)
    const { question, limit, dryRun } = check(askRequest, given, now())
    // The searches check the filter, whose times are as they were written.
    const { question: _, dryRun: __, ...filter } = given
    const find = (query: string) =>
      search({ ...filter, ...ranking, query, limit: 2 * limit, includeFacts: false })

    const model = dryRun ? null : chat
    const [first, reworded] = await Promise.all([
      find(question),
      model === null ? NO_REPLY : reword(model, question, { signal, log }),
    ])
    const others = await Promise.all(reworded.queries.map(find))
    signal?.throwIfAborted()
    const rewordings = others.map(describeRewording)
    onEvent({ kind: 'rewordings', rewordings })
    const passages = choosePassages([first, ...others], limit)
    onEvent({ kind: 'passages', passages })

    const prompt = writePrompt(question, passages)
    const written =
      model === null || passages.length === 0
        ? { ...NO_REPLY, degraded: dryRun || chat !== null ? null : NO_LLM }
        : await answer(model, prompt, { question, passages, signal, onEvent })
    const supported = written.sentences.filter(({ problem }) => problem === null)
    const cited = new Set(supported.flatMap(({ citations }) => citations))
    const tookMs = timer() - startMs
    const counts = { passages: passages.length, sentences: written.sentences.length }
    log('info', 'ask', { questionChars: question.length, ...counts, ms: Math.round(tookMs) })
    return {
      question,
      answer: written.sentences,
      supported: cited.size > 0,
      citations: passages.filter(({ id }) => cited.has(id)),
      passages,
      rewordings,
      model: chat?.id ?? null,
      tokens: addTokens(written.tokens, reworded.tokens),
      tookMs,
      degraded: written.degraded ?? first.degraded,
      prompt: dryRun ? prompt : null,
    }
  }
}

/** Other wordings of the question; none if the model has none in time. */
async function reword(
  model: Chat,
  question: string,
  { signal, log }: Pick<AskOptions, 'signal'> & Pick<Context, 'log'>,
) {
  try {
    const prompt = fillPrompt('reword', { question, count: MAX_REWORDINGS })
    const request = { ...prompt, schema: REWORDINGS_SCHEMA }
    const reply = await model.complete(request, { signal, timeoutMs: REWORD_TIMEOUT_MS })
    return { queries: readQueries(parseReply(reply), question), tokens: reply.tokens }
  } catch (error) {
    if (!(error instanceof CairnError)) throw error
    log('warn', 'ask.reword', { reason: error.message })
    return NO_REPLY
  }
}

type Prompt = NonNullable<AskAnswer['prompt']>

type Asked = Pick<AskOptions, 'signal'> &
  Required<Pick<AskOptions, 'onEvent'>> & {
    readonly question: string
    readonly passages: readonly AskPassage[]
  }

/** A model that fails costs its answer and nothing else. */
async function answer(model: Chat, prompt: Prompt, asked: Asked) {
  const { question, passages, signal, onEvent } = asked
  const sentences: AskSentence[] = []
  const splitter = createSentenceSplitter()
  const add = (written: readonly string[]): void => {
    for (const one of written.filter((sentence) => !isNoAnswer(sentence))) {
      const sentence = checkSentence(one, passages, question)
      sentences.push(sentence)
      onEvent?.({ kind: 'sentence', sentence })
    }
  }
  let isStreamed = false
  const onText = (text: string): void => {
    isStreamed = true
    add(splitter.add(text))
  }
  try {
    const reply = await model.complete(prompt, { signal, onText })
    // A program's own model may send its reply whole.
    if (!isStreamed) onText(reply.text)
    add(splitter.end())
    return { sentences, tokens: reply.tokens, degraded: reply.isWhole ? null : CUT }
  } catch (error) {
    if (!(error instanceof CairnError)) throw error
    const degraded = { reason: error.code, message: explainFailure(error) }
    return { sentences, tokens: NO_REPLY.tokens, degraded }
  }
}

const CUT: Degradation = {
  reason: 'llm_cut',
  message: 'The reply of the language model ends in the middle.',
}

function readQueries(reply: unknown, question: string): string[] {
  const queries = listAt(reply, 'queries').filter((one) => typeof one === 'string')
  const lines = queries.map((one) => one.replace(/\s+/g, ' ').trim().slice(0, MAX_QUERY_CHARACTERS))
  const known = new Set(['', question.toLowerCase()])
  const fresh = lines.filter((line) => {
    const isNew = !known.has(line.toLowerCase())
    known.add(line.toLowerCase())
    return isNew
  })
  return fresh.slice(0, MAX_REWORDINGS)
}

function describeRewording({ query, total }: SearchAnswer): Rewording {
  return { query: query.text, hits: total.value }
}

/** Also the title of a record is data, and belongs inside the fence. */
function writePrompt(question: string, passages: readonly AskPassage[]): Prompt {
  const marker = createMarker()
  const texts = passages.map(({ number, title, date, text }) => {
    const head = [...(title === null ? [] : [`Title: ${title}`]), `Date: ${date.slice(0, 10)}`]
    return fence(`${head.join('\n')}\n\n${text}`, marker, `passage ${number}`)
  })
  return fillPrompt('ask', { marker, question, passages: texts.join('\n\n') })
}

function addTokens(a: ChatReply['tokens'], b: ChatReply['tokens']): ChatReply['tokens'] {
  const add = (one: number | null, other: number | null) =>
    one === null ? other : one + (other ?? 0)
  return { prompt: add(a.prompt, b.prompt), reply: add(a.reply, b.reply) }
}
