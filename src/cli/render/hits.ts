/** An answer reads at a glance: what was found, where it matched, and why it stands where it stands. */

import type { Hit, Pages, Range, SearchAnswer, Snippet } from '../../core/answer.js'
import type { ShortId } from '../resolve-ids.js'
import { renderExplanation } from './explanation.js'
import { renderFacets } from './facets.js'
import { factLines } from './facts.js'
import { INDENT, joinedLines, paragraph } from './paragraph.js'
import { cut, oneLine, type Style, safe } from './style.js'
import { dateOf, upTo } from './when.js'

const RELAXED = { any: 'some of the words', prefix: 'words that begin like it' } as const
/** More would hide the next hit. */
const MOST_FACTS = 3

export function renderAnswer(answer: SearchAnswer, short: ShortId, style: Style): string {
  const facets = answer.facets === null ? '' : renderFacets(answer.facets, style)
  const blocks = [
    summary(answer, style),
    ...blocksOf(answer.hits, short, style),
    ...(facets === '' ? [] : [facets]),
    ...[...adviceLines(answer)].map((line) => style.dim(line)),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** Hits without a question around them. */
export function renderHits(hits: readonly Hit[], short: ShortId, style: Style): string {
  return `${blocksOf(hits, short, style).join('\n\n')}\n`
}

function blocksOf(hits: readonly Hit[], short: ShortId, style: Style): string[] {
  return hits.map((hit) => renderHit(hit, short, style))
}

function summary({ query, scope, total, hits, tookMs }: SearchAnswer, style: Style): string {
  const count = `${total.exact ? '' : 'at least '}${total.value} ${total.value === 1 ? 'record' : 'records'}`
  const shown = hits.length < total.value && hits.length > 0 ? `, ${hits.length} shown` : ''
  const readAs = query.readAs === '' ? '' : ` for ${style.bold(echoOf(query.readAs))}`
  const then = scope.asOf === undefined ? '' : ` as of ${upTo(scope.asOf, style.now)}`
  const rankedBy = query.rankedBy === null ? '' : style.dim(` words by ${query.rankedBy}`)
  return `${count}${shown}${readAs}${then} ${style.dim(`(${tookMs.toFixed(1)} ms)`)}${rankedBy}`
}

function* adviceLines({ query, hits, hint, degraded }: SearchAnswer): Generator<string> {
  if (degraded !== null) yield degraded.message
  if (query.missingTerms.length > 0) {
    const terms = query.missingTerms.map(oneLine).join(', ')
    const meant = query.suggestions.map((one) => `${oneLine(one.term)} → ${one.meant}`).join(', ')
    yield `No record contains: ${terms}.${meant === '' ? '' : ` Did you mean: ${meant}?`}`
  } else if (hits.length > 0 && hits.every(({ relaxed }) => relaxed === 'any')) {
    yield 'No record has all of the words; these have some of them.'
  }
  if (hint !== null && query.suggestions.length === 0) yield hint
}

/** Under one another: title, what replaced it, the text with what was said around it, its data, its facts. */
function renderHit(hit: Hit, short: ShortId, style: Style): string {
  const lines = [
    ...(hit.title === null ? [] : [titleLine(hit, style)]),
    ...successorLines(hit, short, style),
    ...turnLines(hit.context?.before ?? [], style),
    renderSnippet(hit, style),
    ...turnLines(hit.context?.after ?? [], style),
    ...joinedLines(dataOf(hit, short, style), style.columns - INDENT.length).map(
      (line) => INDENT + style.dim(line),
    ),
    ...factLines(hit.facts, style, { most: MOST_FACTS }),
    ...(hit.explanation === null ? [] : [renderExplanation(hit.explanation, style)]),
  ]
  const score = hit.score.toFixed(2).padStart(5)
  return `${style.good(score)} ${lines.join('\n').slice(INDENT.length)}`
}

function dataOf(hit: Hit, short: ShortId, style: Style): string[] {
  const { record, session, relatedCount, relaxed } = hit
  return [
    short(hit.id),
    record.kind,
    ...(hit.pages === null ? [] : [showPages(hit.pages)]),
    oneLine(record.namespace),
    dateOf(record, style.now),
    ...record.tags.map((tag) => `#${oneLine(tag)}`),
    ...(session === null ? [] : [`in ${oneLine(session.id)}`]),
    ...(relatedCount === 0 ? [] : [`${relatedCount} related`]),
    ...(relaxed === null ? [] : [RELAXED[relaxed]]),
  ]
}

function showPages({ first, last }: Pages): string {
  return first === last ? `p. ${first}` : `pp. ${first}-${last}`
}

function successorLines(hit: Hit, short: ShortId, style: Style): string[] {
  if (!hit.isSuperseded) return []
  const by = hit.supersededBy
  const what = by === null ? '' : ` by ${short(by.id)}: ${oneLine(by.text)}`
  return [INDENT + style.bad(cut(`✗ superseded${what}`, style.columns - INDENT.length))]
}

/** What was said before and after, one line each. */
function turnLines(turns: NonNullable<Hit['context']>['before'], style: Style): string[] {
  return turns.map(({ people, title, body }) => {
    const who = people.length === 0 ? '' : `${people.map(oneLine).join(', ')}: `
    const line = cut(`┊ ${who}${oneLine(title ?? body)}`, style.columns - INDENT.length)
    return INDENT + style.dim(line)
  })
}

function titleLine(hit: Hit, style: Style): string {
  const title = markRanges(hit.title ?? '', hit.highlights.title, style.match)
  return INDENT + style.bold(oneLineKeepingMarks(title))
}

/** The snippet as lines that fit, with an ellipsis where it does not begin or end with the body. */
function renderSnippet({ snippet: own, record, chunks }: Hit, style: Style): string {
  const snippet = own ?? beginningOf(record.body, chunks[0]?.start ?? 0)
  const before = snippet.start > 0 ? '…' : ''
  const after = snippet.start + snippet.text.length < record.body.trimEnd().length ? '…' : ''
  const marked = markRanges(snippet.text, snippet.highlights, style.match)
  return paragraph(`${before}${oneLineKeepingMarks(marked)}${after}`, style.columns)
}

function beginningOf(body: string, start: number): Snippet {
  return {
    text: cut(body.slice(start, start + 400).trim(), 240).replace(/…$/, ''),
    start,
    highlights: [],
  }
}

/** Each stretch is made safe by itself: the colours around the matches are ours. */
function markRanges(
  text: string,
  ranges: readonly Range[],
  mark: (text: string) => string,
  clean: (text: string) => string = safe,
): string {
  let at = 0
  let marked = ''
  for (const { start, end } of ranges) {
    marked += clean(text.slice(at, start)) + mark(clean(text.slice(start, end)))
    at = end
  }
  return marked + clean(text.slice(at))
}

/** `--marks`: HTML with matched words in <mark> and everything else escaped. */
export function markAsHtml(text: string, ranges: readonly Range[]): string {
  return markRanges(text, ranges, (matched) => `<mark>${matched}</mark>`, escapeHtml)
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

function oneLineKeepingMarks(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A pasted page is not repeated above its hits; `--json` has it whole. */
const LONGEST_ECHO = 200

function echoOf(readAs: string): string {
  const query = oneLine(readAs)
  return query.length > LONGEST_ECHO ? `${query.slice(0, LONGEST_ECHO).trimEnd()}…` : query
}
