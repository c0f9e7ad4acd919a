/** The memory part of the storage interface over SQLite: sessions, links, facts, recalls and lenses. */

import type { NewFact } from '../../../core/fact.js'
import type { RecordId } from '../../../core/ids.js'
import type { ImportedSession } from '../../imports.js'
import type { MemoryStorage, NewLink, StoredLens } from '../../memory.js'
import type { Runner } from '../runner.js'
import { convertRow, type Row, type Statements } from '../statements.js'
import { createBriefingReads } from './briefing.js'
import { createFactsTable } from './facts.js'
import { createLinksTable } from './links.js'
import { createRecallsTable } from './recalls.js'
import { createSessionsTable } from './sessions.js'

const LENS = 'name, sentence, options, created_at AS createdAt, updated_at AS updatedAt'
const SQL = {
  saveLens: `INSERT INTO lenses (name, sentence, options, created_at, updated_at)
    VALUES (:name, :sentence, :options, :now, :now)
    ON CONFLICT (name) DO UPDATE
      SET sentence = excluded.sentence, options = excluded.options, updated_at = excluded.updated_at`,
  lenses: `SELECT ${LENS} FROM lenses ORDER BY name`,
  lens: `SELECT ${LENS} FROM lenses WHERE name = :name`,
  removeLens: 'DELETE FROM lenses WHERE name = :name',
} as const

export type SqliteMemory = ReturnType<typeof createMemory>

export function createMemory(statements: Statements, now: () => number, makeId: () => RecordId) {
  const sessions = createSessionsTable(statements)
  const links = createLinksTable(statements)
  const facts = createFactsTable(statements)
  const recalls = createRecallsTable(statements, sessions, facts)
  const briefing = createBriefingReads(statements)

  const findLens = (name: string): StoredLens | null =>
    statements.all(SQL.lens, { name }).map(toLens)[0] ?? null
  const saveLens = ({ name, sentence, options }: Parameters<MemoryStorage['saveLens']>[0]) => {
    statements.run(SQL.saveLens, { name, sentence, options: JSON.stringify(options), now: now() })
    const saved = findLens(name)
    if (saved === null) throw new Error(`the lens ${name} was saved and is not there`)
    return saved
  }

  const storage = (run: Runner, write: Runner): MemoryStorage => ({
    startSession: (session) => write(() => sessions.add(session.id ?? makeId(), session, now())),
    changeSession: (id, change) => write(() => sessions.change(id, change)),
    findSession: (text) => run(() => sessions.find(text)),
    listSessions: (listing) => run(() => sessions.list(listing)),
    listOwnedSessions: () => run(() => sessions.listOwned()),
    listSessionRecords: (id) => run(() => sessions.listRecords(id)),
    lastTouch: (record) => run(() => sessions.findLastTouch(record)),

    link: (link) => write(() => links.add(link, makeId(), now())),
    unlink: (id) => write(() => links.remove(id)),
    findLink: (source, target, type) => run(() => links.between(source, target, type)),
    listLinks: (record) => run(() => links.ofRecord(record)),

    addFacts: (record, added) => write(() => facts.add(record, added, makeId, now())),
    findFact: (text) => run(() => facts.find(text)),
    listFacts: (listing) => run(() => facts.list(listing)),
    contradicting: (ids) => run(() => facts.contradicting(ids)),
    reinforceFact: (id, amount) =>
      write(() => {
        facts.reinforce([id], amount, now())
        return facts.one(id)
      }),
    endFact: (id) => write(() => facts.end(id, now())),

    logRecall: (recall) => write(() => recalls.add(recall, makeId())),
    listRecalls: (record, limit, namespaces = null) =>
      run(() => recalls.ofRecord(record, limit, namespaces)),
    listQueries: ({ sessionId, limit, namespaces = null }) =>
      run(() => recalls.queries(sessionId, limit, namespaces)),
    listUsed: ({ namespaces, sinceMs, limit }) =>
      run(() => briefing.used(namespaces, sinceMs, limit)),
    listCorrections: (namespaces, limit) => run(() => briefing.corrections(namespaces, limit)),

    strengthen: (records, how) => write(() => recalls.strengthen(records, how, now())),

    saveLens: (lens) => write(() => saveLens(lens)),
    listLenses: () => run(() => statements.all(SQL.lenses).map(toLens)),
    findLens: (name) => run(() => findLens(name)),
    removeLens: (name) => write(() => statements.run(SQL.removeLens, { name }).changes > 0),
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

function toLens(row: Row): StoredLens {
  return convertRow(row, { times: ['createdAt', 'updatedAt'], objects: ['options'] })
}
