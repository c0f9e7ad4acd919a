/** Highlights the words of a query in a record and cuts the snippet that shows them. */

import type { Hit, Range, Snippet } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { nameWork } from '../core/work.js'
import type { PlannedQuery, Relaxation } from '../query/steps.js'
import { listTerms, type Term } from '../query/terms.js'
import type { SearchRequest } from '../schemas/search-request.js'
import {
  createMatcher,
  type Match,
  type Matcher,
  mergeRanges,
  type TokenizedText,
  tokenizeText,
} from '../text/highlight.js'
import { toPlainText } from '../text/plain-text.js'
import { queryTokens } from '../text/segment.js'
import { cutSnippet } from '../text/snippet.js'

/** A record whose body is tokenized at most once; `chunk` is the nearest passage. */
export type Markable = {
  readonly record: CairnRecord
  readonly readBody: () => TokenizedText
  readonly chunk: Range | null
}

/** The snippet is the first of the passages. */
export type Marks = Pick<Hit, 'highlights'> & { readonly passages: readonly Snippet[] }
export type Marker = (markable: Markable) => Marks

const SNIPPET_CHARS = 280

export const plainMarker: Marker = () => ({ highlights: { title: [], body: [] }, passages: [] })

/** Marks what the widest step that was taken looked for, and nothing that was never searched. */
export function chooseMarker(
  { query, highlight, passages }: Pick<SearchRequest, 'query' | 'highlight' | 'passages'>,
  { steps }: PlannedQuery,
  widest: Relaxation,
): Marker {
  if (!highlight) return plainMarker
  const taken = steps.find(({ relaxed }) => relaxed === widest) ?? steps[0]
  const symbols = query.trim()
  if (taken === undefined && symbols !== '') return createLiteralMarker(symbols, passages)
  return createMarker(listTerms(taken?.root ?? null), passages)
}

function createMarker(terms: readonly Term[], count: number): Marker {
  const findInTitle = createTermMatcher(terms, 'title')
  const findInBody = createTermMatcher(terms, 'body')
  return ({ record, readBody, chunk }) => {
    const matches = findInBody(readBody())
    const inTitle = findInTitle(tokenizeText(record.title ?? ''))
    return {
      highlights: { title: mergeRanges(inTitle), body: mergeRanges(matches) },
      passages: cutPassages(record, matches, { near: chunk, count }),
    }
  }
}

/** Marks exactly these characters, for text that the index has no words for. */
function createLiteralMarker(text: string, count: number): Marker {
  return ({ record }) => {
    const matches = findLiteral(text, record.body)
    return {
      highlights: { title: findLiteral(text, record.title ?? ''), body: matches },
      passages: cutPassages(record, matches, { near: null, count }),
    }
  }
}

/** The best first. Each match is in one of them at most; without matches there is one passage. */
function cutPassages(
  record: CairnRecord,
  matches: readonly Match[],
  { near, count }: { readonly near: Range | null; readonly count: number },
): Snippet[] {
  const from = skipTitle(record)
  const body = record.body.slice(from)
  const shift = <R extends Range>(range: R): R => ({
    ...range,
    start: Math.max(0, range.start - from),
    end: range.end - from,
  })
  const options = { maxChars: SNIPPET_CHARS, near: near && shift(near) }
  const passages: Snippet[] = []
  let left = matches.filter(({ start }) => start >= from)
  do {
    const cut = cutSnippet(body, left.map(shift), options)
    const { text: raw, highlights } = cut
    const start = from + cut.start
    const end = start + raw.length
    const { text, ranges } = toPlainText(raw, highlights)
    passages.push({ text, start, end, highlights: ranges })
    left = left.filter((match) => match.end <= start || match.start >= end)
  } while (left.length > 0 && passages.length < count)
  return passages
}

/** Where the text goes on after a first line that only repeats the title. */
function skipTitle({ title, body }: CairnRecord): number {
  const end = body.indexOf('\n')
  if (title === null || end < 0 || end > title.length + 10) return 0
  if (body.slice(0, end).replace(/^#+/, '').trim() !== title) return 0
  const rest = body.slice(end).search(/\S/)
  return rest < 0 ? 0 : end + rest
}

function createTermMatcher(terms: readonly Term[], field: 'title' | 'body'): Matcher {
  const own = terms.filter((term) => term.field === null || term.field === field)
  return createMatcher(
    own.map(({ text, isPrefix }) => {
      const { words, lastIsPrefix } = queryTokens(text)
      return { words, lastIsPrefix: isPrefix || lastIsPrefix }
    }),
  )
}

function findLiteral(text: string, within: string): Match[] {
  const matches: Match[] = []
  for (let at = within.indexOf(text); at >= 0; at = within.indexOf(text, at + text.length)) {
    matches.push({ start: at, end: at + text.length, pattern: 0 })
  }
  return matches
}

export type WordCounter = ReturnType<typeof createWordCounter>

export function createWordCounter(words: readonly string[], isPrefix: boolean) {
  const terms = words.map((text) => ({ text, isPrefix, field: null }))
  const findWords = createTermMatcher(terms, 'body')
  return ({ record, readBody }: Pick<Markable, 'record' | 'readBody'>) => {
    const { title, tags, people, work } = record
    const names = work === null ? [] : Object.values(nameWork(work))
    const texts = [readBody(), ...[title ?? '', ...tags, ...people, ...names].map(tokenizeText)]
    const found = new Set(texts.flatMap(findWords).map(({ pattern }) => pattern))
    return { has: found.size, of: words.length }
  }
}
