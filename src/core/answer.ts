/** The shapes of answers: hits with their explanations, facts, facets, and the overview of a file. */

import type { NewFact } from './fact.js'
import type { RecordId } from './ids.js'
import type { CairnRecord, Kind, Sector, SessionBrief } from './record.js'

/** A stretch of a text, in UTF-16 units: `text.slice(start, end)`. */
export type Range = { readonly start: number; readonly end: number }

/**
 * Why a score is what it is: the score of a node with parts is their sum or product, a node without parts stands
 * for itself, and the root is the score of the hit.
 */
export type Explanation = {
  readonly name: string
  readonly score: number
  readonly op: 'sum' | 'product'
  readonly parts: readonly Explanation[]
}

/** `text` is `body.slice(start, end)` as plain text, without Markdown and HTML. */
export type Snippet = Range & {
  readonly text: string
  /** Positions in `text`. */
  readonly highlights: readonly Range[]
}

/** Counted from 1. */
export type Pages = { readonly first: number; readonly last: number }

/** A passage of the body: `text` is `body.slice(start, end)`. */
export type ChunkHit = Range & {
  readonly pages?: Pages
  readonly index: number
  readonly similarity: number
  readonly text: string
}

/** A snippet with where it is: line and heading in a file, pages of a PDF. */
export type Passage = Snippet & {
  readonly line: number
  readonly heading: string | null
  readonly pages: Pages | null
}

/** The details by which a person recognises a record; only those that apply are present. */
export type Identity = {
  /** For a work. */
  readonly authors?: readonly string[]
  readonly venue?: string
  readonly year?: number
  readonly key?: string
  readonly doi?: string
  /** For a file: its path, and the line and heading of the snippet; for a work with a PDF: the path of the PDF. */
  readonly path?: string
  readonly line?: number
  readonly heading?: string
  /** Who said or sent it, and the title of the conversation. */
  readonly speaker?: string
  readonly conversation?: string
}

/** `context`: only the neighbouring turns of its conversation have the words. */
export type MatchType = 'keyword' | 'semantic' | 'both' | 'context'

/** The record that supersedes another, with its first 200 characters. */
export type Successor = {
  readonly id: RecordId
  readonly text: string
  readonly createdAt: string
}

/** `confidence` is the value when it was last reinforced, `effectiveConfidence` the value at the time of the answer. */
export type FactShown = NewFact & {
  readonly id: string
  readonly recordId: RecordId
  readonly effectiveConfidence: number
  readonly createdAt: string
  readonly reinforcedAt: string
  /** Facts with the same subject and predicate and another object. */
  readonly contradictedBy: readonly ContradictingFact[]
}

export type ContradictingFact = Pick<
  FactShown,
  'id' | 'recordId' | 'object' | 'effectiveConfidence' | 'createdAt'
> & {
  /** Compared with the fact that it contradicts. */
  readonly isNewer: boolean
  readonly isMoreCertain: boolean
}

export type Turn = Pick<CairnRecord, 'id' | 'title' | 'body' | 'people'> & { readonly at: string }

export const FACETS = ['kind', 'sector', 'tag', 'factType', 'source', 'namespace', 'year'] as const
export type FacetName = (typeof FACETS)[number]
export type FacetValue = { readonly value: string; readonly count: number }
export const WIDE_FACETS = ['author', 'venue', 'person', 'month'] as const
export type WideFacetName = (typeof WIDE_FACETS)[number]
/** Counts of all results; the most frequent value first, equal counts by value. The wide facets only on request. */
export type Facets = Readonly<Record<FacetName, readonly FacetValue[]>> &
  Readonly<Partial<Record<WideFacetName, readonly FacetValue[]>>>

export type Hit = Pick<CairnRecord, 'id' | 'kind' | 'title'> & {
  /** 0..1, the best is the highest. */
  readonly score: number
  readonly matchType: MatchType
  /** How far the query was relaxed to reach this hit. */
  readonly relaxed: null | 'any' | 'prefix' | 'none'
  /** Below the floor: perhaps related. Shown if little else was found, and not counted. */
  readonly weak: boolean
  readonly bm25: number | null
  readonly similarity: number | null
  readonly snippet: Snippet | null
  readonly identity: Identity
  /** The best passages, best first, if more than the snippet was requested. */
  readonly passages: readonly Passage[]
  /** The pages of the matching words, else of the snippet, else of the passage; null for a record without pages. */
  readonly pages: Pages | null
  readonly highlights: { readonly title: readonly Range[]; readonly body: readonly Range[] }
  /** The passages nearest to the query vector. */
  readonly chunks: readonly ChunkHit[]
  readonly record: CairnRecord
  readonly session: SessionBrief | null
  readonly isSuperseded: boolean
  readonly supersededBy: Successor | null
  /** The number of records linked with it, in either direction. */
  readonly relatedCount: number
  readonly facts: readonly FactShown[]
  /** The mean of its facts; 1 if it has none. */
  readonly effectiveConfidence: number
  readonly context: { readonly before: readonly Turn[]; readonly after: readonly Turn[] } | null
  /** Null unless requested. */
  readonly explanation: Explanation | null
}

