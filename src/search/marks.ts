/** Highlights the words of a query in a record and cuts the snippet that shows them. */

import type { Hit, Range, Snippet } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import type { PlannedQuery, Relaxation } from '../query/steps.js'
import { listTerms, type Term } from '../query/terms.js'
import {
  createMatcher,
  type Match,
  type Matcher,
  mergeRanges,
  type TokenizedText,
  tokenizeText,
} from '../text/highlight.js'
import { queryTokens } from '../text/segment.js'
import { makeSnippet } from '../text/snippet.js'

/** A record whose body is tokenized at most once; `chunk` is the nearest passage, which the snippet is cut from. */
export type Markable = {
  readonly record: CairnRecord
  readonly readBody: () => TokenizedText
  readonly chunk: Range | null
}

export type Marker = (markable: Markable) => Pick<Hit, 'highlights' | 'snippet'>

const SNIPPET_CHARS = 240

export const plainMarker: Marker = () => ({ highlights: { title: [], body: [] }, snippet: null })

/** Marks what the widest step that was taken looked for, and nothing that was never searched. */
export function chooseMarker(
  { query, highlight }: { readonly query: string; readonly highlight: boolean },
  { steps }: PlannedQuery,
  widest: Relaxation,
): Marker {
  if (!highlight) return plainMarker
  const taken = steps.find(({ relaxed }) => relaxed === widest) ?? steps[0]
  const symbols = query.trim()
  if (taken === undefined && symbols !== '') return createLiteralMarker(symbols)
  return createMarker(listTerms(taken?.root ?? null))
}

function createMarker(terms: readonly Term[]): Marker {
  const findInTitle = createTermMatcher(terms, 'title')
  const findInBody = createTermMatcher(terms, 'body')
  return ({ record, readBody, chunk }) => {
    const matches = findInBody(readBody())
    const inTitle = findInTitle(tokenizeText(record.title ?? ''))
    return {
      highlights: { title: mergeRanges(inTitle), body: mergeRanges(matches) },
      snippet: cutSnippet(record.body, matches, chunk),
    }
  }
}

/** Marks exactly these characters, for text that the index has no words for. */
function createLiteralMarker(text: string): Marker {
  return ({ record: { title, body } }) => {
    const matches = findLiteral(text, body)
    return {
      highlights: { title: findLiteral(text, title ?? ''), body: matches },
      snippet: makeSnippet(body, matches, SNIPPET_CHARS),
    }
  }
}

/** From the nearest chunk where there is one, else from where the words are. */
function cutSnippet(body: string, matches: readonly Match[], chunk: Range | null): Snippet {
  if (chunk === null) return makeSnippet(body, matches, SNIPPET_CHARS)
  const inside = matches
    .filter(({ start, end }) => start >= chunk.start && end <= chunk.end)
    .map((match) => ({ ...match, start: match.start - chunk.start, end: match.end - chunk.start }))
  const snippet = makeSnippet(body.slice(chunk.start, chunk.end), inside, SNIPPET_CHARS)
  return { ...snippet, start: snippet.start + chunk.start }
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

export function createWordCounter(words: readonly string[]) {
  const terms = words.map((text) => ({ text, isPrefix: false, field: null }))
  const findWords = createTermMatcher(terms, 'body')
  return ({ record, readBody }: Pick<Markable, 'record' | 'readBody'>) => {
    const { title, tags, people } = record
    const texts = [readBody(), ...[title ?? '', ...tags, ...people].map(tokenizeText)]
    const found = new Set(texts.flatMap(findWords).map(({ pattern }) => pattern))
    return { has: found.size, of: words.length }
  }
}
