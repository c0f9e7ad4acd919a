/** Shows and restores earlier versions of records, supersedes records, explains their origin, and reads the log. */

import type { FactShown, Successor } from '../core/answer.js'
import { badInput, CairnError, type ErrorCode, noRecord } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord, LinkView, Revision, SessionBrief, Usage } from '../core/record.js'
import { END_OF_TIME } from '../core/time.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { SearchInput } from '../schemas/search-request.js'
import { showFact } from '../search/page.js'
import type { LogPage, NewEvent } from '../storage/log.js'
import type { RecallLine } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
import { linksInScope } from './links.js'
import type { Records } from './records.js'
import type { Context } from './scope.js'
import type { Searches } from './search.js'
import type { Sessions } from './sessions.js'
import { pickDetails, toWork } from './work-records.js'

export type HistoryAnswer = {
  readonly record: CairnRecord
  /** Oldest first; the current version is `record`. */
  readonly revisions: readonly Revision[]
}

export type SupersedeAnswer = { readonly superseded: RecordId; readonly by: RecordId }

export type WhyAnswer = {
  readonly record: CairnRecord
  readonly session: SessionBrief | null
  readonly lastTouchedBy: Readonly<{ session: string; usage: Usage; at: string }> | null
  readonly supersededBy: Successor | null
  /** Every record that superseded it, one after the other. */
  readonly chain: readonly RecordId[]
  readonly links: readonly LinkView[]
  readonly facts: readonly FactShown[]
  readonly revisions: readonly Revision[]
  /** Newest first. */
  readonly recalls: readonly RecallLine[]
}

export type Moved = {
  readonly id: RecordId
  /** Ranks from 1; null: not among the hits. */
  readonly before: number | null
  readonly after: number | null
}

export type Replayed = {
  readonly query: string
  readonly lens: string
  readonly session: string
  readonly at: string
  readonly hits: number
  /** The hits whose rank changed, ordered by the earlier rank. */
  readonly moved: readonly Moved[]
  /** Why the query cannot be run again, such as a lens that was removed; otherwise null. */
  readonly failed: string | null
}

export type ReplayAnswer = { readonly queries: readonly Replayed[] }

const MAX_RECALLS = 50

const CANNOT_REPLAY: readonly ErrorCode[] = [
  'bad_input',
  'not_found',
  'ambiguous_id',
  'outside_namespace',
]

type Parts = Pick<Records, 'change'> & Pick<Searches, 'search'> & { readonly sessions: Sessions }

export type History = ReturnType<typeof createHistory>

