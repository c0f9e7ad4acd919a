/** Advises on an answer with few or no hits: names unknown words, suggests similar ones, says what to try next. */

import type { SearchAnswer, Suggestion } from '../core/answer.js'
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
import type { FoundCounts } from './candidates.js'
import type { SearchPlan } from './plan.js'

export type Advice = Pick<SearchAnswer['query'], 'missingTerms' | 'suggestions' | 'searchedFor'> & {
  readonly hint: string | null
}

const NO_ADVICE: Advice = { missingTerms: [], suggestions: [], searchedFor: null, hint: null }

/** For a search that had to stop. */
export const TOO_EXPENSIVE: Advice = {
  ...NO_ADVICE,
  hint: 'Search for fewer words, and with fewer NEAR, prefixes* and alternatives.',
}

const NOTHING_SIMILAR =
  'No record is near enough in meaning; lower --threshold, or search by words with --mode keyword.'
const NOTHING_IN_FIELDS =
  'No record has one of the words in these fields and is near enough; leave --field out.'

/** `nearest` is the similarity of the nearest record that is no hit. */
export async function adviseOn(
  storage: Storage,
  plan: SearchPlan,
  found: FoundCounts & { readonly nearest: number | null },
): Promise<Advice> {
  const { planned, fields } = plan
  if (planned.wanted === null) {
    return found.total > 0 ? NO_ADVICE : { ...NO_ADVICE, hint: hintForNoWords(plan) }
  }
  if (found.total > 0 && !found.relaxed && plan.usesWords) return NO_ADVICE
  const near = hintAtNearest(plan, found.nearest)
  // The model knows many words that no record has: without words, only what it does not know either is a mistake.
  const isSuspect = ({ text }: Term) => plan.usesWords || (plan.countPieces?.(text) ?? 1) > 1
  const terms = listTerms(planned.wanted).filter(isSuspect)
  const namespace = getPinnedNamespace(plan.filter)
  const isMissing =
    terms.length === 0 ? [] : await storage.missing(terms.map(termToNode), { fields, namespace })
  const absent = terms.filter((_, i) => isMissing[i])
  const missing = await filterAbsentFromPast(storage, plan, absent)
  const mistaken = missing.filter(({ text }) => plan.countPieces?.(text) !== 1)
  const suggestions = await suggestTerms(storage, mistaken, namespace)
  const missingTerms = plan.usesWords ? missing.map(({ text }) => text) : []
  if (found.total > 0) return { ...NO_ADVICE, missingTerms, suggestions }
  const asWords = await unquoteAbsent(storage, plan)
  if (asWords !== null) return { missingTerms, suggestions, ...asWords }
  if (!plan.usesWords) {
    const nothing = fields === null ? NOTHING_SIMILAR : NOTHING_IN_FIELDS
    return { ...NO_ADVICE, suggestions, hint: near ?? nothing }
  }
  const searchedFor = chooseMeant(plan, suggestions)
  // Where something else is searched, the suggestions say why.
  const hint = searchedFor === null ? hintForNoHits(plan, { missing, suggestions, near }) : null
  return { missingTerms, suggestions, searchedFor, hint }
}

/**
 * Each phrase that none of the records searched has becomes plain words; null where there is no such phrase. Without a
 * vector the search is by words as they were written, and the answer stays empty.
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
  const lacking = `No record${passing} has ${named};`
  if (embedding === null) {
    return { searchedFor: null, hint: `${lacking} take the quotation marks away.` }
  }
  return {
    searchedFor: printQuery(joinWhere(unquotePhrases(root, absent), where)),
    hint: `${lacking} searched without the quotation marks.`,
  }
}

/** The index holds only what is valid now: where the past is searched, absent words are looked up there too. */
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
    .filter(({ text }) => /^[\p{L}\p{N}'’]+$/u.test(text))
    .map(({ text }) => text)
  if (words.length === 0) return []
  const similar = await storage.nearTerms(words, namespace)
  return words.flatMap((term, i) => {
    const best = similar[i]?.find(({ word }) => !isStopWord(word))
    return best === undefined ? [] : [{ term, meant: best.word }]
  })
}

/** The query in the words that were probably meant; null where one of the others is a word, only not of these records. */
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
  if (planned.root !== null) return 'Every record matches what was refused; leave a negation out.'
  return isUnfiltered(filter)
    ? 'Type some words, or give a filter to list what passes it.'
    : 'No record passes these filters; leave one out.'
}

function hintAtNearest({ embedding }: SearchPlan, nearest: number | null): string | null {
  if (embedding === null || nearest === null) return null
  const [floor, own] = [embedding.minSimilarity, nearest].map((cosine) => cosine.toFixed(2))
  const lower = (Math.floor(nearest * 20) / 20).toFixed(2)
  return `No record reaches a similarity of ${floor}, the nearest has ${own}; --threshold ${lower} shows those below.`
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
    ? 'The words occur, but not together as written; take quotes, fields or operators away.'
    : 'No record that passes the filters has these words; widen the filters.'
}
