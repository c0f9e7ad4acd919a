/** Advises on a search with few or no hits: names unknown words, suggests similar ones, says what to try next. */

import type { Hit, SearchAnswer, Suggestion } from '../core/answer.js'
import { type Filter, getPinnedNamespace, isUnfiltered } from '../core/filter.js'
import { joinWhere } from '../query/lift-metadata.js'
import {
  isStopWord,
  listPhrases,
  listTerms,
  type Term,
  termToNode,
  unquotePhrases,
} from '../query/terms.js'
import { type Node, printQuery } from '../query/tree.js'
import type { Storage } from '../storage/storage.js'
import { stem } from '../text/stem.js'
import type { FoundCounts } from './candidates.js'
import type { SearchPlan } from './plan.js'
import type { Ranked } from './ranking.js'

export type Advice = Pick<SearchAnswer['query'], 'missingTerms' | 'suggestions' | 'searchedFor'> & {
  /** Names options as the library does, in backquotes; each interface renames them with `renameOptions`. */
  readonly hint: string | null
}

const NO_ADVICE: Advice = { missingTerms: [], suggestions: [], searchedFor: null, hint: null }

const TOO_EXPENSIVE: Advice = {
  ...NO_ADVICE,
  hint: 'Search for fewer words, with fewer NEAR groups, prefixes* and alternatives.',
}

const NOTHING_SIMILAR =
  'No record is similar enough. Lower `threshold`, or search by keywords with `mode: keyword`.'
const NOTHING_PASSES = 'No record passes these filters. Remove one of them.'
const NOTHING_IN_FIELDS =
  'No record has one of the words in these fields and is similar enough. Search all fields.'

type FoundHits = FoundCounts & {
  readonly weak: readonly Ranked[]
  readonly hits: Promise<readonly Hit[]>
}

/** Waits for the hits only if the advice depends on them. */
export async function adviseOn(
  storage: Storage,
  plan: SearchPlan,
  found: FoundHits,
): Promise<Advice> {
  const { planned, fields } = plan
  if (storage.isCut()) return TOO_EXPENSIVE
  if (planned.wanted === null) {
    return found.total > 0 ? NO_ADVICE : { ...NO_ADVICE, hint: hintForNoWords(plan) }
  }
  if (found.total > 0 && !found.relaxed && plan.usesWords) {
    const hits = await found.hits
    const isNear = hits.length > 0 && hits.every(({ matchType }) => matchType === 'semantic')
    const isRelaxed = hits.some(({ relaxed }) => relaxed !== null)
    if ((!isNear && !isRelaxed) || storage.isCut()) return NO_ADVICE
  }
  const near = hintAtNearest(plan, found.weak[0]?.similarity ?? null)
  const namespace = getPinnedNamespace(plan.filter)
  const missing = await findMissing(storage, plan, found)
  const mistaken = missing.filter(({ text }) => plan.countPieces?.(text) !== 1)
  const suggestions = await suggestTerms(storage, mistaken, namespace)
  const missingTerms = plan.usesWords ? missing.map(nameTerm) : []
  if (found.total > 0) {
    const isGuess =
      suggestions.every(({ term }) => stem(term) !== term) && (await isPrefixAlone(found))
    const searchedFor = isGuess ? chooseMeant(plan, suggestions) : null
    return { ...NO_ADVICE, missingTerms, suggestions, searchedFor }
  }
  const asWords = await unquoteAbsent(storage, plan)
  if (asWords !== null) return { missingTerms, suggestions, ...asWords }
  if (!plan.usesWords) {
    const nothing = fields === null ? NOTHING_SIMILAR : NOTHING_IN_FIELDS
    return { ...NO_ADVICE, suggestions, hint: near ?? nothing }
  }
  const searchedFor = chooseMeant(plan, suggestions)
  // If another query is searched, the suggestions say why.
  if (searchedFor !== null) return { missingTerms, suggestions, searchedFor, hint: null }
  const { total } = await storage.newest(plan.filter, null, { limit: 1, offset: 0 })
  const hint =
    total === 0 ? hintForNoRecords(plan) : hintForNoHits(plan, { missing, suggestions, near })
  return { missingTerms, suggestions, searchedFor, hint }
}

/** Words that begin like the stem of a misspelt word ("another" for "anotation") are no answer to it. */
async function isPrefixAlone({ hits }: FoundHits): Promise<boolean> {
  return (await hits).every(({ relaxed }) => relaxed === 'prefix')
}

/** A number or a key is near to words that nobody meant. */
const UNSPELT: ReadonlySet<Term['field']> = new Set<Term['field']>(['year', 'doi', 'key'])

/** A word that is missing in a field may be in another one. */
function nameTerm(term: Term): string {
  return term.field === null ? term.text : printQuery(termToNode(term))
}

/** Finds the terms that no record has. A semantic search names only terms that the model does not know either. */
async function findMissing(
  storage: Storage,
  plan: SearchPlan,
  { isMissing }: FoundCounts,
): Promise<readonly Term[]> {
  const { planned, fields, filter, usesWords, countPieces } = plan
  const terms = listTerms(planned.wanted)
  const suspects = terms.filter(({ text }) => usesWords || (countPieces?.(text) ?? 1) > 1)
  if (suspects.length === 0) return []
  const scope = { fields, namespace: getPinnedNamespace(filter) }
  const isAbsent = isMissing ?? (await storage.missing(suspects.map(termToNode), scope))
  const absent = suspects.filter((_, i) => isAbsent[i])
  return filterAbsentFromPast(storage, plan, absent)
}

