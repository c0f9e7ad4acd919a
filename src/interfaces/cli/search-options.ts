/** Promise: every option of a search has its flags here; what the help says and what is asked come from one line. */

import { badInput } from '../../core/errors.js'
import { FACT_TYPES } from '../../core/fact.js'
import { DATE_FIELDS } from '../../core/filter.js'
import { KINDS, SECTORS, TIERS } from '../../core/record.js'
import type { LensOptions } from '../../requests/lens-request.js'
import type { FilterRequest, SearchInput } from '../../requests/search-request.js'
import type { Flag, Flags, FlagValues } from './command.js'
import { NAMESPACES, SINCE, UNTIL } from './flags.js'

/** One option of a request: the flags that say it, and what they come to. */
type Option = {
  readonly flags: Flags
  readonly read: (given: FlagValues) => unknown
}
type Options<Key extends string> = Readonly<Record<Key, Option>>

// Written here and not where they are checked: the help does not wait for what checks a request to load.
export const MODES = ['hybrid', 'semantic', 'keyword']
export const MATCHES = ['auto', 'all', 'any']
export const LENSES = ['balanced', 'rank', 'memory', 'literature', 'cascade', 'recent', 'exact']

/** What narrows a search or a list. */
export const FILTER_OPTIONS: Options<keyof FilterRequest> = {
  namespaces: as('namespace', NAMESPACES),
  includeGlobal: as('include-global', {
    type: 'switch',
    help: 'with --namespace: global memories of other projects too',
  }),
  kinds: as('kind', oneOf('kind', KINDS)),
  sectors: as('sector', oneOf('sector', SECTORS)),
  tiers: as('tier', oneOf('tier', TIERS)),
  tags: parts({
    any: ['tag', { type: 'list', value: 'tag', help: 'has any of these tags; repeatable' }],
    all: ['all-tags', { type: 'list', value: 'tag', help: 'has all of these tags; repeatable' }],
    none: ['no-tag', { type: 'list', value: 'tag', help: 'has none of these tags; repeatable' }],
  }),
  sources: as('source', { type: 'list', value: 'text', help: 'comes from there; repeatable' }),
  people: as('person', {
    type: 'list',
    value: 'name',
    help: 'by a person whose name has this; repeatable',
  }),
  sessions: as('session', {
    type: 'list',
    value: 'id',
    help: 'was created in this session; repeatable',
  }),
  factTypes: as('fact-type', oneOf('type', FACT_TYPES, 'has a fact of this type: ')),
  since: as('since', SINCE),
  until: as('until', UNTIL),
  dateField: as('date', {
    type: 'text',
    value: 'which',
    help: `the date meant by --since and --until: ${DATE_FIELDS.join(' | ')}`,
    default: 'created',
    choices: DATE_FIELDS,
  }),
  years: {
    flags: { year: { type: 'list', value: 'year', help: 'happened in this year; repeatable' } },
    read: ({ year }) => eachOf(year)?.map(readYear),
  },
  minSalience: as('min-salience', {
    type: 'number',
    value: '0..1',
    help: 'is at least so salient now',
  }),
  includeDocuments: not('no-documents', 'leave documents out'),
  includeSuperseded: as('include-superseded', {
    type: 'switch',
    help: 'show also what was superseded',
  }),
  ids: parts({
    in: ['id', { type: 'list', value: 'id', help: 'only these records; repeatable' }],
    out: ['not-id', { type: 'list', value: 'id', help: 'without these records; repeatable' }],
  }),
}

type RankingKey =
  | 'mode'
  | 'lens'
  | 'match'
  | 'fields'
  | 'threshold'
  | 'useVector'
  | 'alpha'
  | 'k'
  | 'keywordWeight'
  | 'vectorWeight'
  | 'recencyWeight'
  | 'salienceWeight'
  | 'boosts'