/** Records that were only filtered, not ranked, have no score to show. */
export function isRanked({ bm25, similarity }: Pick<Hit, 'bm25' | 'similarity'>): boolean {
  return bm25 !== null || similarity !== null
}

/** Whether words were ranked from the postings of the index, or by SQL. Both give the same order. */
export type RankedBy = 'postings' | 'sql'

export type Suggestion = { readonly term: string; readonly meant: string }

export type Degradation = { readonly reason: string; readonly message: string }

export type SearchAnswer = {
  readonly query: {
    readonly text: string
    readonly readAs: string
    readonly mode: 'hybrid' | 'semantic' | 'keyword'
    readonly lens: string
    readonly match: 'auto' | 'all' | 'any'
    /** True if the answer holds records that lack a word of the query. */
    readonly relaxed: boolean
    readonly missingTerms: readonly string[]
    readonly suggestions: readonly Suggestion[]
    /** The query that gave these hits, if no record has the words or phrases as they were written. */
    readonly searchedFor: string | null
    /** Null unless explanations were requested and words were ranked. */
    readonly rankedBy: RankedBy | null
  }
  readonly scope: {
    readonly namespaces: readonly string[] | 'all'
    /** The time whose state was searched, if it is not now. */
    readonly asOf?: string
  }
  readonly degraded: Degradation | null
  readonly total: { readonly value: number; readonly exact: boolean }
  readonly tookMs: number
  /** True if the answer of an equal search was reused, because nothing was written since. */
  readonly cached: boolean
  readonly hits: readonly Hit[]
  readonly facets: Facets | null
  /** What to do next if there are no hits; or why the hits are those of `searchedFor`. */
  readonly hint: string | null
}

export type SimilarAnswer = Pick<SearchAnswer, 'total' | 'tookMs' | 'hits'> & {
  readonly of: RecordId
  readonly model: string
}

/** A passage that a language model was given: `text` is `body.slice(start, end)`. */
export type AskPassage = Range &
  Pick<Hit, 'id' | 'title' | 'identity' | 'pages'> & {
    /** Counted from 1; sentences cite it by this number. */
    readonly number: number
    readonly text: string
    /** When it happened or was created. */
    readonly date: string
  }

/**
 * The problem of a sentence: it cites nothing, it cites only passages that were not given, or the passages that it cites do
 * not have its words and numbers.
 */
export type AskProblem = 'no_source' | 'unknown_source' | 'not_in_source'

export type AskSentence = {
  /** With the numbers of the passages in brackets, without numbers that were not given. */
  readonly text: string
  readonly citations: readonly RecordId[]
  /** Null: the passages that it cites have its words. */
  readonly problem: AskProblem | null
}

export type Rewording = { readonly query: string; readonly hits: number }

/** A part of an answer, as it arrives. */
export type AskEvent =
  | { readonly kind: 'rewordings'; readonly rewordings: readonly Rewording[] }
  | { readonly kind: 'passages'; readonly passages: readonly AskPassage[] }
  | { readonly kind: 'sentence'; readonly sentence: AskSentence }

export type AskAnswer = {
  readonly question: string
  /** Empty if no model answered, or if the passages do not answer the question. */
  readonly answer: readonly AskSentence[]
  /** False: nothing in the library supports an answer. */
  readonly supported: boolean
  /** The passages that sentences without a problem cite. */
  readonly citations: readonly AskPassage[]
  /** All passages that the model was given, best first. */
  readonly passages: readonly AskPassage[]
  /** The queries that were searched besides the question. */
  readonly rewordings: readonly Rewording[]
  /** Null if none is configured. */
  readonly model: string | null
  readonly tokens: { readonly prompt: number | null; readonly reply: number | null }
  readonly tookMs: number
  /** Why there is no answer, or only a part of one: `no_llm`, `llm_unavailable`, `llm_cut`; or the degradation of the search. */
  readonly degraded: Degradation | null
  /** The prompt that would be sent to the model; null unless it was a dry run. */
  readonly prompt: { readonly system: string; readonly user: string } | null
}

export const OVERVIEW_STEPS = ['day', 'month', 'year'] as const
export type OverviewStep = (typeof OVERVIEW_STEPS)[number]

export type OverTime = {
  /** `2026-06-01`, `2026-06` or `2026`, as the step says. */
  readonly at: string
  readonly kind: Kind
  /** Null for documents and works. */
  readonly sector: Sector | null
  readonly count: number
}

export type Overview = {
  readonly by: OverviewStep
  /** Records by the time they occurred or, if that is unknown, were created; oldest first, without empty steps. */
  readonly overTime: readonly OverTime[]
  readonly kinds: Readonly<Record<Kind, number>>
  readonly sectors: Readonly<Record<Sector, number>>
  /** The number of records by current salience, in tenths: 0 to 0.1 first, 0.9 to 1 last. */
  readonly salience: readonly number[]
  readonly coverage: { readonly withVectors: number; readonly waiting: number }
  /** The works that cite and are cited most often among those stored, at most a dozen. */
  readonly mostCited: readonly Readonly<{ id: RecordId; title: string | null; citations: number }>[]
  /** The recalls of the last year by day, and the number of searches; oldest first, without empty days. */
  readonly recalls: readonly Readonly<{ day: string; count: number; searches: number }>[]
}
