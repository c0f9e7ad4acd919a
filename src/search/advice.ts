/** An answer never leaves a person without a next step: unknown words are named, near ones offered. */

import type { SearchAnswer, Suggestion } from '../core/answer.js'
import { type Filter, isUnfiltered } from '../core/filter.js'
import type { ReadQuery } from '../query/steps.js'
import type { Field } from '../query/tree.js'
import { type Sought, soughtBy, toNode } from '../query/words.js'
import type { Storage } from '../storage/storage.js'
import type { FoundPage } from './found.js'

export type Advice = Pick<SearchAnswer['query'], 'missingTerms' | 'suggestions'> & {
  readonly hint: string | null
}

const NO_ADVICE: Advice = { missingTerms: [], suggestions: [], hint: null }

const NOTHING_NEAR =
  'No record is near enough in meaning; lower --threshold, or search by words with --mode keyword.'

export type AdviceInput = {
  readonly reading: ReadQuery
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  readonly found: FoundPage
  /** True where meaning was searched, and not words. */
  readonly byMeaning: boolean
}

export async function adviseOn(storage: Storage, input: AdviceInput): Promise<Advice> {
  const { reading, found, fields } = input
  // Every word was found together in one record at least, or there were no words.
  if (reading.wanted === null)
    return found.total > 0 ? NO_ADVICE : { ...NO_ADVICE, hint: emptyHint(input) }
  if (found.total > 0 && !found.relaxed) return NO_ADVICE

  if (input.byMeaning) return { ...NO_ADVICE, hint: NOTHING_NEAR }

  const sought = soughtBy(reading.wanted)
  const isMissing = await storage.missing(sought.map(toNode), fields)
  const absent = sought.filter((_, i) => isMissing[i])
  const missing = await absentFromPast(storage, absent, input)
  const suggestions = await suggest(storage, missing)
  return {
    missingTerms: missing.map(({ text }) => text),
    suggestions,
    hint: found.total > 0 ? null : noHitHint(missing, suggestions, input.filter),
  }
}

/** The index holds what is valid now: where more is searched than that, more is looked through. */
async function absentFromPast(
  storage: Storage,
  words: readonly Sought[],
  { filter, fields }: AdviceInput,
): Promise<Sought[]> {
  const { includeSuperseded, asOfMs } = filter
  if (!includeSuperseded && asOfMs === undefined) return [...words]
  const past = { includeSuperseded: true, ...(asOfMs !== undefined && { asOfMs }) }
  const pages = await Promise.all(
    words.map((word) =>
      storage.rank({ root: toNode(word), fields, filter: past }, { limit: 1, offset: 0 }),
    ),
  )
  return words.filter((_, i) => pages[i]?.total === 0)
}

async function suggest(storage: Storage, missing: readonly Sought[]): Promise<Suggestion[]> {
  const words = missing
    .filter(({ text }) => /^[\p{L}\p{N}'’]+$/u.test(text))
    .map(({ text }) => text)
  if (words.length === 0) return []
  const near = await storage.nearTerms(words)
  return words.flatMap((term, i) => {
    const [best] = near[i] ?? []
    return best === undefined ? [] : [{ term, meant: best.word }]
  })
}

function emptyHint({ reading, filter }: AdviceInput): string | null {
  if (reading.root !== null) return 'Every record matches what was refused; leave a negation out.'
  return isUnfiltered(filter)
    ? 'Type some words, or give a filter to list what passes it.'
    : 'No record passes these filters; leave one out.'
}

function noHitHint(
  missing: readonly Sought[],
  suggestions: readonly Suggestion[],
  filter: Filter,
): string {
  if (suggestions.length > 0) {
    return `Did you mean ${suggestions.map(({ meant }) => meant).join(' ')}?`
  }
  if (missing.length > 0) return 'Try other words, or fewer of them.'
  return !isUnfiltered(filter)
    ? 'No record that passes the filters has these words; widen the filters.'
    : 'The words occur, but not together as written; take quotes, fields or operators away.'
}