/**
 * Turns each phrase that no record has into plain words; null if there is no such phrase. Without a vector the quotation
 * marks stay required, and only the hint names them.
 */
async function unquoteAbsent(
  storage: Storage,
  { query: { root, where }, request, fields, filter, embedding }: SearchPlan,
): Promise<Pick<Advice, 'searchedFor' | 'hint'> | null> {
  if (root === null || request.match !== 'auto') return null
  const absent: Node[] = []
  for (const phrase of listPhrases(root)) {
    const { total } = await storage.rank({ root: phrase, fields, filter }, { limit: 1, offset: 0 })
    if (total === 0) absent.push(phrase)
  }
  if (absent.length === 0 || storage.isCut()) return null
  const passing = isUnfiltered(filter) ? '' : ' that passes the filters'
  const named = absent.map(printQuery).join(', ')
  const problem = `No record${passing} has ${named}.`
  if (embedding === null) {
    return { searchedFor: null, hint: `${problem} Remove the quotation marks.` }
  }
  return {
    searchedFor: printQuery(joinWhere(unquotePhrases(root, absent), where)),
    hint: `${problem} Searched without the quotation marks.`,
  }
}

/** The index holds only current records. A search of the past also looks up the missing terms there. */
async function filterAbsentFromPast(
  storage: Storage,
  { filter, fields }: SearchPlan,
  terms: readonly Term[],
): Promise<readonly Term[]> {
  const { includeSuperseded, asOfMs, isPinned, namespaces } = filter
  if (!includeSuperseded && asOfMs === undefined) return terms
  const past: Filter = {
    includeSuperseded: true,
    ...(asOfMs !== undefined && { asOfMs }),
    ...(isPinned && namespaces && { isPinned, namespaces }),
  }
  const pages = await Promise.all(
    terms.map((term) =>
      storage.rank({ root: termToNode(term), fields, filter: past }, { limit: 1, offset: 0 }),
    ),
  )
  return terms.filter((_, i) => pages[i]?.total === 0)
}

async function suggestTerms(
  storage: Storage,
  missing: readonly Term[],
  namespace: string | null,
): Promise<Suggestion[]> {
  const words = missing
    .filter(({ text, field }) => /^[\p{L}\p{N}'’]+$/u.test(text) && !UNSPELT.has(field))
    .map(({ text }) => text)
  if (words.length === 0) return []
  const similar = await storage.nearTerms(words, namespace)
  return words.flatMap((term, i) => {
    const best = similar[i]?.find(({ word }) => !isStopWord(word))
    return best === undefined ? [] : [{ term, meant: best.word }]
  })
}

/** Replaces misspelt words by the suggestions; null if one of them is a real word that these records do not have. */
function chooseMeant(
  { request: { query, match }, countPieces }: SearchPlan,
  suggestions: readonly Suggestion[],
): string | null {
  if (match !== 'auto' || countPieces === null || suggestions.length === 0) return null
  if (suggestions.some(({ term }) => countPieces(term) === 1)) return null
  const meant = new Map(suggestions.map((one) => [one.term.toLowerCase(), one.meant]))
  return query.replace(/[\p{L}\p{N}'’]+/gu, (word) => meant.get(word.toLowerCase()) ?? word)
}

function hintForNoWords({ planned, filter }: SearchPlan): string {
  if (planned.root !== null) return 'Every record matches a negated term. Remove a negation.'
  return isUnfiltered(filter)
    ? 'Type some words, or set a filter to list the records that pass it.'
    : NOTHING_PASSES
}

function hintForNoRecords({ filter }: SearchPlan): string {
  return isUnfiltered(filter)
    ? 'There is no record yet. Add one with `cairn add`, or import a file.'
    : NOTHING_PASSES
}

function hintAtNearest({ embedding }: SearchPlan, nearest: number | null): string | null {
  if (embedding === null || nearest === null) return null
  const [floor, own] = [embedding.minSimilarity, nearest].map((cosine) => cosine.toFixed(2))
  const lower = (Math.floor(nearest * 20) / 20).toFixed(2)
  return `No record has a similarity of ${floor} or more. The nearest has ${own}; \`threshold: ${lower}\` includes it.`
}

type NoHits = {
  readonly missing: readonly Term[]
  readonly suggestions: readonly Suggestion[]
  readonly near: string | null
}

function hintForNoHits({ filter }: SearchPlan, { missing, suggestions, near }: NoHits): string {
  if (suggestions.length > 0) {
    return `Did you mean ${suggestions.map(({ meant }) => meant).join(' ')}?`
  }
  if (near !== null) return near
  if (missing.length > 0) return 'Try other words, or fewer of them.'
  return isUnfiltered(filter)
    ? 'The words occur, but not together as written. Remove quotes, fields or operators.'
    : 'No record that passes the filters has these words. Widen the filters.'
}
