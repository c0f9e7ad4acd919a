/** Highlights the words of a query in a record and cuts the snippet that shows them. */

import type { Hit, Range, Snippet } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { nameWork } from '../core/work.js'
import type { PlannedQuery, Relaxation } from '../query/steps.js'
import { listTerms, type Term } from '../query/terms.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { createMatcher, type Match, mergeRanges, type Pattern } from '../text/highlight.js'
import { toPlainText } from '../text/plain-text.js'
import { queryTokens } from '../text/segment.js'
import { cutSnippet } from '../text/snippet.js'

/** `chunk` is the nearest passage. */
export type Markable = { readonly record: CairnRecord; readonly chunk: Range | null }

/** The snippet is the first of the passages; `own`: how many of the counted words the record has itself. */
export type Marks = Pick<Hit, 'highlights'> & {
  readonly passages: readonly Snippet[]
  readonly own: number | null
}
export type Marker = (markable: Markable) => Marks

const SNIPPET_CHARS = 280

export const plainMarker: Marker = () => ({
  highlights: { title: [], body: [] },
  passages: [],
  own: null,
})

/**
 * Marks what the widest step that was taken looked for, and nothing that was never searched.
 * @param counted The words to count, whether they are marked or not; null counts none.
 */
export function chooseMarker(
  { query, highlight, passages }: Pick<SearchRequest, 'query' | 'highlight' | 'passages'>,
  { steps }: PlannedQuery,
  { widest, counted }: { readonly widest: Relaxation; readonly counted: readonly string[] | null },
): Marker {
  if (!highlight && counted === null) return plainMarker
  const taken = steps.find(({ relaxed }) => relaxed === widest) ?? steps[0]
  const symbols = query.trim()
  if (taken === undefined && symbols !== '') {
    return highlight ? createLiteralMarker(symbols, passages) : plainMarker
  }
  const terms = highlight ? listTerms(taken?.root ?? null) : []
  const isPrefix = widest === 'prefix'
  const words = counted?.map((text): Term => ({ text, isPrefix, field: null })) ?? null
  return createMarker(terms, words, highlight ? passages : 0)
}

/** Each text is tokenized and searched once, for what is marked and for what is counted. */
function createMarker(
  terms: readonly Term[],
  counted: readonly Term[] | null,
  count: number,
): Marker {
  const all = [...terms]
  const indexes = counted?.map((word) => {
    const known = all.findIndex((term) => isSameTerm(term, word))
    return known < 0 ? all.push(word) - 1 : known
  })
  const find = createMatcher(all.map(toPattern))
  const markIn = (matches: readonly Match[], field: Term['field']): Match[] =>
    matches.filter(({ pattern }) => {
      const own = terms[pattern]?.field
      return own === null || own === field
    })
  return ({ record, chunk }) => {
    const { title, body, tags, people, work } = record
    const [inTitle, inBody] = [find(title ?? ''), find(body)]
    const matches = markIn(inBody, 'body')
    const passages = count === 0 ? [] : cutPassages(record, matches, { near: chunk, count })
    const highlights = { title: mergeRanges(markIn(inTitle, 'title')), body: mergeRanges(matches) }
    if (indexes === undefined) return { highlights, passages, own: null }
    const names = work === null ? [] : Object.values(nameWork(work))
    const others = [...tags, ...people, ...names].flatMap(find)
    const found = new Set([...inTitle, ...inBody, ...others].map(({ pattern }) => pattern))
    return { highlights, passages, own: indexes.filter((index) => found.has(index)).length }
  }
}

function isSameTerm(a: Term, b: Term): boolean {
  return a.text === b.text && a.isPrefix === b.isPrefix && a.field === b.field
}

/** Marks exactly these characters, for text that the index has no words for. */
function createLiteralMarker(text: string, count: number): Marker {
  return ({ record }) => {
    const matches = findLiteral(text, record.body)
    return {
      highlights: { title: findLiteral(text, record.title ?? ''), body: matches },
      passages: cutPassages(record, matches, { near: null, count }),
      own: null,
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

function toPattern({ text, isPrefix }: Term): Pattern {
  const { words, lastIsPrefix } = queryTokens(text)
  return { words, lastIsPrefix: isPrefix || lastIsPrefix }
}

function findLiteral(text: string, within: string): Match[] {
  const matches: Match[] = []
  for (let at = within.indexOf(text); at >= 0; at = within.indexOf(text, at + text.length)) {
    matches.push({ start: at, end: at + text.length, pattern: 0 })
  }
  return matches
}
