/** How every option of a search, and of a lens, is said at a terminal. */

import { SEARCH } from '../operations/options.js'
import type { LensOptions } from '../schemas/lens-request.js'
import type { FilterRequest, SearchInput } from '../schemas/search-request.js'
import { speechOfFlags } from './flag-parser.js'
import {
  boosts,
  type Form,
  list,
  nested,
  number,
  off,
  on,
  text,
  under,
  withoutDefaults,
} from './forms.js'
import { FILTER_FORMS, limit } from './record-forms.js'

/** A screen holds more than an agent wants to read. */
export const SCREEN_LIMIT = 20

/** Those that are built in; written here, so that help does not wait for what ranks. */
export const LENSES = ['balanced', 'rank', 'memory', 'literature', 'cascade', 'recent', 'exact']

type AllForms<Key extends string> = Readonly<Record<Key, Form>>
type BeliefKey = 'minConfidence' | 'asOf'
type AnswerKey =
  | 'limit'
  | 'offset'
  | 'recallSession'
  | 'includeFacts'
  | 'context'
  | 'facets'
  | 'highlight'
  | 'explain'
type RankingKey = Exclude<keyof SearchInput, 'query' | keyof FilterRequest | BeliefKey | AnswerKey>

export const ANSWER_FORMS: AllForms<AnswerKey> = under('What to show', {
  limit: limit(SCREEN_LIMIT),
  offset: number({ default: 0 }),
  recallSession: text({ name: 'recall' }),
  includeFacts: off('no-facts', 'show no facts'),
  context: number({ default: 0 }),
  facets: on(),
  highlight: off('no-highlight', 'mark no words, cut no snippets'),
  explain: on(),
})

/** What is believed, and when. */
export const BELIEF_FORMS: AllForms<BeliefKey> = under('Which records', {
  minConfidence: number({ default: 0.1 }),
  asOf: text(),
})

const RANKING_FORMS: AllForms<RankingKey> = under('How to rank them', {
  mode: text({ choices: ['hybrid', 'semantic', 'keyword'], default: 'hybrid' }),
  lens: text({ default: 'balanced', suggestions: LENSES }),
  match: text({ choices: ['auto', 'all', 'any'], default: 'auto' }),
  fields: list({
    choices: ['title', 'body', 'abstract', 'people', 'person', 'author', 'authors'],
  }),
  threshold: number(),
  useVector: off('no-vector', 'do without vectors'),
  alpha: number(),
  k: number(),
  keywordWeight: number(),
  vectorWeight: number(),
  recencyWeight: number(),
  salienceWeight: number(),
  boosts: boosts(),
})

export const THRESHOLD: Form = under('Which records', { it: RANKING_FORMS.threshold }).it

export const SEARCH_FORMS: AllForms<Exclude<keyof SearchInput, 'query'>> = {
  ...ANSWER_FORMS,
  ...FILTER_FORMS,
  ...BELIEF_FORMS,
  ...RANKING_FORMS,
}

const { offset: _, recallSession: __, asOf: ___, ...lensForms } = SEARCH_FORMS

/** A lens holds any option but what is asked and where in the answer to begin. */
export const LENS_FORMS: AllForms<keyof LensOptions> = withoutDefaults(lensForms)

export const LENS_OPTIONS: Form = nested(() => speechOfFlags(SEARCH, LENS_FORMS))
