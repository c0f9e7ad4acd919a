/** What a query looked for is marked in the text as it was written, field by field. */

import type { Hit, Range, Snippet } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import type { ReadQuery, Relaxation } from '../query/steps.js'
import { type Sought, soughtBy } from '../query/words.js'
import { findMatches, type Match, mergeRanges, type Pattern } from '../text/highlight.js'
import { queryTokens } from '../text/segment.js'
import { makeSnippet } from '../text/snippet.js'

/** `chunk` is the passage that came nearest in meaning: shown where no word is to be seen. */
export type Marker = (
  record: CairnRecord,
  chunk: Range | null,
) => Pick<Hit, 'highlights' | 'snippet'>

/** Prepares the patterns once for all hits of a page. */
function createMarker(sought: readonly Sought[], snippetChars: number): Marker {
  const inTitle = patternsFor(sought, 'title')
  const inBody = patternsFor(sought, 'body')
  return (record, chunk) => {
    const body = findMatches(record.body, inBody)
    return {
      highlights: { title: rangesIn(record.title, inTitle), body: mergeRanges(body) },
      snippet: snippetOf(record.body, body, chunk, snippetChars),
    }
  }
}

/** From the nearest passage where there is one, else from where the words are. */
function snippetOf(
  body: string,
  matches: readonly Match[],
  chunk: Range | null,
  maxChars: number,
): Snippet {
  if (chunk === null || chunk.end - chunk.start === body.length) {
    return makeSnippet(body, matches, { maxChars })
  }
  const inside = matches
    .filter(({ start, end }) => start >= chunk.start && end <= chunk.end)
    .map((match) => ({ ...match, start: match.start - chunk.start, end: match.end - chunk.start }))
  const snippet = makeSnippet(body.slice(chunk.start, chunk.end), inside, { maxChars })
  return { ...snippet, start: snippet.start + chunk.start }
}

/** Marks nothing: for those who asked for no highlights. */
export const plainMarker: Marker = () => ({ highlights: { title: [], body: [] }, snippet: null })

/** Marks these very characters, for text that the index has no words for. */
function createLiteralMarker(text: string, snippetChars: number): Marker {
  return (record) => {
    const body = placesOf(text, record.body)
    return {
      highlights: { title: placesOf(text, record.title ?? ''), body },
      snippet: makeSnippet(record.body, body, { maxChars: snippetChars }),
    }
  }
}

function patternsFor(sought: readonly Sought[], field: 'title' | 'body'): Pattern[] {
  return sought
    .filter((one) => one.field === null || one.field === field)
    .map(({ text, isPrefix }) => {
      const { words, lastIsPrefix } = queryTokens(text)
      return { kind: 'phrase', words, lastIsPrefix: isPrefix || lastIsPrefix }
    })
}

function rangesIn(text: string | null, patterns: readonly Pattern[]) {
  return text === null ? [] : mergeRanges(findMatches(text, patterns))
}

function placesOf(text: string, within: string): Match[] {
  const places: Match[] = []
  for (let at = within.indexOf(text); at >= 0; at = within.indexOf(text, at + text.length)) {
    places.push({ start: at, end: at + text.length, pattern: 0 })
  }
  return places
}

const SNIPPET_CHARS = 240

export type MarkRequest = { readonly query: string; readonly highlight: boolean }

/** What the widest step that was taken looked for is marked, and nothing that was never searched. */
export function chooseMarker(
  { query, highlight }: MarkRequest,
  { steps }: ReadQuery,
  widest: Relaxation,
): Marker {
  if (!highlight) return plainMarker
  const taken = steps.find(({ relaxed }) => relaxed === widest) ?? steps[0]
  const root = taken?.root ?? null
  const symbols = query.trim()
  if (root === null && symbols !== '') return createLiteralMarker(symbols, SNIPPET_CHARS)
  return createMarker(soughtBy(root), SNIPPET_CHARS)
}

/** How many of the words a record has itself. */
export type WordsIn = (record: CairnRecord) => { readonly has: number; readonly of: number }

export function createWordsIn({ words }: ReadQuery): WordsIn {
  const patterns = patternsFor(
    words.map((text) => ({ text, isPrefix: false, field: null })),
    'body',
  )
  return ({ title, body, tags, people }) => {
    const found = new Set<number>()
    // The body last: it is the text that is marked next.
    for (const text of [title ?? '', ...tags, ...people, body]) {
      for (const { pattern } of findMatches(text, patterns)) found.add(pattern)
    }
    return { has: found.size, of: words.length }
  }
}