export function createHistory(context: Context, { change, search, sessions }: Parts) {
  const { storage, indexer, scope, recalls, now } = context
  const { memory } = storage

  /** Without revisions from the time when the record was in a namespace that is out of scope. */
  const listRevisions = async (id: RecordId): Promise<Revision[]> =>
    (await storage.history(id)).filter(({ namespace }) => scope.includes(namespace))

  const history = async (id: string): Promise<HistoryAnswer> => {
    const record = await scope.findOne(id, 'any')
    return { record, revisions: await listRevisions(record.id) }
  }

  return {
    history,
    log: createReadLog(context),

    async undo(id: string, number?: number): Promise<CairnRecord> {
      const { record, revisions } = await history(id)
      const edits = revisions.filter(({ endedBy }) => endedBy === 'edit')
      const wanted =
        number === undefined ? edits.at(-1) : revisions.find((one) => one.number === number)
      if (wanted === undefined) {
        const numbers = revisions.map((one) => one.number).join(', ')
        throw badInput(
          number === undefined
            ? `The record "${id}" was never edited.`
            : `The record "${id}" has no revision ${number}.`,
          numbers === '' ? undefined : `It has ${numbers}; \`cairn history ${id}\` shows them.`,
        )
      }
      assertNotSuperseded(await scope.findOne(record.id), id)
      const { number: _, validFrom, validUntil, endedBy, endedAuthor, ...state } = wanted
      const { author, occurredAt, work, ...described } = state
      const occurredAtMs = occurredAt === null ? null : Date.parse(occurredAt)
      // A work without details at that revision gets details from its people and date.
      const details = work ?? (record.work && pickDetails(toWork({ ...record, ...wanted }, [])))
      return change(record, { ...described, occurredAtMs, ...(details && { work: details }) })
    },

    async supersede(
      older: string,
      newer: string,
      input: requests.SupersedeInput = {},
    ): Promise<SupersedeAnswer> {
      const how = check(requests.supersedeInput, input)
      const old = await scope.findOne(older)
      const by = await scope.findOne(newer)
      switch (await storage.supersede(old.id, by.id, how)) {
        case 'done':
          await indexer.embedPending(0)
          return { superseded: old.id, by: by.id }
        case 'circle':
          throw badInput(
            `"${newer}" cannot supersede "${older}": that would go round in a circle.`,
            'A record cannot supersede itself, or what has superseded it.',
          )
        case 'superseded':
          throw badInput(
            `The record "${older}" is superseded already.`,
            `\`cairn why ${older}\` shows by what; \`cairn unlink\` takes that back.`,
          )
        case 'gone':
          throw noRecord(older)
      }
    },

    async why(id: string): Promise<WhyAnswer> {
      await recalls.written()
      const record = await scope.findOne(id, 'any')
      const nowMs = now()
      const contexts = await storage.loadHitContext([record.id], {
        asOfMs: undefined,
        nowMs,
        withFacts: true,
        neighbours: 0,
        pinnedNamespace: scope.pinnedNamespace,
      })
      const around = contexts.get(record.id)
      const touch = await memory.lastTouch(record.id, scope.pinnedNamespace)
      const chains = await storage.successors([record.id], END_OF_TIME)
      const successors = chains.get(record.id) ?? []
      return {
        record,
        session: around?.session ?? null,
        lastTouchedBy: touch && {
          session: touch.session.id,
          usage: touch.usage,
          at: touch.at,
        },
        supersededBy: around?.supersededBy ?? null,
        chain: (await storage.get(successors)).filter(scope.contains).map((one) => one.id),
        links: await linksInScope(context, record.id),
        facts: around?.facts.map((fact) => showFact(fact, nowMs)) ?? [],
        revisions: await listRevisions(record.id),
        recalls: await memory.listRecalls(record.id, MAX_RECALLS, scope.narrow(undefined)),
      }
    },

    async replay(input: requests.ReplayInput = {}): Promise<ReplayAnswer> {
      await recalls.written()
      const { session, limit } = check(requests.replayRequest, input)
      const row = session === undefined ? null : (await sessions.locate(session)).row
      const namespaces = scope.narrow(undefined)
      const queries: Replayed[] = []
      for (const one of await memory.listQueries({ session: row, limit, namespaces })) {
        const { query, lens, request, at } = one
        const asked = { query, lens, session: one.sessionId, at }
        try {
          const { hits } = await search({ ...(request as SearchInput), query })
          const moved = compareRanks(one.hits, hits)
          queries.push({ ...asked, hits: hits.length, moved, failed: null })
        } catch (error) {
          if (!(error instanceof CairnError) || !CANNOT_REPLAY.includes(error.code)) throw error
          queries.push({ ...asked, hits: 0, moved: [], failed: error.message })
        }
      }
      return { queries }
    },
  }
}

type Ranked = readonly { readonly id: RecordId }[]

function compareRanks(before: Ranked, after: Ranked): Moved[] {
  const ids = new Set([...before, ...after].map(({ id }) => id))
  const rankIn = (hits: Ranked, id: RecordId): number | null =>
    hits.findIndex((hit) => hit.id === id) + 1 || null
  return [...ids]
    .map((id) => ({ id, before: rankIn(before, id), after: rankIn(after, id) }))
    .filter((moved) => moved.before !== moved.after)
}

export function assertNotSuperseded(record: CairnRecord, text: string): void {
  if (record.supersededAt === null) return
  throw badInput(
    `The record "${text}" was superseded and stays as it was.`,
    `Edit what has taken its place: \`cairn why ${text}\` shows it.`,
  )
}

function createReadLog({ storage, scope, now }: Context) {
  return async (input: requests.LogInput = {}): Promise<LogPage> => {
    const request = check(requests.logRequest, input, now())
    const { namespace, author, since, until, limit, cursor } = request
    if (namespace !== undefined) scope.assertContains(namespace)
    return storage.log.list({
      namespace: namespace ?? scope.pinnedNamespace,
      author: author ?? null,
      sinceMs: since ?? null,
      untilMs: until ?? null,
      limit,
      cursor,
    })
  }
}

/** Logs an export, a copy or a backup if the caller has a name. Does not fail if the file is read-only. */
export async function noteTaken(storage: Storage, event: NewEvent): Promise<void> {
  try {
    await storage.log.noteNamed(event)
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'read_only') throw error
  }
}
