/** Turns rows of sessions, links, facts and recalls into results, and plans new facts, for every backend. */

import { ambiguousFact } from '../core/errors.js'
import {
  effectiveConfidence,
  factTopic,
  foldText,
  isSameObject,
  type NewFact,
  reinforceConfidence,
  SAID_AGAIN,
  type StoredConfidence,
} from '../core/fact.js'
import { parseIdPrefix, SHORTEST_PREFIX } from '../core/ids.js'
import type { LinkView, SessionRecord, Usage } from '../core/record.js'
import { firstWords, summaryOf } from '../text/summary.js'
import { findNext } from './cursor.js'
import {
  type FactListing,
  forEachUsage,
  type LoggedQuery,
  type SessionPage,
  type SessionResolution,
  type StoredFact,
  type StoredSession,
} from './memory.js'

type Row = Readonly<Record<string, unknown>>

export function toStoredSession({ opening, ...session }: Row): StoredSession {
  const title = session.title ?? toTitle(opening)
  return { ...session, isTitled: session.title !== null, title } as StoredSession
}

export function toTitle(opening: unknown): string | null {
  return typeof opening === 'string' ? firstWords(opening) || null : null
}

/** Of the sessions with this id, that of the `home` namespace; null if no session has the id. */
export function chooseById(
  named: readonly StoredSession[],
  home: string,
): SessionResolution | null {
  const [exact, ...others] = named
  if (exact === undefined) return null
  if (exact.namespace === home || others.length === 0) return { kind: 'found', session: exact }
  return { kind: 'ambiguous', ids: named.map(({ id, namespace }) => `${id} in "${namespace}"`) }
}

/** Generated ids may be typed like those of records: in any case, with O for 0. */
export function listIdRanges(text: string) {
  return [text, parseIdPrefix(text)].flatMap((from) =>
    from === null || [...from].length < SHORTEST_PREFIX ? [] : [{ from, to: `${from}\u{10FFFF}` }],
  )
}

/** A unique prefix comes before a title. */
export function chooseByBeginning(
  begun: readonly StoredSession[],
  titled: readonly StoredSession[],
): SessionResolution {
  const found = begun.length === 1 ? begun : titled
  const [only] = found
  if (only !== undefined && found.length === 1) return { kind: 'found', session: only }
  if (begun.length === 0) return { kind: 'missing' }
  return { kind: 'ambiguous', ids: begun.map(({ id }) => id) }
}

/** `counted` holds the number of records, `n`, of each session and usage. */
export function toSessionPage(
  found: readonly StoredSession[],
  counted: readonly Row[],
  limit: number,
): SessionPage {
  const sessions = found.slice(0, limit).map((session) => {
    const own = counted.filter((row) => row.session === session.row)
    const counts = forEachUsage((name) => Number(own.find(({ usage }) => usage === name)?.n ?? 0))
    return { ...session, counts }
  })
  return { sessions, next: findNext(found, limit, ({ startedAt }) => startedAt) }
}

/** `summary` of a row is the beginning of the text. */
export function groupByUsage(rows: readonly (SessionRecord & { readonly usage: Usage })[]) {
  return forEachUsage((name) =>
    rows.flatMap(({ usage, ...record }) =>
      usage === name ? [{ ...record, summary: summaryOf(record.summary) }] : [],
    ),
  )
}

export function toLinkView({ direction, other, title, origin, beginning, ...link }: Row): LinkView {
  const summary = summaryOf(String(beginning))
  const end = other === null ? null : { id: other, title, summary, source: origin }
  return { ...link, direction, other: end } as LinkView
}

/** Null if the text is not the beginning of an id. */
export function toFactRange(text: string) {
  const from = parseIdPrefix(text)
  return from === null || from.length < SHORTEST_PREFIX ? null : { from, to: `${from}~` }
}

export function chooseFact(text: string, begun: readonly StoredFact[]): StoredFact | null {
  const ids = begun.map(({ id }) => id)
  if (ids.length > 1) throw ambiguousFact(text, ids)
  return begun[0] ?? null
}

/** Completes the comparisons that SQL cannot make. `others` are objects of other facts on the same topic. */
export function createFactTest({ about, contradictingOnly, believed = null }: FactListing) {
  const folded = about === null ? null : foldText(about)
  return (fact: StoredFact, others: readonly string[]): boolean => {
    const { subject, predicate, object } = fact
    if (believed !== null && effectiveConfidence(fact, believed.atMs) < believed.min) return false
    if (contradictingOnly && others.every((other) => isSameObject(other, object))) return false
    const texts = [subject, predicate, object].map(foldText)
    return folded === null || texts.some((text) => text.includes(folded))
  }
}

/** Each fact whose object differs from that of a fact that it may contradict, `against`. */
export function listContrary(rows: readonly Row[]): StoredFact[] {
  const found = new Map<unknown, StoredFact>()
  for (const { against, ...fact } of rows) {
    if (isSameObject(String(fact.object), String(against))) continue
    found.set(fact.id, fact as StoredFact)
  }
  return [...found.values()]
}

export type KnownFact = StoredConfidence &
  Pick<NewFact, 'object'> & {
    readonly id: string
    readonly record: number
    readonly topic: string
  }

/** Reinforces the facts that the records already state, and adds the rest. `ids` are in the order of the given facts. */
export function planFacts<R extends { readonly record: number }>(
  stored: readonly KnownFact[],
  given: readonly (R & { readonly facts: readonly NewFact[] })[],
  { makeId, now }: { readonly makeId: () => string; readonly now: number },
) {
  const known = new Map<string, KnownFact[]>()
  const remember = (fact: KnownFact): void => {
    const key = `${fact.record} ${fact.topic}`
    known.set(key, [...(known.get(key) ?? []), fact])
  }
  stored.forEach(remember)
  const added = new Map<string, Omit<R, 'facts'> & KnownFact & NewFact>()
  const reinforced = new Map<string, number>()
  const ids = given.flatMap(({ facts, ...record }) =>
    facts.map((fact) => {
      const topic = factTopic(fact.subject, fact.predicate)
      const same = known
        .get(`${record.record} ${topic}`)
        ?.find((one) => one.type === fact.type && isSameObject(one.object, fact.object))
      if (same === undefined) {
        const one = { ...record, ...fact, id: makeId(), topic, reinforcedAtMs: now }
        added.set(one.id, one)
        remember(one)
        return one.id
      }
      const { id } = same
      const again = added.get(id)
      const before = again?.confidence ?? reinforced.get(id) ?? effectiveConfidence(same, now)
      const confidence = reinforceConfidence(before, SAID_AGAIN)
      if (again === undefined) reinforced.set(id, confidence)
      else added.set(id, { ...again, confidence })
      return id
    }),
  )
  return { ids, added: [...added.values()], reinforced }
}

/** Each hit names the row of its query. */
export function joinHits(
  queries: readonly (Omit<LoggedQuery, 'hits'> & { readonly row: number })[],
  hits: readonly Row[],
): LoggedQuery[] {
  const found = new Map<unknown, LoggedQuery['hits'][number][]>()
  for (const { query, ...hit } of hits) {
    found.set(query, [...(found.get(query) ?? []), hit as LoggedQuery['hits'][number]])
  }
  return queries.map(({ row, ...query }) => ({ ...query, hits: found.get(row) ?? [] }))
}
