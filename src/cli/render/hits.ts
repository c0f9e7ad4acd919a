/** Renders hits with their snippets, data, facts and scores, and the facets and advice of a search. */

import {
  type ContradictingFact,
  type Explanation,
  FACETS,
  type Facets,
  type FactShown,
  type Hit,
  isRanked,
  type Passage,
  type SearchAnswer,
} from '../../core/answer.js'
import { renameOptions } from '../../core/errors.js'
import { markRanges } from '../../text/mark-ranges.js'
import type { ShortId } from '../resolve-ids.js'
import { formatEnd, formatRecordDate } from './dates.js'
import { INDENT, joinFitting, joinPieces, wrap } from './layout.js'
import { cut, formatCount, measureWidth, oneLine, type Style, safe } from './style.js'

const RELAXED = {
  any: 'some of the words',
  prefix: 'words that begin like it',
  none: 'none of the words',
} as const
/** More would hide the next hit. */
const MAX_FACTS = 3
/** A pasted page is not repeated above its hits; `--json` has it whole. */
const MAX_QUERY_CHARACTERS = 200
const BAR_COLUMNS = 12
const TEXT_LINES = 2
/** A smaller difference cannot be seen in two decimals. */
const SAME_CONFIDENCE = 0.005

/** `isLong`: also dates, tags and facts; `isQuiet`: the hits alone. */
export type HitView = {
  readonly short: ShortId
  readonly style: Style
  readonly isLong?: boolean
  readonly isQuiet?: boolean
}

export function renderAnswer(answer: SearchAnswer, view: HitView): string {
  const { style, isQuiet } = view
  const facets = answer.facets === null ? '' : renderFacets(answer.facets, style)
  const blocks = [
    ...(isQuiet ? [] : [renderSummary(answer, style)]),
    ...(answer.hits.length === 0 ? [] : [renderHits(answer.hits, view).trimEnd()]),
    ...(facets === '' ? [] : [facets]),
    ...(isQuiet ? [] : listAdvice(answer).map((line) => style.dim(line))),
  ]
  return `${blocks.join('\n\n')}\n`
}

export function renderHits(hits: readonly Hit[], view: HitView): string {
  const blocks = hits.map((hit) => renderHit(hit, view))
  const weak = hits.findIndex((hit) => hit.weak)
  if (weak >= 0) blocks.splice(weak, 0, view.style.dim('Perhaps related:'))
  return `${blocks.join('\n\n')}\n`
}

function renderSummary({ query, scope, total, hits, tookMs }: SearchAnswer, style: Style): string {
  const count = `${total.exact ? '' : 'at least '}${formatCount(total.value, 'record')}`
  const shown = hits.length < total.value && hits.length > 0 ? `, ${hits.length} shown` : ''
  const text = oneLine(query.searchedFor ?? query.readAs)
  const isLong = text.length > MAX_QUERY_CHARACTERS
  const echo = isLong ? `${text.slice(0, MAX_QUERY_CHARACTERS).trimEnd()}…` : text
  const instead = query.searchedFor === null ? '' : ` instead of ${oneLine(query.readAs)}`
  const readAs = text === '' ? '' : ` for ${style.bold(echo)}${instead}`
  const then = scope.asOf === undefined ? '' : ` as of ${formatEnd(scope.asOf, style.now)}`
  const rankedBy = query.rankedBy === null ? '' : style.dim(` words by ${query.rankedBy}`)
  return `${count}${shown}${readAs}${then} ${style.dim(`(${tookMs.toFixed(1)} ms)`)}${rankedBy}`
}

function listAdvice({ query, hits, hint, degraded }: SearchAnswer): string[] {
  const lines = degraded === null ? [] : [degraded.message]
  // The summary names the query that was searched for instead.
  if (query.searchedFor !== null) return hint === null ? lines : [...lines, hint]
  if (query.missingTerms.length > 0) {
    const terms = query.missingTerms.map(oneLine).join(', ')
    const meant = query.suggestions.map((one) => `${oneLine(one.term)} → ${one.meant}`).join(', ')
    lines.push(`No record contains: ${terms}.${meant === '' ? '' : ` Did you mean: ${meant}?`}`)
  } else if (hits.length > 0 && hits.every(({ relaxed }) => relaxed === 'any')) {
    lines.push('No record has all of the words; these have some of them.')
  }
  if (hint !== null && query.suggestions.length === 0) {
    lines.push(renameOptions(hint, (name, value = '') => `--${name} ${value}`.trimEnd()))
  }
  return lines
}

