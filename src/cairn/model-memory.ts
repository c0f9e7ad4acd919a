/** Asks the language model for facts, summaries and titles. If it fails, the rules make them. */

import type { Degradation } from '../core/answer.js'
import type { Extractor, NewFact } from '../core/fact.js'
import { listAt, textAt } from '../core/json-fields.js'
import { MOST_FACTS } from '../memory/extract-facts.js'
import {
  FACTS_SCHEMA,
  joinFacts,
  listPredicates,
  type ModelFact,
  readModelFacts,
} from '../memory/model-facts.js'
import {
  MAX_SENTENCES,
  type Note,
  offerSentences,
  readTitle,
  summariseChosen,
} from '../memory/summarise.js'
import { completeJson, explainFailure } from './chat.js'
import type { Context } from './scope.js'

/** The time limit of one reply, and of all texts of one call. */
export const MODEL_LIMIT_MS = 30_000
/** As the rules: a longer text is a document. */
const MAX_NOTE_CHARS = 20_000
const MAX_SENTENCE_CHARS = 500

export type Extracted = {
  /** In the order of the texts. */
  readonly facts: readonly (readonly NewFact[])[]
  /** The facts from the model that another object would contradict. */
  readonly single: readonly (readonly NewFact[])[]
  readonly degraded: Degradation | null
}

export type ModelMemory = ReturnType<typeof createModelMemory>

export function createModelMemory(
  { chat, log, timer }: Pick<Context, 'chat' | 'log' | 'timer'>,
  extractor: Extractor,
) {
  const tellFailure = (error: unknown, what: string): Degradation => {
    const reason = explainFailure(error)
    log('warn', 'model.failed', { for: what, reason })
    return { reason: 'llm_unavailable', message: `${reason} The ${what} are by rules.` }
  }

  const findFacts = (text: string): Promise<readonly ModelFact[]> => {
    const read = text.slice(0, MAX_NOTE_CHARS)
    const asked = {
      prompt: 'facts',
      values: { most: MOST_FACTS, predicates: listPredicates() },
      texts: { note: { label: 'note', of: read } },
      schema: FACTS_SCHEMA,
      limitMs: MODEL_LIMIT_MS,
    }
    return completeJson(chat, asked, (reply) => readModelFacts(reply, read))
  }

  return {
    /** `byRules` are the facts that the rules found in each text. After a failure, or without time, the others have only those. */
    async extract(
      texts: readonly string[],
      byRules: readonly (readonly NewFact[])[],
    ): Promise<Extracted> {
      const endMs = timer() + MODEL_LIMIT_MS
      const facts = [...byRules]
      const single = texts.map((): readonly NewFact[] => [])
      try {
        for (const [i, text] of texts.entries()) {
          if (timer() >= endMs) throw new Error(`The model had time for ${i} of ${texts.length}.`)
          const found = await findFacts(text)
          facts[i] = extractor === 'both' ? joinFacts(byRules[i] ?? [], found) : found
          single[i] = found.filter(({ isSingle }) => isSingle)
        }
        return { facts, single, degraded: null }
      } catch (error) {
        return { facts, single, degraded: tellFailure(error, 'facts') }
      }
    },

    /** Sentences of the notes that the model chose, and words of theirs as a title; null if it fails. */
    async summarise(notes: readonly Note[]) {
      const offered = offerSentences(notes)
      if (offered.length === 0) return null
      const texts = offered.map(({ text }) => text)
      const cut = texts.map((text) => text.slice(0, MAX_SENTENCE_CHARS))
      const asked = {
        prompt: 'summary',
        values: { most: MAX_SENTENCES },
        texts: { sentences: { label: 'sentence', of: cut } },
        schema: SUMMARY_SCHEMA,
        limitMs: MODEL_LIMIT_MS,
      }
      try {
        return await completeJson(chat, asked, (reply) => {
          const chosen = listAt(reply, 'sentences').flatMap((at) => offered[Number(at) - 1] ?? [])
          const summary = summariseChosen(chosen)
          if (summary === null) return null
          return { summary, title: readTitle(textAt(reply, 'title') ?? '', texts) }
        })
      } catch (error) {
        tellFailure(error, 'summaries')
        return null
      }
    },
  }
}

const SUMMARY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['sentences', 'title'],
  properties: {
    sentences: { type: 'array', items: { type: 'integer' } },
    title: { type: 'string' },
  },
}