export const RANKING_OPTIONS: Options<RankingKey> = {
  mode: as('mode', {
    type: 'text',
    value: 'mode',
    help: MODES.join(' | '),
    default: 'hybrid',
    suggestions: MODES,
  }),
  lens: as('lens', {
    type: 'text',
    value: 'name',
    help: `${LENSES.join(' | ')}, or a saved one`,
    default: 'balanced',
    suggestions: LENSES,
  }),
  match: as('match', {
    type: 'text',
    value: 'how',
    help: 'auto (all words, then any, then as beginnings) | all | any',
    default: 'auto',
    suggestions: MATCHES,
  }),
  fields: as('field', {
    type: 'list',
    value: 'field',
    help: 'look only in title, body or people; repeatable',
    suggestions: ['title', 'body', 'people'],
  }),
  threshold: as('threshold', {
    type: 'number',
    value: 'cosine',
    help: 'least similarity of a match by meaning',
    default: "the model's own",
  }),
  useVector: not('no-vector', 'do without vectors'),
  alpha: as('alpha', {
    type: 'number',
    value: '0..1',
    help: 'join by rank: 0 is words alone, 1 meaning alone',
  }),
  k: as('k', {
    type: 'number',
    value: 'n',
    help: 'join by rank: a place counts 1 / (k + place)',
    default: '60',
  }),
  keywordWeight: weight('keyword-weight', 'how much the words count'),
  vectorWeight: weight('vector-weight', 'how much the meaning counts'),
  recencyWeight: weight('recency-weight', 'how much it counts to be new'),
  salienceWeight: weight('salience-weight', 'how much it counts to be salient'),
  boosts: {
    flags: {
      boost: {
        type: 'list',
        value: 'field:value=factor',
        help: 'such as tag:release=1.5; below 1 sinks; repeatable',
      },
    },
    read: ({ boost }) => eachOf(boost)?.map(readBoost),
  },
}

type BeliefKey = 'minConfidence' | 'asOf'

/** What is believed, and when. */
export const BELIEF_OPTIONS: Options<BeliefKey> = {
  minConfidence: as('min-confidence', {
    type: 'number',
    value: '0..1',
    help: 'leave out what is believed less',
    default: '0.1',
  }),
  asOf: as('as-of', {
    type: 'text',
    value: 'moment',
    help: 'answer as it was then, with the texts and facts of that moment',
    default: 'now',
  }),
}

type AnswerKey = Exclude<keyof SearchInput, 'query' | keyof FilterRequest | RankingKey | BeliefKey>

export const ANSWER_OPTIONS: Options<AnswerKey> = {
  limit: as('limit', { type: 'number', value: 'n', help: 'how many hits', default: '20' }),
  offset: as('offset', {
    type: 'number',
    value: 'n',
    help: 'how many hits to skip',
    default: '0',
  }),
  recallSession: as('recall', {
    type: 'text',
    value: 'session',
    help: 'remember in this session what was found',
  }),
  includeFacts: not('no-facts', 'show no facts'),
  context: as('context', {
    type: 'number',
    value: 'n',
    help: 'show n turns before and after a hit of a session',
    default: '0',
  }),
  facets: as('facets', { type: 'switch', help: 'count by kind, sector, tag, source, year …' }),
  highlight: not('no-highlight', 'mark no words, cut no snippets'),
  explain: as('explain', { type: 'switch', help: 'show how each score came about' }),
}

const { offset: _offset, recallSession: _recall, ...answerOfLens } = ANSWER_OPTIONS
const { asOf: _asOf, ...beliefOfLens } = BELIEF_OPTIONS

export const SEARCH_OPTIONS: Options<Exclude<keyof SearchInput, 'query'>> = {
  ...RANKING_OPTIONS,
  ...FILTER_OPTIONS,
  ...BELIEF_OPTIONS,
  ...ANSWER_OPTIONS,
}
export const LENS_OPTIONS: Options<keyof LensOptions> = {
  ...RANKING_OPTIONS,
  ...FILTER_OPTIONS,
  ...beliefOfLens,
  ...answerOfLens,
}

const [WHICH, HOW, WHAT] = ['Which records', 'How to rank them', 'What to show']

