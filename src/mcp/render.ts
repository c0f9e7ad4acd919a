/** Renders records, hits, facts, links and revisions, the same in every reply. */

import type { Explanation, FactShown, Hit, Snippet } from '../core/answer.js'
import type { CairnRecord, LinkView, Revision } from '../core/record.js'
import { brief, createItem, type Data, type Item, SHOWN_ID_CHARACTERS } from './reply.js'

const TITLE_CHARACTERS = 120
const SNIPPET_CHARACTERS = 400
const MAX_LABELS = 10
const LABEL_CHARACTERS = 40
const MAX_FACTS = 5
const FACT_CHARACTERS = 120
const TURN_CHARACTERS = 160

/** Drops null, false, empty texts and empty lists. */
export function present(data: Data): Data {
  const isPresent = (value: unknown) =>
    Array.isArray(value) ? value.length > 0 : value === 0 || Boolean(value)
  return Object.fromEntries(Object.entries(data).filter(([, value]) => isPresent(value)))
}

/** `2026-07-01 09:30`, in UTC. */
export function formatMinute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

export function cutLabels(list: readonly string[]): string[] {
  return list.slice(0, MAX_LABELS).map((one) => brief(one, LABEL_CHARACTERS))
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** `#release @Priya`, or nothing. */
export function renderLabels({ tags, people }: Pick<CairnRecord, 'tags' | 'people'>): string {
  const marks = cutLabels(tags).map((tag) => `#${tag}`)
  return [...marks, ...cutLabels(people).map((one) => `@${one}`)].join(' ')
}

export function describeRecord(record: CairnRecord): Data {
  return present({
    id: record.id,
    kind: record.kind,
    title: brief(record.title, TITLE_CHARACTERS),
    summary: brief(record.body, TURN_CHARACTERS),
    tags: cutLabels(record.tags).slice(0, 5),
    time: record.occurredAt ?? record.createdAt,
  })
}

export function describeFact(fact: FactShown): Data {
  return present({
    id: fact.id,
    type: fact.type,
    fact: renderStatement(fact),
    confidence: round(fact.effectiveConfidence),
    contradictedBy: fact.contradictedBy.slice(0, 3).map(({ id, object, isNewer }) => ({
      id,
      object: brief(object, FACT_CHARACTERS),
      isNewer,
    })),
  })
}

function renderStatement({ subject, predicate, object }: FactShown): string {
  return brief(`${subject} ${predicate} ${object}`, FACT_CHARACTERS)
}

export function renderFact(fact: FactShown): string {
  const others = fact.contradictedBy.slice(0, 3).map(({ object }) => brief(object, 40))
  const against = others.length === 0 ? '' : `; elsewhere: ${others.join(', ')}`
  const id = fact.id.slice(0, SHOWN_ID_CHARACTERS)
  return `fact ${id}: ${renderStatement(fact)} (${round(fact.effectiveConfidence)}${against})`
}

/** A hit as an agent needs it: enough to judge by, and the id to get the rest with. */
export function createHitItem(hit: Hit, rank: number, shortId: string): Item {
  const start = `${rank}. ${shortId}  ${round(hit.score)}`
  const lean = { text: start, data: { id: hit.id, score: hit.score } }
  return { text: renderHit(hit, start), data: describeHit(hit), lean }
}

function renderHit(hit: Hit, start: string): string {
  const { record, supersededBy, context } = hit
  const first = [
    start,
    hit.matchType,
    hit.kind,
    formatMinute(record.occurredAt ?? record.createdAt),
    renderLabels(record),
    hit.relaxed === null ? '' : `(relaxed: ${hit.relaxed})`,
  ]
  const title = hit.title === null ? '' : `${brief(hit.title, TITLE_CHARACTERS)}: `
  const lines = [first.filter((part) => part !== '').join('  '), `${title}${renderSnippet(hit)}`]
  if (supersededBy !== null) {
    lines.push(`superseded by ${supersededBy.id}: ${brief(supersededBy.text, TURN_CHARACTERS)}`)
  }
  lines.push(...hit.facts.slice(0, MAX_FACTS).map(renderFact))
  if (hit.relatedCount > 0) lines.push(`linked with ${hit.relatedCount}`)
  for (const turn of context?.before ?? []) lines.push(`before: ${renderTurn(turn)}`)
  for (const turn of context?.after ?? []) lines.push(`after: ${renderTurn(turn)}`)
  if (hit.explanation !== null) lines.push(`why: ${renderExplanation(hit.explanation)}`)
  return lines.join('\n   ')
}

function describeHit(hit: Hit): Data {
  const { record, session } = hit
  const [chunk] = hit.chunks
  const describeTurn = (turn: Turn) => ({ id: turn.id, text: renderTurn(turn) })
  return present({
    id: hit.id,
    score: hit.explanation === null ? Math.round(hit.score * 1e4) / 1e4 : hit.score,
    matchType: hit.matchType,
    kind: hit.kind,
    namespace: record.namespace,
    title: brief(hit.title, TITLE_CHARACTERS),
    snippet: renderSnippet(hit),
    time: record.occurredAt ?? record.createdAt,
    tags: cutLabels(record.tags),
    people: cutLabels(record.people),
    source: brief(record.source, TITLE_CHARACTERS),
    relaxed: hit.relaxed,
    bm25: hit.bm25 === null ? null : Number(hit.bm25.toPrecision(3)),
    similarity: hit.similarity === null ? null : round(hit.similarity),
    confidence: hit.effectiveConfidence < 1 ? round(hit.effectiveConfidence) : null,
    chunk: chunk && { index: chunk.index, start: chunk.start, end: chunk.end },
    session:
      session &&
      present({
        id: session.id,
        startedAt: session.startedAt,
        namespace: session.namespace === record.namespace ? null : session.namespace,
        summary: brief(session.summary, TURN_CHARACTERS),
      }),
    isSuperseded: hit.isSuperseded,
    supersededBy: hit.supersededBy && {
      ...hit.supersededBy,
      text: brief(hit.supersededBy.text, TURN_CHARACTERS),
    },
    relatedCount: hit.relatedCount === 0 ? null : hit.relatedCount,
    facts: hit.facts.slice(0, MAX_FACTS).map(describeFact),
    context: hit.context && {
      before: hit.context.before.map(describeTurn),
      after: hit.context.after.map(describeTurn),
    },
    explanation: hit.explanation && describeExplanation(hit.explanation),
  })
}

type Turn = { readonly id: string; readonly body: string; readonly people: readonly string[] }

function renderTurn({ body, people: [first] }: Turn): string {
  const speaker = first === undefined ? '' : `${brief(first, LABEL_CHARACTERS)}: `
  return `${speaker}${brief(body, TURN_CHARACTERS)}`
}

/** The snippet in one line, with what matched in `**`; without one, the beginning of the text. */
function renderSnippet({ snippet, record }: Hit): string {
  return brief(snippet === null ? record.body : markMatches(snippet), SNIPPET_CHARACTERS)
}

function markMatches(snippet: Snippet): string {
  let text = ''
  let at = 0
  for (const { start, end } of snippet.highlights) {
    text += `${snippet.text.slice(at, start)}**${snippet.text.slice(start, end)}**`
    at = end
  }
  return text + snippet.text.slice(at)
}

/** The numbers as they are, so that they still add up; a leaf is a name and a number. */
function describeExplanation({ name, score, op, parts }: Explanation): Data {
  if (parts.length === 0) return { name, score }
  return { name, score, op, parts: parts.map(describeExplanation) }
}

/** `score 0.8 = (keyword 0.5 + meaning 0.3)`: the tree in one line. */
function renderExplanation({ name, score, op, parts }: Explanation): string {
  const own = `${name} ${round(score)}`
  if (parts.length === 0) return own
  return `${own} = (${parts.map(renderExplanation).join(op === 'sum' ? ' + ' : ' × ')})`
}

/** `other` is how the other record is shown. */
export function renderLink(link: Omit<LinkView, 'other'>, other: string | null): string {
  const note = link.note === null ? '' : ` (${link.note})`
  return `${link.direction === 'out' ? '→' : '←'} ${link.type} ${other ?? link.targetRef ?? '?'}${note}`
}

export function createLinkItem({ other, ...link }: LinkView): Item {
  const { direction, type, author, createdAt } = link
  const cut = { targetRef: brief(link.targetRef, 80), note: brief(link.note, 100) }
  const shown = other && {
    id: other.id,
    title: brief(other.title, 100),
    summary: brief(other.summary, 100),
  }
  return createItem(
    renderLink({ ...link, ...cut }, shown && `${shown.id} ${shown.title ?? shown.summary}`),
    present({ direction, type, other: shown && present(shown), ...cut, author, createdAt }),
  )
}

export function createRevisionItem(revision: Revision): Item {
  const { number, validFrom, validUntil, endedBy, title, body } = revision
  const text = brief(title === null ? body : `${title}: ${body}`, 200)
  const until = `until ${formatMinute(validUntil)} (${endedBy})`
  const data = { number, validFrom, validUntil, endedBy, text }
  return createItem(`revision ${number}, ${until}: ${text}`, data)
}
