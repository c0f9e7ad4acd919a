/** Promise: what a query looked for is marked in the text as it was written, field by field. */

import type { Hit } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import type { Sought } from '../query/words.js'
import { findMatches, type Match, mergeRanges, type Pattern } from '../text/highlight.js'
import { queryTokens } from '../text/segment.js'
import { makeSnippet } from '../text/snippet.js'

export type Marker = (record: CairnRecord) => Pick<Hit, 'highlights' | 'snippet'>

/** Prepares the patterns once for all hits of a page. */
export function createMarker(sought: readonly Sought[], snippetChars: number): Marker {
  const inTitle = patternsFor(sought, 'title')
  const inBody = patternsFor(sought, 'body')
  return (record) => {
    const body = findMatches(record.body, inBody)
    return {
      highlights: { title: rangesIn(record.title, inTitle), body: mergeRanges(body) },
      snippet: makeSnippet(record.body, body, { maxChars: snippetChars }),
    }
  }
}

/** Marks nothing: for those who asked for no highlights. */
export const plainMarker: Marker = () => ({ highlights: { title: [], body: [] }, snippet: null })

/** Marks these very characters, for text that the index has no words for. */
export function createLiteralMarker(text: string, snippetChars: number): Marker {
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
