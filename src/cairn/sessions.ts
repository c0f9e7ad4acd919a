/** Starts, finds, ends, lists and summarises sessions. */

import { badInput, CairnError, noSession } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type {
  CairnRecord,
  Session,
  SessionContext,
  SessionOwner,
  SessionRecord,
  Usage,
} from '../core/record.js'
import { isQuoted, summarise } from '../memory/summarise.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { SessionSummary, StoredSession } from '../storage/memory.js'
import type { Context } from './scope.js'

export type SessionListed = Session & { readonly counts: Readonly<Record<Usage, number>> }
export type SessionListAnswer = {
  readonly sessions: readonly SessionListed[]
  readonly next: string | null
}
export type SessionShown = Session & Readonly<Record<Usage, readonly SessionRecord[]>>

export type Sessions = ReturnType<typeof createSessions>

/** `self` is this process, the owner of the sessions it holds open; `isAlive` is false for a process that is gone. */
export function createSessions(
  context: Context,
  self: SessionOwner,
  isAlive: (owner: SessionOwner, sinceMs: number) => boolean,
) {
  const { storage, scope, recalls, now } = context
  const { memory } = storage

  const withState = ({ owner, ...session }: StoredSession): Session => {
    const isGone = owner !== null && !isAlive(owner, Date.parse(session.startedAt))
    const unended = isGone ? 'abandoned' : 'open'
    return { ...session, state: session.endedAt === null ? unended : 'ended' }
  }

  const changed = (stored: StoredSession | null): Session => {
    if (stored === null) throw new Error('the session vanished while it was changed')
    return withState(stored)
  }

  /** A summary made of the most salient sentences of the records that the session created. */
  const summaryOf = async (
    id: string,
    without: readonly RecordId[] = [],
  ): Promise<string | null> => {
    const { created } = await memory.listSessionRecords(id)
    const ids = created.map((record) => record.id).filter((one) => !without.includes(one))
    const valid = (await storage.get(ids)).filter(({ supersededAt }) => supersededAt === null)
    return summarise(
      valid.map((record) => ({
        id: record.id,
        text: record.body,
        importance: record.importance,
        atMs: Date.parse(record.occurredAt ?? record.createdAt),
        salience: record.effectiveSalience,
      })),
    )
  }

  const find = async (text: string): Promise<Session> => {
    const resolution = await memory.findSession(text)
    if (resolution.kind === 'ambiguous') {
      throw new CairnError('ambiguous_id', {
        message: `Several sessions begin with "${text}": ${resolution.ids.join(', ')}.`,
        hint: 'Give more of the name.',
      })
    }
    if (resolution.kind === 'missing' || !scope.includes(resolution.session.namespace)) {
      throw noSession(text)
    }
    return withState(resolution.session)
  }

  return {
    /** By its id, the beginning of it, or a title that only one session has. */
    find,

    async start(input: requests.SessionInput = {}): Promise<Session> {
      const { id, startedAt, attached, ...rest } = check(requests.sessionInput, input, now())
      const namespace = rest.namespace ?? scope.namespace
      scope.assertContains(namespace)
      const stored = await memory.startSession({
        ...rest,
        id: id ?? null,
        namespace,
        startedAtMs: startedAt,
        endedAtMs: null,
        owner: attached ? self : null,
      })
      return withState(stored)
    },

    /** Ends a session and stores a summary: the given one, or one made of its most salient sentences. */
    async end(text: string, input: requests.SessionEnd = {}): Promise<Session> {
      const { summary } = check(requests.sessionEnd, input)
      const session = await find(text)
      if (session.state === 'ended') {
        throw badInput(
          `The session "${session.id}" has ended already, at ${session.endedAt}.`,
          `Change its summary with \`cairn session summarise ${session.id}\`.`,
        )
      }
      const stored = summary ?? session.summary ?? (await summaryOf(session.id))
      return changed(await memory.changeSession(session.id, { summary: stored, endedAtMs: now() }))
    },

    /** Stores this summary or, without one, a summary made of the most salient sentences. */
    async summarise(text: string, summary?: string): Promise<Session> {
      const { id } = await find(text)
      return changed(await memory.changeSession(id, { summary: summary ?? (await summaryOf(id)) }))
    },

    async list(input: requests.SessionListInput = {}): Promise<SessionListAnswer> {
      const request = check(requests.sessionListRequest, input)
      await recalls.written()
      const { state, limit, cursor } = request
      const owned = state === undefined || state === 'ended' ? [] : await memory.listOwnedSessions()
      const abandoned = owned.map(withState).filter((session) => session.state === 'abandoned')
      const page = await memory.listSessions({
        namespaces: scope.narrow(request.namespaces),
        state: state ?? null,
        abandoned: abandoned.map(({ id }) => id),
        limit,
        cursor,
      })
      const sessions = page.sessions.map((one) => ({ ...withState(one), counts: one.counts }))
      return { sessions, next: page.next }
    },

    async show(text: string): Promise<SessionShown> {
      await recalls.written()
      const session = await find(text)
      return { ...session, ...(await memory.listSessionRecords(session.id)) }
    },

    async contextOf(id: string): Promise<SessionContext | null> {
      await recalls.written()
      const record = await scope.findOne(id)
      const touch = await memory.lastTouch(record.id)
      if (touch === null || !scope.includes(touch.session.namespace)) return null
      return { ...touch, session: withState(touch.session) }
    },

    /** New summaries for the sessions whose summary quotes one of these records, which are about to be purged. */
    async summariseWithout(records: readonly CairnRecord[]): Promise<SessionSummary[]> {
      const ids = records.map((record) => record.id)
      const summaries = new Map<string, SessionSummary>()
      for (const { id, body, sessionId } of records) {
        const resolution = sessionId === null ? null : await memory.findSession(sessionId)
        if (resolution?.kind !== 'found' || summaries.has(resolution.session.id)) continue
        const { id: session, summary } = resolution.session
        const texts = [body, ...(await storage.history(id)).map((revision) => revision.body)]
        if (summary === null || !texts.some((text) => isQuoted(summary, text))) continue
        summaries.set(session, { session, summary: await summaryOf(session, ids) })
      }
      return [...summaries.values()]
    },
  }
}
