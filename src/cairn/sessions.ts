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
import { isQuoted, isTitledFrom, type Note, summarise } from '../memory/summarise.js'
import { assertText, check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { SessionChange, SessionSummary, StoredSession } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
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

  const withState = ({ owner, row: _, isTitled: __, ...session }: StoredSession): Session => {
    const isGone = owner !== null && !isAlive(owner, Date.parse(session.startedAt))
    const unended = isGone ? 'abandoned' : 'open'
    return { ...session, state: session.endedAt === null ? unended : 'ended' }
  }

  const changed = (stored: StoredSession | null): Session => {
    if (stored === null) throw new Error('the session vanished while it was changed')
    return withState(stored)
  }

  const locate = async (text: string): Promise<StoredSession> => {
    assertText('id', text)
    const resolution = await memory.findSession(text, scope.namespace, scope.pinnedNamespace)
    if (resolution.kind === 'ambiguous') {
      throw new CairnError('ambiguous_id', {
        message: `Several sessions begin with "${text}": ${resolution.ids.join(', ')}.`,
        hint: 'Give more of the name, or open the file with the namespace of the one you mean.',
      })
    }
    if (resolution.kind === 'missing') throw noSession(text)
    return resolution.session
  }

  return {
    locate,

    /** By its id, the beginning of it, or a title that only one session has. */
    find: async (text: string): Promise<Session> => withState(await locate(text)),

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

    /** Ends a session and stores a summary: the given one, or one made of sentences of its records. */
    async end(text: string, input: requests.SessionEnd = {}): Promise<Session> {
      const { summary } = check(requests.sessionEnd, input)
      const session = await locate(text)
      const { id, row, endedAt } = session
      if (endedAt !== null) {
        throw badInput(
          `The session "${id}" has ended already, at ${endedAt}.`,
          `Change its summary with \`cairn session summarise ${id}\`.`,
        )
      }
      const given = summary ?? session.summary
      const described =
        given === null ? await describeSession(context, session) : { summary: given }
      return changed(await memory.changeSession(row, { ...described, endedAtMs: now() }))
    },

    /** Stores this summary or, without one, a summary made of sentences of its records. */
    async summarise(text: string, summary?: string): Promise<Session> {
      const session = await locate(text)
      const described =
        summary === undefined ? await describeSession(context, session) : { summary }
      return changed(await memory.changeSession(session.row, described))
    },

    async list(input: requests.SessionListInput = {}): Promise<SessionListAnswer> {
      const request = check(requests.sessionListRequest, input)
      await recalls.written()
      const { state, limit, cursor } = request
      const owned = state === undefined || state === 'ended' ? [] : await memory.listOwnedSessions()
      const abandoned = owned.filter((session) => withState(session).state === 'abandoned')
      const page = await memory.listSessions({
        namespaces: scope.narrow(request.namespaces),
        state: state ?? null,
        abandoned: abandoned.map(({ row }) => row),
        pinnedNamespace: scope.pinnedNamespace,
        limit,
        cursor,
      })
      const sessions = page.sessions.map((one) => ({ ...withState(one), counts: one.counts }))
      return { sessions, next: page.next }
    },

    async show(text: string): Promise<SessionShown> {
      await recalls.written()
      const session = await locate(text)
      const records = await memory.listSessionRecords(session.row, scope.pinnedNamespace)
      return { ...withState(session), ...records }
    },

    async contextOf(id: string): Promise<SessionContext | null> {
      await recalls.written()
      const record = await scope.findOne(id)
      const touch = await memory.lastTouch(record.id, scope.pinnedNamespace)
      return touch && { ...touch, session: withState(touch.session) }
    },

    /** New summaries for the sessions whose summary quotes one of these records, which are about to be purged. */
    async summariseWithout(records: readonly CairnRecord[]): Promise<SessionSummary[]> {
      const ids = records.map((record) => record.id)
      const summaries = new Map<number, SessionSummary>()
      for (const { id, body, sessionId, namespace: home } of records) {
        const resolution = sessionId === null ? null : await memory.findSession(sessionId, home)
        if (resolution?.kind !== 'found' || summaries.has(resolution.session.row)) continue
        const { row: session, namespace, summary, title } = resolution.session
        const texts = [body, ...(await storage.history(id)).map((revision) => revision.body)]
        const losesTitle = title !== null && texts.some((text) => isTitledFrom(title, text))
        const isSummarised = summary !== null && texts.some((text) => isQuoted(summary, text))
        if (!losesTitle && !isSummarised) continue
        // The summary of a session elsewhere may go on to quote the records that are there.
        const within = scope.includes(namespace) ? scope.pinnedNamespace : null
        const rest = isSummarised
          ? summarise(await listNotes(storage, session, { within, ids }))
          : summary
        summaries.set(session, { session, summary: rest, losesTitle })
      }
      return [...summaries.values()]
    },
  }
}

/** Sentences of the records that the session created: the most salient, or those that the language model chose. */
async function describeSession(
  { storage, scope, loadModelMemory }: Context,
  { row, isTitled }: StoredSession,
): Promise<SessionChange> {
  const notes = await listNotes(storage, row, { within: scope.pinnedNamespace, ids: [] })
  const byModel = loadModelMemory && (await (await loadModelMemory()).summarise(notes))
  if (byModel === null) return { summary: summarise(notes) }
  const { summary, title } = byModel
  return { summary, ...(!isTitled && title !== null && { title }) }
}

/** The records that a session created in this namespace (null: in any), without these ids. */
async function listNotes(
  storage: Storage,
  row: number,
  { within, ids }: { readonly within: string | null; readonly ids: readonly RecordId[] },
): Promise<Note[]> {
  const { created } = await storage.memory.listSessionRecords(row, within)
  const kept = created.map(({ id }) => id).filter((id) => !ids.includes(id))
  const valid = (await storage.get(kept)).filter(({ supersededAt }) => supersededAt === null)
  return valid.map((record) => ({
    id: record.id,
    text: record.body,
    importance: record.importance,
    atMs: Date.parse(record.occurredAt ?? record.createdAt),
    salience: record.effectiveSalience,
  }))
}