export const FILTER_FLAGS = flagsOf(FILTER_OPTIONS, WHICH)
const {
  kind: _kind,
  'no-documents': _noDocuments,
  id: _id,
  'not-id': _notId,
  ...ofWorks
} = FILTER_FLAGS
/** What narrows works, which are all of one kind. */
export const WORK_FILTER_FLAGS: Flags = Object.fromEntries(
  Object.entries(ofWorks).map(([name, flag]) => [name, { ...flag, section: 'Which works' }]),
)
export const SEARCH_FLAGS: Flags = {
  ...flagsOf(ANSWER_OPTIONS, WHAT),
  ...FILTER_FLAGS,
  ...flagsOf(BELIEF_OPTIONS, WHICH),
  ...flagsOf(RANKING_OPTIONS, HOW),
}
/** A lens holds any option but what is asked and where in the answer to begin. */
export const LENS_FLAGS: Flags = {
  ...flagsOf(answerOfLens, WHAT),
  ...FILTER_FLAGS,
  ...flagsOf(beliefOfLens, WHICH),
  ...flagsOf(RANKING_OPTIONS, HOW),
}

export function filterParts(given: FlagValues): Partial<SearchInput> {
  return readOptions(FILTER_OPTIONS, given)
}

export function searchParts(given: FlagValues): Partial<SearchInput> {
  return readOptions(SEARCH_OPTIONS, given)
}

export function lensParts(given: FlagValues): LensOptions {
  return readOptions(LENS_OPTIONS, given)
}

/** What was given, under the names of the request; what was not is not there. */
function readOptions(options: Readonly<Record<string, Option>>, given: FlagValues) {
  const read = Object.entries(options).map(([key, option]) => [key, option.read(given)] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Partial<SearchInput>
}

function flagsOf(options: Readonly<Record<string, Option>>, section: string | undefined): Flags {
  const flags = Object.values(options).flatMap((option) => Object.entries(option.flags))
  return Object.fromEntries(
    flags.map(([name, flag]) => [name, section === undefined ? flag : { ...flag, section }]),
  )
}

function as(name: string, flag: Flag): Option {
  return { flags: { [name]: flag }, read: (given) => given[name] }
}

/** A switch for what is on unless told otherwise. */
function not(name: string, help: string): Option {
  return {
    flags: { [name]: { type: 'switch', help } },
    read: (given) => (given[name] === true ? false : undefined),
  }
}

/** One option that several flags make together. */
function parts(named: Readonly<Record<string, readonly [name: string, flag: Flag]>>): Option {
  return {
    flags: Object.fromEntries(Object.values(named)),
    read: (given) => {
      const read = Object.entries(named).map(([part, [name]]) => [part, given[name]] as const)
      const there = read.filter(([, value]) => value !== undefined)
      return there.length === 0 ? undefined : Object.fromEntries(there)
    },
  }
}

function oneOf(value: string, choices: readonly string[], before = ''): Flag {
  return { type: 'list', value, help: `${before}${choices.join(' | ')}; repeatable`, choices }
}

function weight(name: string, help: string): Option {
  return as(name, { type: 'number', value: 'n', help, default: "the lens's own" })
}

function eachOf(given: FlagValues[string]): readonly string[] | undefined {
  return Array.isArray(given) ? given : undefined
}

function readYear(text: string): number {
  if (/^-?\d{1,4}$/.test(text.trim())) return Number(text)
  throw badInput(`--year must be a year such as 2026, not "${text}".`)
}

/** `tag:release=1.5`; the value may hold colons and equals signs. */
function readBoost(text: string) {
  const [, field, value, factor] = /^([^:]+):(.+)=([^=]+)$/s.exec(text) ?? []
  const number = Number(factor)
  if (field === undefined || value === undefined || Number.isNaN(number)) {
    throw badInput(`--boost takes field:value=factor such as tag:release=1.5, not "${text}".`)
  }
  return { field, value, factor: number }
}
