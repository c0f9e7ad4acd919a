/** The memory part of the storage interface over SQLite: sessions, links, facts, recalls and lenses. */

import type { NewFact } from '../../../core/fact.js'
import type { RecordId } from '../../../core/ids.js'
import type { ImportedSession } from '../../imports.js'
import type {
  MemoryStorage,
  NewLink,
  SessionListing,
  SessionPage,
  StoredLens,
} from '../../memory.js'
import type { Runner } from '../runner.js'
import type { Row, Statements } from '../statements.js'
import { createFactLists, createFactsTable } from './facts.js'
import { createLinksTable } from './links.js'
import { createRecallsTable, createStrength, createTraces } from './recalls.js'
import { createSessionRecordsTable, createSessionsTable, NO_COUNTS } from './sessions.js'

const COLUMNS = 'name, sentence, options, created_at, updated_at'

const SQL = {
  save: `INSERT INTO lenses (${COLUMNS}) VALUES (:name, :sentence, :options, :now, :now)
    ON CONFLICT (name) DO UPDATE
      SET sentence = excluded.sentence, options = excluded.options, updated_at = excluded.updated_at
    RETURNING ${COLUMNS}`,
  all: `SELECT ${COLUMNS} FROM lenses ORDER BY name`,
  byName: `SELECT ${COLUMNS} FROM lenses WHERE name = :name`,
  remove: 'DELETE FROM lenses WHERE name = :name',
} as const

export type LensesTable = ReturnType<typeof createLensesTable>

export function createLensesTable(statements: Statements) {
  return {
    save({ name, sentence, options }: Omit<StoredLens, 'createdAt' | 'updatedAt'>, now: number) {
      const values = { name, sentence, options: JSON.stringify(options), now }
      const [row] = statements.all(SQL.save, values)
      if (row === undefined) throw new Error(`the lens ${name} was saved and is not there`)
      return toLens(row)
    },
    all: (): StoredLens[] => statements.all(SQL.all).map(toLens),
    find(name: string): StoredLens | null {
      const [row] = statements.all(SQL.byName, { name })
      return row === undefined ? null : toLens(row)
    },
    remove: (name: string): boolean => statements.run(SQL.remove, { name }).changes > 0,
  }
}

function toLens(row: Row): StoredLens {
  return {
    name: String(row.name),
    sentence: row.sentence as string | null,
    options: JSON.parse(String(row.options)) as StoredLens['options'],
    createdAt: new Date(row.created_at as number).toISOString(),
    updatedAt: new Date(row.updated_at as number).toISOString(),
  }
}

export type MemoryParts = {
  readonly statements: Statements
  readonly now: () => number
  readonly makeId: () => RecordId
}

export type SqliteMemory = ReturnType<typeof createMemory>

export function createMemory({ statements, now, makeId }: MemoryParts) {
  const sessions = createSessionsTable(statements)
  const touched = createSessionRecordsTable(statements)
  const links = createLinksTable(statements)
  const facts = createFactsTable(statements)
  const factLists = createFactLists(statements)
  const recalls = createRecallsTable(statements)
  const lenses = createLensesTable(statements)
  const strength = createStrength(statements)
  const traces = createTraces({ sessions, touched, facts, recalls, strength })

  const listSessions = (listing: SessionListing): SessionPage => {
    const page = sessions.list(listing)
    const counts = touched.counts(page.sessions.map(({ row }) => row))
    const counted = page.sessions.map(({ row, session }) => ({
      ...session,
      counts: counts.get(row) ?? NO_COUNTS,
    }))
    return { sessions: counted, next: page.next }
  }

  const storage = (run: Runner, write: Runner): MemoryStorage => ({
    startSession: (session) => write(() => sessions.add(session.id ?? makeId(), session, now())),
    changeSession: (id, change) => write(() => sessions.change(id, change)),
    findSession: (text) => run(() => sessions.find(text)),
    listSessions: (listing) => run(() => listSessions(listing)),
    ownedSessions: () => run(() => sessions.owned()),
    sessionRecords: (id) => run(() => touched.ofSession(id)),
    lastTouch: (record) => run(() => touched.last(record)),
    touch: (id, records, usage) => write(() => traces.noteUsage(id, records, usage, now())),

    link: (link) => write(() => links.add(link, makeId(), now())),
    unlink: (id) => write(() => links.remove(id)),
    findLink: (source, target, type) => run(() => links.between(source, target, type)),
    linksOf: (record) => run(() => links.ofRecord(record)),

    addFacts: (record, added) => write(() => facts.add(record, added, makeId, now())),
    findFact: (text) => run(() => facts.find(text)),
    listFacts: (listing) => run(() => factLists.list(listing)),
    contradicting: (ids) => run(() => factLists.contradicting(ids)),
    reinforceFact: (id, amount) =>
      write(() => {
        facts.reinforce([id], amount, now())
        return facts.one(id)
      }),
    endFact: (id) => write(() => facts.end(id, now())),

    keepRecall: (recall) => write(() => traces.keepRecall(recall, makeId())),
    recallsOf: (record, limit, namespaces = null) =>
      run(() => recalls.ofRecord(record, limit, namespaces)),
    loggedQueries: ({ sessionId, limit, namespaces = null }) =>
      run(() => recalls.queries(sessionId, limit, namespaces)),

    strengthen: (records, how) => write(() => traces.strengthen(records, how, now())),

    saveLens: (lens) => write(() => lenses.save(lens, now())),
    listLenses: () => run(() => lenses.all()),
    findLens: (name) => run(() => lenses.find(name)),
    removeLens: (name) => write(() => lenses.remove(name)),
  })

  return {
    storage,
    /** These run inside a transaction of the caller's. */
    noteCreated: traces.noteCreated,
    noteUsage: traces.noteUsage,
    addFacts: (record: RecordId, added: readonly NewFact[], at: number) =>
      facts.add(record, added, makeId, at),
    changeSession: sessions.change,
    reinforceRows: traces.reinforceRows,
    forgetQueriesOf: recalls.forgetQueriesOf,
    isNewsOf: sessions.isNews,
    keepSession: (session: ImportedSession): void => sessions.keep(session, now()),
    relink(added: readonly NewLink[], removed: readonly string[]): void {
      for (const id of removed) links.remove(id)
      for (const link of added) links.add(link, makeId(), now())
    },
  }
}
