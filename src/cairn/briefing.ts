/** Writes a briefing for the start of a conversation: open decisions and deadlines, corrections, recently used records. */

import { effectiveConfidence } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import { DAY_MS, toIso } from '../core/time.js'
import { check } from '../schemas/check.js'
import { CHARACTERS_PER_TOKEN } from '../schemas/fields.js'
import { type BriefingInput, briefingRequest } from '../schemas/memory-requests.js'
import type { StoredFact } from '../storage/memory.js'
import { summaryOf } from '../text/summary.js'
import type { Records } from './records.js'
import type { Context } from './scope.js'

/** Sessions that began longer ago do not count as use. */
export const USED_DAYS = 30
/** A deadline without a day of the year, such as "Friday", is listed until its confidence falls below this value, after about ten days. */
export const DEADLINE_CONFIDENCE = 0.3
/** Records with such a tag are open. */
export const OPEN_TAGS = ['decision', 'deadline', 'todo', 'open']
const MAX_LINES = 20
/** Time and counter of an id: these stay unique as records are added. */
const ID_CHARACTERS = 14

export type BriefingLine = {
  readonly id: RecordId
  readonly why: 'decision' | 'deadline' | 'open' | 'correction' | 'used'
  readonly at: string
  /** At most 100 characters. */
  readonly text: string
}

export type Briefing = {
  /** A line for each of `lines`, with the beginning of its id. */
  readonly text: string
  readonly lines: readonly BriefingLine[]
  /** How many lines did not fit the budget. */
  readonly left: number
}

export function createBriefing({ storage, scope, recalls, now }: Context, list: Records['list']) {
  const { memory } = storage

  const getLive = async (ids: readonly RecordId[]): Promise<ReadonlyMap<RecordId, CairnRecord>> => {
    const records = (await storage.get([...new Set(ids)])).filter(scope.contains)
    const live = records.filter(({ supersededAt }) => supersededAt === null)
    return new Map(live.map((record) => [record.id, record]))
  }

  const listOpen = async (namespaces: readonly string[] | null): Promise<BriefingLine[]> => {
    const asked = { records: null, about: null, contradictingOnly: false, limit: 10 * MAX_LINES }
    const facts = await memory.listFacts({ ...asked, namespaces, types: ['decision', 'temporal'] })
    const live = await getLive(facts.map(({ recordId }) => recordId))
    const stated = facts
      .filter((fact) => live.has(fact.recordId) && isOpen(fact, now()))
      .map(({ recordId: id, type, quote, subject, predicate, object, createdAtMs }) => ({
        id,
        why: type === 'decision' ? ('decision' as const) : ('deadline' as const),
        at: toIso(createdAtMs),
        text: summaryOf(quote ?? `${subject} ${predicate} ${object}`),
      }))
    const tags = { any: OPEN_TAGS }
    const { records } = await list({
      tags,
      limit: MAX_LINES,
      ...(namespaces !== null && { namespaces: [...namespaces] }),
    })
    return [...stated, ...records.map((record) => toLine(record, 'open', record.createdAt))]
  }

  /** One line for each record that is live. */
  const describeLive = async (
    why: BriefingLine['why'],
    found: readonly { readonly id: RecordId; readonly at: string }[],
  ): Promise<BriefingLine[]> => {
    const live = await getLive(found.map(({ id }) => id))
    return found.flatMap(({ id, at }) => {
      const record = live.get(id)
      return record === undefined ? [] : [toLine(record, why, at)]
    })
  }

  return async (input: BriefingInput = {}): Promise<Briefing> => {
    const request = check(briefingRequest, input)
    const namespaces = scope.narrow(request.namespaces)
    await recalls.written()
    const corrections = await memory.listCorrections(namespaces, MAX_LINES)
    const sinceMs = now() - USED_DAYS * DAY_MS
    const { pinnedNamespace } = scope
    const recent = { namespaces, pinnedNamespace, sinceMs, limit: MAX_LINES }
    const used = await memory.listUsed(recent)
    const all = dropRepeated([
      ...(await listOpen(namespaces)),
      ...(await describeLive('correction', corrections)),
      ...(await describeLive('used', used)),
    ])
    const short = await storage.shorten(
      all.map(({ id }) => id),
      scope.pinnedNamespace,
    )
    const texts = all.map(({ id, why, at, text }, i) => {
      const shown = id.slice(0, Math.max(ID_CHARACTERS, short[i]?.length ?? 0))
      return `${shown}  ${why}  ${at.slice(0, 10)}  ${text}`
    })
    const chosen = chooseLines(
      all.map(({ why }, i) => ({ group: why, length: (texts[i] ?? '').length + 1 })),
      request.budget * CHARACTERS_PER_TOKEN,
    )
    return {
      text: texts.filter((_, i) => chosen.has(i)).join('\n'),
      lines: all.filter((_, i) => chosen.has(i)),
      left: all.length - chosen.size,
    }
  }
}

/** A decision holds until it is ended or superseded; a deadline until its date, if it names a day. */
function isOpen(fact: StoredFact, nowMs: number): boolean {
  if (fact.type === 'decision') return true
  const dateMs = findDate(fact)
  if (dateMs !== null) return dateMs + DAY_MS > nowMs
  return effectiveConfidence(fact, nowMs) >= DEADLINE_CONFIDENCE
}

/** `3 May` is the first such day after the fact was added; null if no day is named. */
function findDate({ object, createdAtMs }: StoredFact): number | null {
  const text = object.replace(/(\d)(?:st|nd|rd|th)\b/, '$1')
  const parse = (date: string): number | null => {
    const ms = Date.parse(date)
    return Number.isNaN(ms) ? null : ms
  }
  if (/\b\d{4}\b/.test(text)) return parse(text)
  if (!/^(?:\d{1,2} \p{L}{3,}|\p{L}{3,} \d{1,2})$/u.test(text)) return null
  const year = new Date(createdAtMs).getUTCFullYear()
  const dates = [year, year + 1].map((one) => parse(`${text} ${one}`))
  return dates.find((ms) => ms !== null && ms + DAY_MS > createdAtMs) ?? null
}

function toLine({ id, title, body }: CairnRecord, why: BriefingLine['why'], at: string) {
  return { id, why, at, text: summaryOf(title ?? body) }
}

/** Each record once, for the first reason that it has. */
function dropRepeated(lines: readonly BriefingLine[]): BriefingLine[] {
  const first = new Map<RecordId, BriefingLine>()
  for (const line of lines) if (!first.has(line.id)) first.set(line.id, line)
  return [...first.values()]
}

/** The indexes of the lines that fit: the first line of each group, then the second of each, and so on. */
function chooseLines(
  lines: readonly { readonly group: string; readonly length: number }[],
  maxCharacters: number,
): ReadonlySet<number> {
  const counts = new Map<string, number>()
  const turns = lines.map(({ group, length }, i) => {
    const turn = counts.get(group) ?? 0
    counts.set(group, turn + 1)
    return { i, turn, length }
  })
  const chosen = new Set<number>()
  let left = maxCharacters
  for (const { i, length } of turns.toSorted((a, b) => a.turn - b.turn || a.i - b.i)) {
    if (length > left) break
    left -= length
    chosen.add(i)
  }
  return chosen
}
