/** An option that several operations have is described once. */

import { BOOST_FIELDS } from '../core/filter.js'
import type { FilterRequest, SearchInput } from '../schemas/search-request.js'
import type { Option } from './operation.js'

type Described<Key extends string> = { readonly [K in Key]: Option }

const MOMENT = '2026-06-01, yesterday, 12h, 7d, 2w, 6m, 1y'

export const ID: Option = {
  help: 'the record: its id, or a beginning of it that is unique',
  value: 'id',
}
export const IDS: Option = { help: 'the records: ids, or beginnings of them', value: 'id' }
export const LIMIT: Option = { help: 'how many at most', value: 'n' }
export const CURSOR: Option = { help: 'go on after a page: its "next"', value: 'place' }
export const NAMESPACE: Option = {
  help: 'the project to write to',
  value: 'name',
  unset: 'of the configuration, else default',
}
export const NAMESPACES: Option = { help: 'only of these projects', value: 'name', unset: 'all' }
export const AUTHOR: Option = { help: 'who says so', value: 'name' }
export const NOTE: Option = { help: 'why', value: 'text' }
export const SINCE: Option = { help: `not before then: ${MOMENT}`, value: 'moment' }
export const UNTIL: Option = { help: 'not after then', value: 'moment' }

/** What narrows a search or a list. */
export const FILTER: Described<keyof FilterRequest> = {
  namespaces: NAMESPACES,
  includeGlobal: { help: 'with namespaces: also global memories of other projects' },
  kinds: { help: 'only these kinds of record', value: 'kind' },
  sectors: { help: 'only these sectors of memory', value: 'sector' },
  tiers: { help: 'only memories that are kept this far', value: 'tier' },
  tags: { help: 'by tags: has any of them, all of them, none of them', value: 'tag' },
  people: { help: 'by a person whose name has this', value: 'name' },
  sources: { help: 'comes from there', value: 'text' },
  since: SINCE,
  until: UNTIL,
  dateField: { help: 'the date that since and until mean', value: 'which' },
  years: { help: 'happened in this year', value: 'year' },
  sessions: { help: 'was created in this session', value: 'id' },
  factTypes: { help: 'has a fact of this type', value: 'type' },
  minSalience: { help: 'is at least so salient now', value: '0..1' },
  includeDocuments: { help: 'whether documents are among them' },
  includeSuperseded: { help: 'show also what was superseded' },
  ids: { help: 'only these records, or without these', value: 'id' },
}

/** How a search ranks. */
const RANKING: Described<
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
> = {
  mode: { help: 'by words and meaning, by meaning alone, or by words alone', value: 'mode' },
  lens: {
    help: 'how to rank: balanced, rank, memory, literature, cascade, recent, exact, or a saved one',
    value: 'name',
  },
  match: {
    help: 'which of the words must be there; auto asks for all, then for any, then for beginnings',
    value: 'how',
  },
  fields: { help: 'look only in these parts of a record', value: 'field' },
  threshold: {
    help: 'least similarity of a match by meaning',
    value: 'cosine',
    unset: "the model's own",
  },
  useVector: { help: 'whether vectors are used' },
  alpha: { help: 'join by rank: 0 is words alone, 1 meaning alone', value: '0..1' },
  k: { help: 'join by rank: a place counts 1 / (k + place)', value: 'n', unset: '60' },
  keywordWeight: { help: 'how much the words count', value: 'n', unset: "the lens's own" },
  vectorWeight: { help: 'how much the meaning counts', value: 'n', unset: "the lens's own" },
  recencyWeight: { help: 'how much it counts to be new', value: 'n', unset: "the lens's own" },
  salienceWeight: { help: 'how much it counts to be salient', value: 'n', unset: "the lens's own" },
  boosts: {
    help: `multiply the score of what has a value (${BOOST_FIELDS.join(', ')}); below 1 sinks`,
    value: 'field:value=factor',
  },
}

export const AS_OF: Option = {
  help: 'answer as it was then, with the texts and facts of that moment',
  value: 'moment',
  unset: 'now',
}

/** Everything that can be asked of a search. */
export const SEARCH: Described<keyof SearchInput> = {
  query: {
    help: 'words, a question, "a phrase", prefix*, title:word, tag:name, NEAR(a b, 5), AND, OR, NOT, -word',
    value: 'text',
  },
  ...FILTER,
  ...RANKING,
  minConfidence: { help: 'leave out what is believed less', value: '0..1' },
  asOf: AS_OF,
  highlight: { help: 'whether matched words are marked and snippets cut' },
  explain: { help: 'show how each score came about' },
  facets: { help: 'count what was found by kind, sector, tag, fact type, source, namespace, year' },
  includeFacts: { help: 'whether facts are shown' },
  context: { help: 'show so many turns before and after a hit of a session', value: 'n' },
  recallSession: { help: 'remember in this session what was found', value: 'session' },
  limit: LIMIT,
  offset: { help: 'how many to skip', value: 'n' },
}

/** What of a record can be set. */
export const RECORD: Described<
  | 'title'
  | 'kind'
  | 'tags'
  | 'people'
  | 'source'
  | 'metadata'
  | 'importance'
  | 'sector'
  | 'tier'
  | 'salience'
  | 'occurredAt'
> = {
  title: { help: 'a title', value: 'text' },
  kind: { help: 'what kind of record it is', value: 'kind' },
  tags: { help: 'its tags', value: 'tag' },
  people: { help: 'its authors or speakers', value: 'name' },
  source: { help: 'where it comes from', value: 'text' },
  metadata: { help: 'anything else worth keeping, by name', value: 'key=value' },
  importance: { help: 'how much it matters', value: '0..1' },
  sector: { help: 'the sector of memory', value: 'sector' },
  tier: { help: 'how far it is kept', value: 'tier' },
  salience: { help: 'how present it is', value: '0.05..1' },
  occurredAt: { help: `when it happened: ${MOMENT}`, value: 'moment' },
}