/** What identifies it, and two lines of text. Neighbours, passages, facts and the score tree follow if they were asked for. */
function renderHit(hit: Hit, view: HitView): string {
  const { style, isLong = false } = view
  const columns = style.columns - INDENT.length
  const turns = (around: NonNullable<Hit['context']>['before'] = []): string[] =>
    around.map(({ people, title: heading, body }) => {
      const speakers = people.length === 0 ? '' : `${people.map(oneLine).join(', ')}: `
      return style.dim(cut(`┊ ${speakers}${oneLine(heading ?? body)}`, columns))
    })
  const lines = [
    ...renderIdentity(hit, view),
    hit.isSuperseded ? style.bad(cut(describeSuccessor(hit, view), columns)) : '',
    ...turns(hit.context?.before),
    ...(hit.passages.length > 1
      ? hit.passages.flatMap((passage) => [
          style.dim(cut(showPlace(passage), columns)),
          ...renderSnippet(hit, passage, view),
        ])
      : renderSnippet(hit, hit.snippet, view)),
    ...turns(hit.context?.after),
    ...(isLong ? joinPieces(listData(hit, style), columns).map(style.dim) : []),
    ...(isLong ? renderFactLines(hit.facts, style, { most: MAX_FACTS, columns }) : []),
    ...(hit.explanation === null || !isRanked(hit)
      ? []
      : renderExplanation(hit.explanation, style)),
  ]
  return lines.filter((line) => line !== '').join(`\n${INDENT}`)
}

/** `line 12 · › Heading`, or `p. 3`. */
function showPlace({ line, heading, pages }: Passage): string {
  const place = formatPages({ pages }) || `line ${line}`
  return heading === null ? place : `${place} · › ${oneLine(heading)}`
}

/** ` 0.83 01K9ZQ3F  Title · authors · year · key · venue`, or the title and all the rest below it. */
function renderIdentity(hit: Hit, view: HitView): string[] {
  const { short, style } = view
  const score = (isRanked(hit) ? hit.score.toFixed(2) : '').padStart(5)
  const id = short(hit.id)
  const room = Math.max(20, style.columns - score.length - id.length - 3)
  const pieces = [oneLine(hit.title ?? ''), ...listIdentity(hit, view)].filter(
    (piece) => piece !== '',
  )
  const fits = (count: number): boolean => measureWidth(pieces.slice(0, count).join(' · ')) <= room
  // Of a turn without a title, the speaker and the date stay together.
  const count = [pieces.length, ...(hit.title === null ? [2] : [])].find(fits) ?? 1
  const [name = '', ...beside] = pieces.slice(0, count)
  const columns = style.columns - INDENT.length
  const below = joinPieces(pieces.slice(count), columns).flatMap((line) => wrap(line, columns))
  const shown = renderName(hit, cut(name, room), style)
  const rest = beside.map((piece) => ` · ${piece}`).join('')
  return [
    `${style.good(score)} ${style.dim(id)}  ${shown}${style.dim(rest)}`,
    ...below.map(style.dim),
  ]
}

function renderName({ title, highlights }: Hit, shown: string, style: Style): string {
  if (title === null) return style.dim(shown)
  // The title is one line in nearly every record, and then its ranges are those of the line.
  const isSame = title.startsWith(shown.replace(/…$/, ''))
  const inLine = isSame ? highlights.title.filter(({ end }) => end <= shown.length) : []
  return style.bold(markRanges(shown, inLine, { mark: style.match, clean: safe }))
}

function describeSuccessor({ supersededBy: by }: Hit, { short }: HitView): string {
  return `✗ superseded${by === null ? '' : ` by ${short(by.id)}: ${oneLine(by.text)}`}`
}

/** What is always short comes first. Other texts take a line at most, unless all of it was asked for. */
function listIdentity(hit: Hit, { style, isLong }: HitView): string[] {
  const { identity, record, relaxed, title } = hit
  const { authors = [], venue, key, path, line, heading, speaker, conversation } = identity
  const shorten = (text: string): string =>
    isLong ? text : cut(oneLine(text), style.columns - INDENT.length)
  const isWork = record.kind === 'work'
  const isFile = path !== undefined && !isWork
  return [
    formatPages(hit),
    ...(authors.length > 2 ? [`${authors[0]} et al.`] : [authors.join(', ')]),
    speaker ?? '',
    isFile ? `${path}${line === undefined ? '' : `:${line}`}` : formatRecordDate(record, style.now),
    key ?? '',
    relaxed === null ? '' : RELAXED[relaxed],
    hit.matchType === 'context' ? 'in its conversation' : '',
    title === null && !isFile ? shorten(record.tags.map((tag) => `#${tag}`).join(' ')) : '',
    heading === undefined || heading === title ? '' : shorten(`› ${heading}`),
    // The title of a mail is that of its conversation.
    conversation === undefined || title?.endsWith(conversation)
      ? ''
      : shorten(`in “${conversation}”`),
    shorten(venue ?? ''),
    isWork ? (path ?? '') : '',
  ].map(oneLine)
}

function formatPages({ pages }: Pick<Hit, 'pages'>): string {
  if (pages === null) return ''
  return pages.first === pages.last ? `p. ${pages.first}` : `pp. ${pages.first}-${pages.last}`
}

/** What `--long` adds. */
function listData(hit: Hit, style: Style): string[] {
  const { record, session, relatedCount } = hit
  return [
    record.kind,
    oneLine(record.namespace),
    formatRecordDate(record, style.now),
    ...record.tags.map((tag) => `#${oneLine(tag)}`),
    ...(session === null ? [] : [`in ${oneLine(session.id)}`]),
    ...(relatedCount === 0 ? [] : [`${relatedCount} related`]),
  ]
}

