/** Promise: an answer reads at a glance: what was found, where it matched, and why it stands where it stands. */

import type { Explanation, Hit, Range, SearchAnswer, Snippet } from '../../../core/answer.js'
import { cut, oneLine, type Style, safe } from './style.js'
import { dateOf } from './when.js'

const INDENT = '      '
const BAR_COLUMNS = 12
const RELAXED = { any: 'some of the words', prefix: 'words that begin like it' } as const

export function renderAnswer(
  answer: SearchAnswer,
  shortIds: readonly string[],
  style: Style,
): string {
  const blocks = blocksOf(answer.hits, shortIds, style)
  const notes = [...adviceLines(answer)].map((line) => style.dim(line))
  return `${[summary(answer, style), ...blocks, ...notes].join('\n\n')}\n`
}

/** Hits without a question around them. */
export function renderHits(
  hits: readonly Hit[],
  shortIds: readonly string[],
  style: Style,
): string {
  return `${blocksOf(hits, shortIds, style).join('\n\n')}\n`
}

function blocksOf(hits: readonly Hit[], shortIds: readonly string[], style: Style): string[] {
  return hits.map((hit, i) => renderHit(hit, shortIds[i] ?? hit.id, style))
}

function summary({ query, total, hits, tookMs }: SearchAnswer, style: Style): string {
  const count = `${total.exact ? '' : 'at least '}${total.value} ${total.value === 1 ? 'record' : 'records'}`
  const shown = hits.length < total.value && hits.length > 0 ? `, ${hits.length} shown` : ''
  const readAs = query.readAs === '' ? '' : ` for ${style.bold(oneLine(query.readAs))}`
  return `${count}${shown}${readAs} ${style.dim(`(${tookMs.toFixed(1)} ms)`)}`
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

function renderHit(hit: Hit, shortId: string, style: Style): string {
  const { record } = hit
  const heading = hit.title === null ? '' : `${titleLine(hit, style)}\n`
  const snippet = `${renderSnippet(hit, style)}\n`
  const facts = [
    shortId,
    record.kind,
    record.namespace,
    dateOf(record, style.now),
    ...record.tags.map((tag) => `#${oneLine(tag)}`),
    ...(hit.relaxed === null ? [] : [RELAXED[hit.relaxed]]),
  ]
  const score = hit.score.toFixed(2).padStart(5)
  const text = `${heading}${snippet}${INDENT}${style.dim(facts.join(' · '))}`
  const why = hit.explanation === null ? '' : `\n${renderExplanation(hit.explanation, style)}`
  return `${style.good(score)} ${text.slice(INDENT.length)}${why}`
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
  return wrap(`${before}${oneLineKeepingMarks(marked)}${after}`, style.columns - INDENT.length)
    .map((line) => INDENT + line)
    .join('\n')
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that this program itself wrote
const COLOUR = /\u001b\[\d+m/g

function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  const most = Math.max(columns, 40)
  let line = ''
  let width = 0
  for (const word of text.split(' ')) {
    const length = word.replace(COLOUR, '').length
    if (line !== '' && width + 1 + length > most) {
      lines.push(line)
      line = word
      width = length
    } else {
      width += line === '' ? length : length + 1
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** The tree of a score: every inner line is the sum (+) or product (×) of the lines below it. */
export function renderExplanation(root: Explanation, style: Style): string {
  const rows: { readonly label: string; readonly score: number }[] = []
  const visit = (node: Explanation, prefix: string, branch: string, sign: string): void => {
    rows.push({ label: `${prefix}${branch}${sign}${node.name}`, score: node.score })
    // A factor of 1 changes nothing: what it is made of is of no interest to the reader.
    if (sign === '× ' && node.score === 1) return
    const below = prefix + (branch === '' ? '' : branch === '└ ' ? '  ' : '│ ')
    for (const [i, part] of node.parts.entries()) {
      const isLast = i === node.parts.length - 1
      visit(part, below, isLast ? '└ ' : '├ ', i === 0 ? '' : node.op === 'sum' ? '+ ' : '× ')
    }
  }
  visit(root, '', '', '')
  const width = Math.max(...rows.map(({ label }) => label.length))
  return rows
    .map(({ label, score }) => {
      const bar = '█'.repeat(Math.round(Math.min(1, Math.max(0, score)) * BAR_COLUMNS))
      return `${INDENT}${label.padEnd(width)}  ${score.toFixed(4).padStart(8)}  ${style.dim(bar)}`
    })
    .join('\n')
}

export function renderTitle(hit: { title: string | null; body: string }, columns: number): string {
  return cut(oneLine(hit.title ?? hit.body), columns)
}
