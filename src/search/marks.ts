/** Highlights the words of a query in a record and cuts the snippets that show them. */

import type { Hit, Range, Snippet } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { nameWork } from '../core/work.js'
import type { PlannedQuery, Relaxation } from '../query/steps.js'
import { listTerms, type Term } from '../query/terms.js'
import type { Field } from '../query/tree.js'
import type { SearchRequest } from '../schemas/search-request.js'
import {
  createMatcher,
  type Match,
  type Matcher,
  mergeRanges,
  type Pattern,
} from '../text/highlight.js'
import { dropUnseen, findPieces } from '../text/markup.js'
import { toPlainText } from '../text/plain-text.js'
import { queryTokens } from '../text/segment.js'
import { type CutOptions, cutSnippet } from '../text/snippet.js'
import { findStep } from './candidates.js'

/** `chunk` is the chunk nearest to the query. */
export type Markable = { readonly record: CairnRecord; readonly chunk: Range | null }

/** The first passage is the snippet. `own` is how many of the counted words the record has itself. */
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

type MarkRequest = Pick<SearchRequest, 'query' | 'highlight' | 'passages' | 'fields'>

/**
 * Marks the terms of the widest relaxation step that ran.
 * @param counted The words to count, even if they are not marked; null counts none.
 */
export function chooseMarker(
  { query, highlight, passages, fields }: MarkRequest,
  planned: PlannedQuery,
  { widest, counted }: { readonly widest: Relaxation; readonly counted: readonly string[] | null },
): Marker {
  if (!highlight && counted === null) return plainMarker
  const step = findStep(planned, widest)
  const count = highlight ? passages : 0
  const searched = fields?.length ? fields : null
  const literal = query.trim()
  if (step === undefined && literal !== '') {
    const find = (text: string) => findLiteral(literal, text)
    return createMarker(find, { fields: highlight ? [searched] : [], counted: null, count })
  }
  const terms = highlight ? listTerms(step?.root ?? null) : []
  // One matcher for marked terms and counted words, so that each text is tokenized once.
  const all = [...terms]
  const isPrefix = widest === 'prefix'
  const indexes = counted?.map((text) => {
    const word: Term = { text, isPrefix, field: null }
    const known = all.findIndex((term) => isSameTerm(term, word))
    return known < 0 ? all.push(word) - 1 : known
  })
  const find = createMatcher(all.map(toPattern))
  return createMarker(find, {
    fields: terms.map(({ field }) => (field === null ? searched : [field])),
    counted: indexes ?? null,
    count,
  })
}

type MarkerOptions = {
  /** The fields of each pattern to mark; null marks it in all fields. */
  readonly fields: readonly (readonly Field[] | null)[]
  /** The patterns to count. */
  readonly counted: readonly number[] | null
  /** The number of passages. */
  readonly count: number
}

function createMarker(find: Matcher, { fields, counted, count }: MarkerOptions): Marker {
  const markIn = (matches: readonly Match[], field: Field): Match[] =>
    matches.filter(({ pattern }) => fields[pattern] === null || fields[pattern]?.includes(field))
  return ({ record, chunk }) => {
    const { title, body, tags, people, work } = record
    const [inTitle, inBody] = [find(title ?? ''), find(body)]
    const matches = markIn(inBody, 'body')
    const passages = count === 0 ? [] : cutPassages(record, matches, { near: chunk, count })
    const highlights = { title: mergeRanges(markIn(inTitle, 'title')), body: mergeRanges(matches) }
    if (counted === null) return { highlights, passages, own: null }
    const names = work === null ? [] : Object.values(nameWork(work))
    const others = [...tags, ...people, ...names].flatMap(find)
    const found = new Set([...inTitle, ...inBody, ...others].map(({ pattern }) => pattern))
    return { highlights, passages, own: counted.filter((index) => found.has(index)).length }
  }
}

function isSameTerm(a: Term, b: Term): boolean {
  return a.text === b.text && a.isPrefix === b.isPrefix && a.field === b.field
}

/** Best first, without overlaps. Without matches there is one passage. */
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
  const pieces = body.length > SNIPPET_CHARS ? findPieces(body) : []
  const found = matches.filter(({ start }) => start >= from).map(shift)
  const seen = dropUnseen(body, found, pieces)
  const options = { maxChars: SNIPPET_CHARS, near: near && shift(near), pieces }
  let left = seen.length > 0 ? seen : found
  const taken: Snippet[] = []
  do {
    const passage = cutPassage(body, left, { ...options, taken })
    taken.push(passage)
    left = left.filter(({ start, end }) => end <= passage.start || start >= passage.end)
  } while (left.length > 0 && taken.length < count)
  const passages = taken.filter(({ text }) => text !== '')
  // All matches are in comments and the like: show the beginning.
  if (passages.length === 0 && found.length > 0) return cutPassages(record, [], { near, count })
  return (passages.length === 0 ? taken : passages).map((one) => ({
    ...one,
    start: from + one.start,
    end: from + one.end,
  }))
}

/** If much of the passage is markup, which is not shown, it is cut longer. */
function cutPassage(body: string, matches: readonly Match[], options: CutOptions): Snippet {
  const passage = cutPlainText(body, matches, options)
  const markup = passage.end - passage.start - passage.text.length
  if (markup < SNIPPET_CHARS / 2) return passage
  const maxChars = SNIPPET_CHARS + markup
  const longer = cutPlainText(body, matches, { ...options, maxChars })
  return longer.text.length > SNIPPET_CHARS ? passage : longer
}

function cutPlainText(body: string, matches: readonly Match[], options: CutOptions): Snippet {
  const { text: raw, start, highlights } = cutSnippet(body, matches, options)
  const { text, ranges } = toPlainText(raw, highlights)
  const end = start + raw.length
  // A body of markup alone is shown as it is.
  if (text === '' && raw === body.trim()) return { text: raw, start, end, highlights }
  return { text, start, end, highlights: ranges }
}

/** The offset of the text after a first line that only repeats the title. */
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