/** Two lines, all of them with `--long`; an ellipsis if the passage does not begin or end with the body. */
function renderSnippet(
  { record: { body }, chunks }: Hit,
  passage: Hit['snippet'],
  { style, isLong }: HitView,
): string[] {
  const at = chunks[0]?.start ?? 0
  const { text, start, end, highlights } = passage ?? {
    text: body.slice(at, at + 280).trim(),
    start: at,
    end: at + 280,
    highlights: [],
  }
  const before = start > 0 ? '…' : ''
  // A whole sentence needs none.
  const after = end < body.trimEnd().length && !/[.!?…]$/.test(text) ? '…' : ''
  const marked = markRanges(text, highlights, { mark: style.match, clean: safe })
  const line = marked.replace(/\s+/g, ' ').trim()
  const lines = wrap(`${before}${line}${after}`, style.columns - INDENT.length)
  if (isLong || lines.length <= TEXT_LINES) return lines
  const [mark = ''] = style.match('\n').split('\n')
  const matched = lines.findIndex((one) => one.includes(mark))
  // Up to the line with the first match, if it is further down.
  const from = Math.max(0, matched - TEXT_LINES + 1)
  const shown = lines.slice(from, from + TEXT_LINES).join('\n')
  const isLast = from + TEXT_LINES === lines.length
  return `${from > 0 ? '…' : ''}${shown}${isLast ? '' : ' …'}`.split('\n')
}

/** `Priya · prefers · tabs (0.81)`, and how many are not shown. */
export function renderFactLines(
  facts: readonly FactShown[],
  style: Style,
  { most, columns }: { readonly most: number; readonly columns: number },
): string[] {
  const cutLine = (text: string): string => cut(text, columns)
  const left = facts.length - most
  const lines = facts.slice(0, most).flatMap((fact) => {
    const statement = [fact.subject, fact.predicate, fact.object].map(oneLine).join(' · ')
    return [
      cutLine(`${statement} (${fact.effectiveConfidence.toFixed(2)})`),
      ...fact.contradictedBy.map((other) => style.bad(cutLine(describeContradiction(fact, other)))),
    ]
  })
  const more = left > 0 ? [style.dim(`and ${left} more ${left === 1 ? 'fact' : 'facts'}`)] : []
  return [...lines, ...more]
}

function describeContradiction(fact: FactShown, other: ContradictingFact): string {
  const age = other.isNewer ? 'newer' : 'older'
  const difference = other.effectiveConfidence - fact.effectiveConfidence
  const isSame = Math.abs(difference) < SAME_CONFIDENCE
  const certainty = difference > 0 ? 'more certain' : 'less certain'
  const what = `${age}, ${isSame ? 'as certain' : certainty}`
  return `⚠ contradicted by ${oneLine(other.object)} (${what})`
}

/** The tree of a score: every inner line is the sum (+) or product (×) of the lines below it. */
function renderExplanation(root: Explanation, style: Style): string[] {
  const rows: { readonly label: string; readonly score: string; readonly bar: string }[] = []
  const visit = (node: Explanation, prefix: string, branch: string, sign: string): void => {
    // Four decimals; a score that rounds to 0 has no sign.
    const score = node.score.toFixed(4).replace(/^-(0\.0000)$/, '$1')
    const bar = '█'.repeat(Math.round(Math.min(1, Math.max(0, node.score)) * BAR_COLUMNS))
    rows.push({ label: `${prefix}${branch}${sign}${node.name}`, score, bar })
    // A factor of 1 changes nothing, so its parts are of no interest.
    if (sign === '× ' && score === '1.0000') return
    const inner = branch === '└ ' ? '  ' : '│ '
    const below = prefix + (branch === '' ? '' : inner)
    const joint = node.op === 'sum' ? '+ ' : '× '
    for (const [i, part] of node.parts.entries()) {
      visit(part, below, i === node.parts.length - 1 ? '└ ' : '├ ', i === 0 ? '' : joint)
    }
  }
  visit(root, '', '', '')
  const width = Math.max(...rows.map(({ label }) => label.length))
  return rows.map(
    ({ label, score, bar }) => `${label.padEnd(width)}  ${score.padStart(8)}  ${style.dim(bar)}`,
  )
}

const FACET_COLUMNS = 'namespace'.length

/** One line each: the most frequent values that fit, and how many are left. */
function renderFacets(facets: Facets, style: Style): string {
  return FACETS.filter((name) => facets[name].length > 0)
    .map((name) => {
      const values = facets[name].map(({ value, count }) => `${oneLine(value)} ${count}`)
      const line = joinFitting(values, style.columns - FACET_COLUMNS - 2)
      const label = name === 'factType' ? 'fact type' : name
      return `${style.dim(label.padEnd(FACET_COLUMNS))}  ${line}`
    })
    .join('\n')
}
