/** A session is started, found, ended and told about under one name, whoever started it. */

import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type {
  CairnRecord,
  Session,
  SessionContext,
  SessionOwner,
  SessionRecord,
  Usage,
} from '../core/record.js'
import { quotes, summarise } from '../memory/summarise.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { StoredSession } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
import { noRecord, type Scope } from './scope.js'

export type SessionParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly namespace: string
  readonly now: () => number
  /** This process, as the owner of the sessions it holds open. */
  readonly self: SessionOwner
  /** False where that process is known to be gone. */
  readonly isAlive: (owner: SessionOwner, sinceMs: number) => boolean
  /** Waits until what was recalled is written down. */
  readonly recallsWritten: () => Promise<void>
}

export type SessionListed = Session & { readonly counts: Readonly<Record<Usage, number>> }
export type SessionListAnswer = {
  readonly sessions: readonly SessionListed[]
  readonly next: string | null
}
export type SessionShown = Session & Readonly<Record<Usage, readonly SessionRecord[]>>

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(parts: SessionParts) {
  const { storage, scope, now } = parts
  const { memory } = storage

  const withState = ({ owner, ...session }: StoredSession): Session => {
    const isGone = owner !== null && !parts.isAlive(owner, Date.parse(session.startedAt))
    return { ...session, state: session.endedAt !== null ? 'ended' : isGone ? 'abandoned' : 'open' }
  }

  /** By its id, a beginning of it, or a title that only one has. */
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
    find,
    async start(input: requests.SessionInput = {}): Promise<Session> {
      const { id, namespace, startedAt, attached, ...rest } = check(requests.sessionInput, input)
      const target = namespace ?? parts.namespace
      scope.assertContains(target)
      const stored = await memory.startSession({
        ...rest,
        id: id ?? null,
        namespace: target,
        startedAtMs: startedAt,
        endedAtMs: null,
        owner: attached ? parts.self : null,
      })
      return withState(stored)
    },

    /** Ends it and keeps a summary: the given one, or one of its own most salient sentences. */
    async end(text: string, input: requests.SessionEnd = {}): Promise<Session> {
      const { summary } = check(requests.sessionEnd, input)
      const session = await find(text)
      if (session.state === 'ended') {
        throw new CairnError('bad_input', {
          message: `The session "${session.id}" has ended already, at ${session.endedAt}.`,
          hint: `Change its summary with \`cairn session summarise ${session.id}\`.`,
        })
      }
      const told = summary ?? session.summary ?? (await summaryOf(parts, session.id))
      return changed(await memory.changeSession(session.id, { summary: told, endedAtMs: now() }))
    },

    /** Gives it this summary or, without one, one of its own most salient sentences. */
    async summarise(text: string, summary?: string): Promise<Session> {
      const session = await find(text)
      const told = summary ?? (await summaryOf(parts, session.id))
      return changed(await memory.changeSession(session.id, { summary: told }))
    },

    async list(input: requests.SessionListInput = {}): Promise<SessionListAnswer> {
      const request = check(requests.sessionListRequest, input)
      await parts.recallsWritten()
      const page = await memory.listSessions({
        namespaces: scope.narrow(request.namespaces),
        isOpen: request.state === undefined ? null : request.state !== 'ended',
        limit: request.limit,
        cursor: request.cursor,
      })
      const sessions = page.sessions.map(({ counts, ...session }) => ({
        ...withState(session),
        counts,
      }))
      const { state } = request
      return {
        sessions: state === undefined ? sessions : sessions.filter((one) => one.state === state),
        next: page.next,
      }
    },

    /** Before records are purged: a summary that quotes one of them is made anew of what is left. */
    async unquote(records: readonly CairnRecord[]): Promise<void> {
      const ids = records.map((record) => record.id)
      for (const { id, body, sessionId } of records) {
        const resolution = sessionId === null ? null : await memory.findSession(sessionId)
        if (resolution?.kind !== 'found' || resolution.session.summary === null) continue
        const { session } = resolution
        const texts = [body, ...(await storage.history(id)).map((revision) => revision.body)]
        if (!texts.some((text) => quotes(session.summary ?? '', text))) continue
        await memory.changeSession(session.id, { summary: await summaryOf(parts, session.id, ids) })
      }
    },

    /** With every record it touched, by how it touched it. */
    async show(text: string): Promise<SessionShown> {
      await parts.recallsWritten()
      const session = await find(text)
      return { ...session, ...(await memory.sessionRecords(session.id)) }
    },

    /** The latest session that touched a record, or null. */
    async contextOf(id: string): Promise<SessionContext | null> {
      const [record] = await scope.findAll([id], 'live')
      if (record === undefined) throw noRecord(id)
      const touch = await memory.lastTouch(record.id)
      if (touch === null || !scope.includes(touch.session.namespace)) return null
      return { ...touch, session: withState(touch.session) }
    },
  }

  function changed(stored: StoredSession | null): Session {
    if (stored === null) throw new Error('the session vanished while it was changed')
    return withState(stored)
  }
}

/** What was created in it, told by its own most salient sentences. */
async function summaryOf(
  { storage }: SessionParts,
  id: string,
  without: readonly RecordId[] = [],
): Promise<string | null> {
  const { created } = await storage.memory.sessionRecords(id)
  const ids = created.map((record) => record.id).filter((one) => !without.includes(one))
  // What was taken back is not what the session came to.
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

export function noSession(text: string): CairnError {
  return new CairnError('not_found', {
    message: `There is no session "${text}".`,
    hint: '`cairn session list` shows those there are; `cairn session start` begins one.',
  })
}
