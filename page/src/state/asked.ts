/** The question that was asked of the language model, and its answer so far. */

import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { AskEvent, AskPassage, AskSentence, Rewording } from '../../../src/core/answer.js'
import type { AskInput } from '../../../src/schemas/search-request.js'
import { askQuestion } from '../api/ask.js'
import { type Answer, readModels } from '../api/client.js'
import { isAbort, type RequestFailure, toFailure } from '../api/request.js'
import { type SearchChoices, toLensOptions } from './search-address.js'

/** Null: nothing. Asked by a button alone, because each question costs the time of a model. */
export const asked = signal<string | null>(null)

/** The configured language model; null where there is none, or where it is not known yet. */
export const languageModel = signal<string | null>(null)

let isKnown = false

/** Once, when a person first types: most visits do not need it. */
export function findLanguageModel(): void {
  if (isKnown) return
  isKnown = true
  readModels().then(
    ({ llm }) => {
      languageModel.value = llm
    },
    () => {
      isKnown = false
    },
  )
}

export type Answering = {
  readonly rewordings: readonly Rewording[] | null
  readonly passages: readonly AskPassage[] | null
  readonly sentences: readonly AskSentence[]
  readonly answer: Answer<'ask'> | null
  readonly failure: RequestFailure | null
}

const NOTHING: Answering = {
  ...{ rewordings: null, passages: null, sentences: [], answer: null, failure: null },
}

/** Leaving the question ends the request. */
export function useAnswer(choices: SearchChoices): Answering {
  const { query: question, mode: _, lens: __, sort: ___, ...filter } = toLensOptions(choices)
  const [state, setState] = useState(NOTHING)
  const key = JSON.stringify({ question, ...filter })
  useEffect(() => {
    const controller = new AbortController()
    const change = (next: (before: Answering) => Partial<Answering>): void => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, ...next(before) }))
    }
    setState(NOTHING)
    // The address is free text: the server checks it.
    const input = JSON.parse(key) as AskInput
    askQuestion(input, (event) => change((before) => addEvent(before, event)), controller.signal)
      .then((answer) => change(() => ({ answer })))
      .catch((error: unknown) => {
        if (!isAbort(error)) change(() => ({ failure: toFailure(error) }))
      })
    return () => controller.abort()
  }, [key])
  return state
}

function addEvent({ sentences }: Answering, event: AskEvent): Partial<Answering> {
  if (event.kind === 'rewordings') return { rewordings: event.rewordings }
  if (event.kind === 'passages') return { passages: event.passages }
  return { sentences: [...sentences, event.sentence] }
}
