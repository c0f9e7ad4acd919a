/** The memory part of the storage interface over SQLite: sessions, links, facts, recalls and lenses. */

import type { NewFact } from '../../../core/fact.js'
import type { RecordId } from '../../../core/ids.js'
import type { Link } from '../../../core/record.js'
import type { ImportedSession } from '../../imports.js'
import type { NotedAction } from '../../log.js'
import {
  type MemoryStorage,
  type NewLink,
  nameChange,
  type StoredFact,
  type StoredSession,
} from '../../memory.js'
import { noteEvent, noteLink, noteRecords } from '../log.js'
import type { Runner } from '../runner.js'
import { convertRow, type Statements } from '../statements.js'
import { createFactsTable } from './facts.js'
import { createLinksTable } from './links.js'
import { createRecallsTable } from './recalls.js'
import { createSessionsTable } from './sessions.js'

const LENS = 'namespace, name, sentence, options, created_at AS createdAt, updated_at AS updatedAt'
const LENS_TYPES = { times: ['createdAt', 'updatedAt'], objects: ['options'] }
const SQL = {
  saveLens: `INSERT INTO lenses (namespace, name, sentence, options, created_at, updated_at)
    VALUES (:namespace, :name, :sentence, :options, :now, :now)
    ON CONFLICT (namespace, name) DO UPDATE
      SET sentence = excluded.sentence, options = excluded.options, updated_at = excluded.updated_at`,
  lenses: `SELECT ${LENS} FROM lenses ORDER BY name, namespace`,
  removeLens: 'DELETE FROM lenses WHERE namespace = :namespace AND name = :name',
} as const

export type SqliteMemory = ReturnType<typeof createMemory>

export function createMemory(statements: Statements, now: () => number, makeId: () => RecordId) {
  const sessions = createSessionsTable(statements)
  const links = createLinksTable(statements)
  const facts = createFactsTable(statements)
  const recalls = createRecallsTable(statements, sessions, facts)

  const noteFact = (action: NotedAction, fact: StoredFact | null): StoredFact | null => {
    if (fact !== null) noteRecords(statements, action, { ids: [fact.recordId], at: now() })
    return fact
  }
  const noteSession = <S extends StoredSession | null>(action: NotedAction, session: S): S => {
    if (session !== null) {
      noteEvent(statements, { action, namespace: session.namespace, subject: session.id }, now())
    }
    return session
  }
  const noteEnds = <L extends Link | null>(action: 'link' | 'unlink', link: L): L => {
    if (link !== null) noteLink(statements, action, { ...link, at: now() })
    return link
  }

  const storage = (run: Runner, write: Runner): MemoryStorage => ({
    startSession: (session) =>
      write(() =>
        noteSession('session.start', sessions.add(session.id ?? makeId(), session, now())),
      ),
    changeSession: (row, change) =>
      write(() => noteSession(nameChange(change), sessions.change(row, change))),
    findSession: (text, home, namespace = null) => run(() => sessions.find(text, home, namespace)),
    listSessions: (listing) => run(() => sessions.list(listing)),
    listOwnedSessions: () => run(() => sessions.listOwned()),
    listSessionRecords: (row, namespace = null) => run(() => sessions.listRecords(row, namespace)),
    lastTouch: (record, namespace = null) => run(() => sessions.findLastTouch(record, namespace)),

    link: (link) =>
      write(() => {
        const author = statements.author() ?? link.author
        return noteEnds('link', links.add({ ...link, author }, makeId(), now()))
      }),
    unlink: (id) => write(() => noteEnds('unlink', links.remove(id))),
    findLink: (source, target, type) => run(() => links.between(source, target, type)),
    listLinks: (record) => run(() => links.ofRecord(record)),

    addFacts: (record, added) =>
      write(() => {
        noteRecords(statements, 'fact.add', { ids: [record], at: now() })
        return facts.add(record, added, makeId, now())
      }),
    findFact: (text, namespace = null) => run(() => facts.find(text, namespace)),
    listFacts: (listing) => run(() => facts.list(listing)),
    contradicting: (ids) => run(() => facts.contradicting(ids)),
    listFactsOn: (topics, namespace) => run(() => facts.listOn(topics, namespace)),
    reinforceFact: (id, amount) =>
      write(() => {
        facts.reinforce([id], amount, now())
        return noteFact('fact.reinforce', facts.one(id))
      }),
    endFact: (id) => write(() => noteFact('fact.remove', facts.end(id, now()))),

    logRecall: (recall) => write(() => recalls.add(recall, makeId())),
    listRecalls: (record, limit, namespaces = null) =>
      run(() => recalls.ofRecord(record, limit, namespaces)),
    listQueries: ({ session, limit, namespaces = null }) =>
      run(() => recalls.queries(session, limit, namespaces)),
    listUsed: (request) => run(() => recalls.used(request)),
    listCorrections: (namespaces, limit) => run(() => recalls.corrections(namespaces, limit)),
    strengthen: (records, how) =>
      write(() => {
        noteRecords(statements, how.kind, { ids: records, at: now() })
        return recalls.strengthen(records, how, now())
      }),

    saveLens: ({ options, ...lens }) =>
      write(() => {
        const values = { ...lens, options: JSON.stringify(options), now: now() }
        statements.run(SQL.saveLens, values)
        const { namespace, name: subject } = lens
        noteEvent(statements, { action: 'lens.save', namespace, subject }, now())
      }),
    listLenses: () =>
      run(() => statements.all(SQL.lenses).map((row) => convertRow(row, LENS_TYPES))),
    removeLens: ({ namespace, name }) =>
      write(() => {
        const isGone = statements.run(SQL.removeLens, { namespace, name }).changes > 0
        const event = { action: 'lens.remove', namespace, subject: name } as const
        if (isGone) noteEvent(statements, event, now())
        return isGone
      }),
  })

  return {
    storage,
    /** The following run inside a transaction of the caller. */
    noteCreated: sessions.noteCreated,
    noteUsage: sessions.noteUsage,
    changeSession: sessions.change,
    importSession: (session: ImportedSession): boolean => sessions.import(session, now()),
    addFacts: (record: RecordId, added: readonly NewFact[], at: number) =>
      facts.add(record, added, makeId, at),
    reinforceRows: recalls.reinforceRows,
    forgetQueriesOf: recalls.forgetQueriesOf,
    relink(added: readonly NewLink[], removed: readonly string[]): void {
      for (const id of removed) links.remove(id)
      for (const link of added) links.add(link, makeId(), now())
    },
  }
}
