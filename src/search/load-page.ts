/** Ids become hits with their records, marks, surroundings and reasons, in a fixed number of reads. */

import type { Explanation, Hit, Range, Snippet } from '../core/answer.js'
import type { HitContext } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import type { Found } from './found.js'
import type { Marker, WordsIn } from './marks.js'
import { pagesIn } from './pages-in.js'
import { reasonsFor } from './reasons.js'
import { showFact } from './show-facts.js'

export type PageOptions = {
  readonly marker: Marker
  readonly withReasons: boolean
  /** Says which of the words a record has itself; null where hits are labelled already. */
  readonly wordsIn: WordsIn | null
  readonly withFacts: boolean
  /** How many turns before and after a hit. */
  readonly context: number
  readonly now: number
  /** Nothing of another namespace is told; null: all is in reach. */
  readonly pinnedNamespace: string | null
  /** As each record was at that moment; undefined: as it is. */
  readonly asOfMs: number | undefined
}

export async function loadPage(
  storage: Storage,
  found: readonly Found[],
  options: PageOptions,
): Promise<Hit[]> {
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const { asOfMs, context, withFacts } = options
  const records = await storage.get(ids, { asOfMs })
  const around = await storage.loadHitContext(ids, {
    asOfMs,
    nowMs: options.now,
    withFacts,
    neighbours: context,
    pinnedNamespace: options.pinnedNamespace,
  })
  const byId = new Map(records.map((record) => [record.id, record]))
  return found.flatMap((one) => {
    const record = byId.get(one.id)
    const surroundings = around.get(one.id)
    // Deleted by another process since it was ranked: it is no hit any more.
    return record === undefined || surroundings === undefined
      ? []
      : [toHit(one, record, surroundings, options)]
  })
}

function toHit(
  one: Found,
  record: Hit['record'],
  around: HitContext,
  { marker, withReasons, wordsIn, context, now, asOfMs }: PageOptions,
): Hit {
  const { id, bm25, similarity, chunk } = one
  const own = one.relaxed === null ? (wordsIn?.(record) ?? null) : null
  const hasSomeWord = bm25 !== null && own !== null && own.of > 0
  const isByNeighbours = hasSomeWord && own.has === 0 && record.sessionId !== null
  const reasons = reasonsFor(one)
  const explanation = isByNeighbours ? namingNeighbours(reasons) : reasons
  const facts = around.facts.map((fact) => showFact(fact, asOfMs ?? now))
  const isTurn = record.sessionId !== null && context > 0
  const marks = marker(record, chunk)
  const shown = marks.snippet === null ? chunk : matchedIn(marks.snippet)
  return {
    id,
    kind: record.kind,
    title: record.title,
    score: explanation.score,
    matchType: one.matchType,
    relaxed: hasSomeWord && own.has < own.of ? 'any' : one.relaxed,
    bm25,
    similarity,
    ...marks,
    pages: shown === null ? null : pagesIn(record, shown),
    chunks: chunk === null ? [] : [chunkHit(chunk, similarity, record)],
    record,
    session: around.session,
    isSuperseded: record.supersededAt !== null,
    supersededBy: around.supersededBy,
    relatedCount: around.relatedCount,
    facts,
    effectiveConfidence: around.effectiveConfidence,
    context: isTurn ? { before: around.before, after: around.after } : null,
    explanation: withReasons ? explanation : null,
  }
}

/** From the first to the last word that matched; where none did, the whole snippet. */
function matchedIn({ text, start, highlights }: Snippet): Range {
  const from = highlights[0]?.start ?? 0
  const to = highlights.at(-1)?.end ?? text.length
  return { start: start + from, end: start + to }
}

function chunkHit(
  chunk: NonNullable<Found['chunk']>,
  similarity: number | null,
  record: Hit['record'],
): Hit['chunks'][number] {
  const pages = pagesIn(record, chunk)
  const text = record.body.slice(chunk.start, chunk.end)
  return { ...chunk, similarity: similarity ?? 0, text, ...(pages === null ? {} : { pages }) }
}

/** What a turn has only from what stands around it is said as such. */
function namingNeighbours(node: Explanation): Explanation {
  const name = node.name === 'keyword' ? 'keyword, by its neighbours' : node.name
  return { ...node, name, parts: node.parts.map(namingNeighbours) }
}
