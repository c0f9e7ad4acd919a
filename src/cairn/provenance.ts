/** Of every record it can be said where it came from, who asked for it and what became of it. */

import type { FactShown, SearchAnswer, Successor } from '../core/answer.js'
import { CairnError, type ErrorCode } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type {
  CairnRecord,
  LinkView,
  Revision,
  Session,
  SessionBrief,
  Usage,
} from '../core/record.js'
import { END_OF_TIME } from '../core/time.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { SearchInput } from '../schemas/search-request.js'
import { showFact } from '../search/show-facts.js'
import type { RecallLine } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
import { linksInReach } from './links.js'
import { noRecord, type Scope } from './scope.js'

export type WhyAnswer = {
  readonly record: CairnRecord
  /** The session that created it. */
  readonly session: SessionBrief | null
  readonly lastTouchedBy: {
    readonly session: string
    readonly usage: Usage
    readonly at: string
  } | null
  readonly supersededBy: Successor | null
  /** Everything that has taken its place, one after the other. */
  readonly chain: readonly RecordId[]
  readonly links: readonly LinkView[]
  readonly facts: readonly FactShown[]
  readonly revisions: readonly Revision[]
  /** Newest first. */
  readonly recalls: readonly RecallLine[]
}

export type Moved = {
  readonly id: RecordId
  /** Null: it was not there. */
  readonly before: number | null
  readonly after: number | null
}

export type Replayed = {
  readonly query: string
  readonly lens: string
  readonly session: string
  readonly at: string
  readonly hits: number
  /** What stands elsewhere now, in the order of its place then. */
  readonly moved: readonly Moved[]
  /** Why it cannot be asked any more: its lens was removed, or a record that it names; else null. */
  readonly failed: string | null
}

export type ReplayAnswer = { readonly queries: readonly Replayed[] }

const MOST_RECALLS = 50

const CANNOT_BE_ASKED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bad_input',
  'not_found',
  'ambiguous_id',
  'outside_namespace',
])

export type Provenance = ReturnType<typeof createProvenance>

export type ProvenanceParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly now: () => number
  readonly search: (request: SearchInput) => Promise<SearchAnswer>
  readonly findSession: (text: string) => Promise<Session>
}

export function createProvenance({ storage, scope, now, search, findSession }: ProvenanceParts) {
  const { memory } = storage
  return {
    async why(id: string): Promise<WhyAnswer> {
      const [record] = await scope.findAll([id], 'any')
      if (record === undefined) throw noRecord(id)
      const atMs = now()
      const moment = { asOfMs: undefined, nowMs: atMs }
      const request = {
        ...moment,
        withFacts: true,
        neighbours: 0,
        pinnedNamespace: scope.pinnedNamespace,
      }
      const around = (await storage.loadHitContext([record.id], request)).get(record.id)
      const touch = await memory.lastTouch(record.id)
      const chains = await storage.successors([record.id], END_OF_TIME)
      const successors = chains.get(record.id) ?? []
      return {
        record,
        session: around?.session ?? null,
        lastTouchedBy:
          touch && scope.includes(touch.session.namespace)
            ? { session: touch.session.id, usage: touch.usage, at: touch.at }
            : null,
        supersededBy: around?.supersededBy ?? null,
        chain: (await storage.get(successors)).filter(scope.contains).map((one) => one.id),
        links: await linksInReach(storage, scope, record.id),
        facts: around?.facts.map((fact) => showFact(fact, atMs)) ?? [],
        revisions: await storage.history(record.id),
        recalls: await memory.recallsOf(record.id, MOST_RECALLS, scope.narrow(undefined)),
      }
    },

    /** Runs logged queries again, as they were asked, and says what moved. Nothing is written. */
    async replay(input: requests.ReplayInput = {}): Promise<ReplayAnswer> {
      const { session, limit } = check(requests.replayRequest, input)
      const sessionId = session === undefined ? null : (await findSession(session)).id
      const logged = await memory.loggedQueries({
        sessionId,
        limit,
        namespaces: scope.narrow(undefined),
      })
      const queries: Replayed[] = []
      for (const { query, lens, request, hits, ...one } of logged) {
        const asked = { query, lens, session: one.sessionId, at: one.at }
        try {
          const answer = await search({ ...(request as SearchInput), query })
          const [before, after] = [hits, answer.hits].map((list) => list.map((hit) => hit.id))
          const moved = compare(before ?? [], after ?? [])
          queries.push({ ...asked, hits: answer.hits.length, moved, failed: null })
        } catch (error) {
          if (!(error instanceof CairnError) || !CANNOT_BE_ASKED.has(error.code)) throw error
          queries.push({ ...asked, hits: 0, moved: [], failed: error.message })
        }
      }
      return { queries }
    },
  }
}

/** What has another place than before, places from 1. */
export function compare(before: readonly RecordId[], after: readonly RecordId[]): Moved[] {
  return [...new Set([...before, ...after])].flatMap((id): Moved[] => {
    const [was, is] = [before.indexOf(id), after.indexOf(id)]
    if (was === is) return []
    return [{ id, before: was < 0 ? null : was + 1, after: is < 0 ? null : is + 1 }]
  })
}
