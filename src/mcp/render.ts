/** A record, a hit and a fact look the same in every reply, short for a reader and bounded for a program. */

import type { Explanation, FactShown, Hit, Snippet } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { brief, type Data, type Item } from './budget.js'
import { SHOWN_CHARACTERS } from './short-ids.js'

const TITLE_CHARACTERS = 120
const SNIPPET_CHARACTERS = 400
const MOST_LABELS = 10
const LABEL_CHARACTERS = 40
const MOST_FACTS = 5
const FACT_CHARACTERS = 120
const TURN_CHARACTERS = 160

/** Only what says something: nothing for null, false, an empty text and an empty list. */
export function present(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        value !== false &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0),
    ),
  )
}

/** `2026-07-01 09:30`, in UTC. */
export function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

export function labels(list: readonly string[]): string[] {
  return list.slice(0, MOST_LABELS).map((one) => brief(one, LABEL_CHARACTERS))
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** `#release @Priya`, or nothing. */
export function labelLine({ tags, people }: Pick<CairnRecord, 'tags' | 'people'>): string {
  return [...labels(tags).map((tag) => `#${tag}`), ...labels(people).map((one) => `@${one}`)].join(
    ' ',
  )
}

/** What a list shows of a record. */
export function recordBrief(record: CairnRecord): Data {
  return present({
    id: record.id,
    kind: record.kind,
    title: record.title === null ? null : brief(record.title, TITLE_CHARACTERS),
    summary: brief(record.body, TURN_CHARACTERS),
    tags: labels(record.tags).slice(0, 5),
    time: record.occurredAt ?? record.createdAt,
  })
}

export function factData(fact: FactShown): Data {
  return present({
    id: fact.id,
    type: fact.type,
    fact: factSentence(fact),
    confidence: round(fact.effectiveConfidence),
    contradictedBy: fact.contradictedBy.slice(0, 3).map(({ id, object, isNewer }) => ({
      id,
      object: brief(object, FACT_CHARACTERS),
      isNewer,
    })),
  })
}

export function factSentence({ subject, predicate, object }: FactShown): string {
  return brief(`${subject} ${predicate} ${object}`, FACT_CHARACTERS)
}

export function factLine(fact: FactShown): string {
  const others = fact.contradictedBy.slice(0, 3).map(({ object }) => brief(object, 40))
  const against = others.length === 0 ? '' : `; elsewhere: ${others.join(', ')}`
  return `fact ${fact.id.slice(0, SHOWN_CHARACTERS)}: ${factSentence(fact)} (${round(fact.effectiveConfidence)}${against})`
}

/** A hit as an agent needs it: enough to judge by, and the id to get the rest with. */
export function hitItem(hit: Hit, place: number, shortId: string): Item {
  return {
    text: hitLines(hit, place, shortId).join('\n'),
    data: hitData(hit),
    lean: {
      text: `${place}. ${shortId}  ${round(hit.score)}`,
      data: { id: hit.id, score: hit.score },
    },
  }
}

function hitLines(hit: Hit, place: number, shortId: string): string[] {
  const { record } = hit
  const time = minuteOf(record.occurredAt ?? record.createdAt)
  const first = [`${place}. ${shortId}`, String(round(hit.score)), hit.matchType, hit.kind, time]
  const marks = [labelLine(record), hit.relaxed === null ? '' : `(relaxed: ${hit.relaxed})`]
  const title = hit.title === null ? '' : `${brief(hit.title, TITLE_CHARACTERS)}: `
  const lines = [
    [...first, ...marks].filter((part) => part !== '').join('  '),
    `${title}${marked(hit.snippet) ?? brief(record.body, SNIPPET_CHARACTERS)}`,
  ]
  if (hit.supersededBy !== null) {
    const { id, text } = hit.supersededBy
    lines.push(`superseded by ${id}: ${brief(text, TURN_CHARACTERS)}`)
  }
  for (const fact of hit.facts.slice(0, MOST_FACTS)) lines.push(factLine(fact))
  if (hit.relatedCount > 0) lines.push(`linked with ${hit.relatedCount}`)
  for (const turn of hit.context?.before ?? []) lines.push(`before: ${turnLine(turn)}`)
  for (const turn of hit.context?.after ?? []) lines.push(`after: ${turnLine(turn)}`)
  if (hit.explanation !== null) lines.push(`why: ${explainLine(hit.explanation)}`)
  return lines.map((line, i) => (i === 0 ? line : `   ${line}`))
}

function hitData(hit: Hit): Data {
  const { record, session } = hit
  const [chunk] = hit.chunks
  return {
    id: hit.id,
    score: hit.explanation === null ? Math.round(hit.score * 1e4) / 1e4 : hit.score,
    ...present({
      matchType: hit.matchType,
      kind: hit.kind,
      namespace: record.namespace,
      title: hit.title === null ? null : brief(hit.title, TITLE_CHARACTERS),
      snippet: marked(hit.snippet) ?? brief(record.body, SNIPPET_CHARACTERS),
      time: record.occurredAt ?? record.createdAt,
      tags: labels(record.tags),
      people: labels(record.people),
      source: record.source === null ? null : brief(record.source, TITLE_CHARACTERS),
      relaxed: hit.relaxed,
      bm25: hit.bm25 === null ? null : Number(hit.bm25.toPrecision(3)),
      similarity: hit.similarity === null ? null : round(hit.similarity),
      confidence: hit.effectiveConfidence < 1 ? round(hit.effectiveConfidence) : null,
      chunk: chunk && { index: chunk.index, start: chunk.start, end: chunk.end },
      session: session && {
        id: session.id,
        startedAt: session.startedAt,
        ...present({
          namespace: session.namespace === record.namespace ? null : session.namespace,
          summary: session.summary === null ? null : brief(session.summary, TURN_CHARACTERS),
        }),
      },
      isSuperseded: hit.isSuperseded,
      supersededBy: hit.supersededBy && {
        ...hit.supersededBy,
        text: brief(hit.supersededBy.text, TURN_CHARACTERS),
      },
      relatedCount: hit.relatedCount === 0 ? null : hit.relatedCount,
      facts: hit.facts.slice(0, MOST_FACTS).map(factData),
      context: hit.context && {
        before: hit.context.before.map((turn) => ({ id: turn.id, text: turnLine(turn) })),
        after: hit.context.after.map((turn) => ({ id: turn.id, text: turnLine(turn) })),
      },
      explanation: hit.explanation && treeOf(hit.explanation),
    }),
  }
}

function turnLine({ body, people }: { body: string; people: readonly string[] }): string {
  const who = people[0] === undefined ? '' : `${brief(people[0], LABEL_CHARACTERS)}: `
  return `${who}${brief(body, TURN_CHARACTERS)}`
}

/** The snippet in one line, with what matched in `**`. */
function marked(snippet: Snippet | null): string | null {
  if (snippet === null) return null
  let text = ''
  let at = 0
  for (const { start, end } of snippet.highlights) {
    text += `${snippet.text.slice(at, start)}**${snippet.text.slice(start, end)}**`
    at = end
  }
  return brief(text + snippet.text.slice(at), SNIPPET_CHARACTERS)
}

/** The numbers as they are, so that they still add up; a leaf is a name and a number. */
function treeOf({ name, score, op, parts }: Explanation): Data {
  return parts.length === 0 ? { name, score } : { name, score, op, parts: parts.map(treeOf) }
}

/** `score 0.8 = (keyword 0.5 + meaning 0.3)`: the tree in one line. */
function explainLine({ name, score, op, parts }: Explanation): string {
  const own = `${name} ${round(score)}`
  if (parts.length === 0) return own
  return `${own} = (${parts.map(explainLine).join(op === 'sum' ? ' + ' : ' × ')})`
}
