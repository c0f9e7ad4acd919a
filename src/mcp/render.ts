/** Makes answers small, and renders them as lines of text, the same in every reply. */

import {
  type Explanation,
  type FactShown,
  type Hit,
  isRanked,
  type Passage,
} from '../core/answer.js'
import { type CairnRecord, findYear } from '../core/record.js'
import { markRanges } from '../text/mark-ranges.js'

export type Data = { readonly [key: string]: unknown }

const SNIPPET_CHARACTERS = 400
const VALUE_CHARACTERS = 160
const LONG: ReadonlySet<string> = new Set(['snippet', 'text'])
const LABEL_CHARACTERS = 40
const VENUE_CHARACTERS = 100
const MAX_LISTED = 10
const MAX_FACTS = 5

/** Values that need no name before them. */
const PLAIN =
  'id kind score matchType time year title summary text fact type direction usage state name reference at'
/** Values that are for programs alone. */
const QUIET =
  'namespace bm25 similarity chunk session recordId metadata createdAt updatedAt occurredAt sector tier importance'
const [plain, quiet] = [PLAIN, QUIET].map((words) => new Set(words.split(' ')))

/** A short text in one line, with an ellipsis if it was cut. */
export function brief(text: string, maxLength: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= maxLength) return line
  const window = line.slice(0, maxLength - 1)
  const space = window.lastIndexOf(' ')
  const isWord = space > (maxLength - 1) / 2
  return `${isWord ? window.slice(0, space) : window.replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Without null, false, empty texts and empty lists; long texts and lists are cut, fractions rounded. */
export function compact(data: object): Data {
  const entries = Object.entries(data).flatMap(([key, value]) => {
    const isEmpty = Array.isArray(value) ? value.length === 0 : value !== 0 && !value
    return isEmpty
      ? []
      : [[key, shrink(value, LONG.has(key) ? SNIPPET_CHARACTERS : VALUE_CHARACTERS)]]
  })
  return Object.fromEntries(entries)
}

function shrink(value: unknown, maxLength: number): unknown {
  if (typeof value === 'string') return brief(value, maxLength)
  if (typeof value === 'number') return round(value)
  if (Array.isArray(value)) {
    return value.slice(0, MAX_LISTED).map((one) => shrink(one, LABEL_CHARACTERS))
  }
  return typeof value === 'object' && value !== null ? compact(value) : value
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4
}

/** `2026-07-01 09:30`, in UTC. */
export function formatMinute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

/** A line of the short values, then a line for a snippet and for each thing in a list. */
export function renderItem(data: Data): string {
  const words: string[] = []
  const below: string[] = []
  for (const [key, value] of Object.entries(data)) {
    if (quiet?.has(key)) continue
    if (Array.isArray(value) && typeof value[0] === 'object') {
      below.push(...value.map((one: Data) => `${key.replace(/s$/, '')} ${renderItem(one)}`))
    } else if (key === 'snippet') below.push(String(value))
    else if (key === 'explanation') below.push(`why: ${renderExplanation(value as Explanation)}`)
    else words.push(renderValue(key, value))
  }
  return [words.join('  '), ...below].join('\n   ')
}

function renderValue(key: string, value: unknown): string {
  if (value === true) return key
  if (key === 'rank') return `${value}.`
  if (key === 'tags' || key === 'people') {
    const mark = key === 'tags' ? '#' : '@'
    return [value]
      .flat()
      .map((one) => mark + one)
      .join(' ')
  }
  if (Array.isArray(value)) return `${key} ${value.join(', ')}`
  if (typeof value === 'object') return `${key} ${renderItem(value as Data)}`
  const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(value))
  const text = isTime
    ? formatMinute(String(value))
    : String(typeof value === 'number' ? round(value) : value)
  return plain?.has(key) ? text : `${key === 'author' ? 'by' : key} ${text}`
}

/** The year of a published work; when anything else happened, or was added. */
export function describeTime(record: CairnRecord): Data {
  const year = findYear(record)
  return year === null ? { time: record.occurredAt ?? record.createdAt } : { year }
}

export function describeRecord(record: CairnRecord): Data {
  const { id, kind, title, body: summary, tags, revision, author } = record
  const time = describeTime(record)
  return compact({ id, kind, title, summary, tags: tags.slice(0, 5), ...time, revision, author })
}

export function describeFact(fact: FactShown): Data {
  const { id, type, subject, predicate, object, effectiveConfidence: confidence } = fact
  const contradictedBy = fact.contradictedBy
    .slice(0, 3)
    .map(({ id: other, object: instead, isNewer }) => ({ id: other, object: instead, isNewer }))
  return compact({
    id,
    type,
    fact: `${subject} ${predicate} ${object}`,
    confidence,
    contradictedBy,
  })
}

/**
 * A hit as an agent needs it: enough to judge by, and the id to get the rest with. `isMarked`: the snippets are HTML with
 * marks already.
 */
export function describeHit(hit: Hit, { isMarked = false } = {}): Data {
  const { record, session, context, supersededBy } = hit
  const { venue, key, path, line, heading, conversation } = hit.identity
  const [chunk] = hit.chunks
  const isScored = isRanked(hit)
  const described = compact({
    id: hit.id,
    score: isScored ? hit.score : null,
    matchType: isScored ? hit.matchType : null,
    kind: hit.kind,
    namespace: record.namespace,
    ...describeTime(record),
    tags: record.tags,
    people: record.people,
    relaxed: hit.relaxed,
    weak: hit.weak ? 'perhaps related' : null,
    title: hit.title,
    snippet: isMarked ? hit.snippet?.text : showSnippet(hit),
    // What identifies a file or a work says more.
    source: path === undefined && hit.kind !== 'work' ? record.source : null,
    venue: venue && brief(venue, VENUE_CHARACTERS),
    ...{ key, path, line, heading: heading !== hit.title && heading, conversation },
    pages: showPages(hit.pages),
    // A single passage is the snippet.
    passages: hit.passages.length > 1 && hit.passages.map(describePassage),
    bm25: hit.bm25,
    similarity: hit.similarity,
    confidence: round(hit.effectiveConfidence) < 1 && hit.effectiveConfidence,
    chunk: chunk && { index: chunk.index, start: chunk.start, end: chunk.end },
    session: session && { id: session.id, startedAt: session.startedAt, summary: session.summary },
    isSuperseded: hit.isSuperseded,
    supersededBy: supersededBy && { id: supersededBy.id, text: supersededBy.text },
    relatedCount: hit.relatedCount === 0 ? null : hit.relatedCount,
    facts: hit.facts.slice(0, MAX_FACTS).map(describeFact),
    before: context?.before.map(describeTurn),
    after: context?.after.map(describeTurn),
  })
  // The numbers of an explanation stay as they are, so that they still add up.
  const exact = isScored && hit.explanation && { score: hit.score, explanation: hit.explanation }
  return { ...described, ...exact }
}

function describePassage({ text, line, heading, pages }: Passage): Data {
  return { text, pages: showPages(pages), line: pages === null && line, heading }
}

function showPages(pages: Hit['pages']): string | null {
  if (pages === null) return null
  return pages.first === pages.last ? String(pages.first) : `${pages.first}-${pages.last}`
}

type Turn = { readonly id: string; readonly body: string; readonly people: readonly string[] }

function describeTurn({ id, body, people: [first] }: Turn): Data {
  return { id, text: first === undefined ? body : `${first}: ${body}` }
}

/** The snippet, with matched words between `**`. */
function showSnippet({ snippet, record }: Hit): string {
  if (snippet === null) return record.body
  return markRanges(snippet.text, snippet.highlights, {
    mark: (matched) => `**${matched}**`,
    clean: (part) => part,
  })
}

/** `score 0.8 = (keyword 0.5 + vectors 0.3)`: the tree in one line. */
function renderExplanation({ name, score, op, parts }: Explanation): string {
  const own = `${name} ${round(score)}`
  if (parts.length === 0) return own
  return `${own} = (${parts.map(renderExplanation).join(op === 'sum' ? ' + ' : ' × ')})`
}
