/** Promise: the storage interface over one SQLite file; the only door into this folder. */

import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { PurgeOutcome, Storage } from '../storage.js'
import { checkFile, readStatistics, rebuildDerived } from './care.js'
import { type ConnectOptions, connect } from './connect.js'
import { explainSqliteError } from './errors.js'
import { createFullText } from './full-text.js'
import { createListing } from './listing.js'
import { createMeaning } from './meaning/open-meaning.js'
import { createStatements } from './statements.js'
import { createContext } from './tables/context.js'
import { createRecordsTable } from './tables/records.js'
import { createVocabulary } from './vocabulary.js'

export type SqliteOptions = ConnectOptions & {
  readonly now: () => number
  readonly makeId: () => RecordId
}

/** Merging all segments is what takes the words of a purged record out of FTS5's own pages. */
const MERGE_INDEX = `INSERT INTO records_ft (records_ft) VALUES ('optimize')`

export function openSqlite(options: SqliteOptions): Storage {
  const db = connect(options)
  const statements = createStatements(db)
  const records = createRecordsTable(statements)
  const fullText = createFullText(statements)
  const vocabulary = createVocabulary(statements)
  const listing = createListing(statements)
  const context = createContext(statements)
  const meaning = createMeaning({ db, statements, fullText, now: options.now })

  /** Every operation comes through here: it fails with a sentence, and never after the file was closed. */
  const run = async <T>(operation: () => T): Promise<T> => {
    if (!db.open) throw new CairnError('closed', { message: `${options.file} was closed already.` })
    try {
      return operation()
    } catch (error) {
      throw explainSqliteError(error, options.file)
    }
  }
  /** Takes the write lock at once, so that two writers queue instead of failing half-way. */
  const write = <T>(operation: () => T): Promise<T> =>
    run(() => db.transaction(operation).immediate())

  return {
    meaning: meaning.storage(run, write),
    add: (added, vectors) => {
      const now = options.now()
      return write(() => {
        const outcomes = added.map((record) => records.add(record, options.makeId(), now))
        const created = outcomes.flatMap(({ id, created }, i) =>
          created ? [{ id, vectors: vectors?.vectors[i] ?? null }] : [],
        )
        if (vectors !== undefined) meaning.keep(vectors.model, created)
        context.refresh(context.turnsOf(created.map(({ id }) => id)))
        return outcomes
      })
    },
    get: (ids, { deleted } = { deleted: false }) => run(() => records.read(ids, deleted)),
    update: (id, change, vectors) =>
      write(() => {
        const before = context.turnsOf([id])
        const record = records.update(id, change, options.now())
        context.refresh([...before, ...context.turnsOf([id])])
        const [own] = vectors?.vectors ?? []
        if (record !== null && vectors && own) meaning.keep(vectors.model, [{ id, vectors: own }])
        return record
      }),
    softDelete: (ids) =>
      write(() => {
        const gone = records.softDelete(ids, options.now())
        context.forget(gone)
        context.refresh(context.turnsOf(gone))
        return gone
      }),
    restore: (ids) =>
      write(() => {
        const back = records.restore(ids)
        context.refresh(context.turnsOf(back))
        return back
      }),
    purge: async (ids) => {
      const purged = await write(() => {
        meaning.erase(ids, records.read(ids, true))
        const places = context.turnsOf(ids)
        const gone = records.purge(ids)
        context.refresh(places)
        if (gone.length > 0) statements.run(MERGE_INDEX)
        return gone
      })
      return run((): PurgeOutcome => ({ purged, bytesGone: checkpoint(db) }))
    },
    list: (request) => run(() => listing.list(request)),
    resolve: (prefix) => run(() => listing.resolve(prefix)),
    shorten: (ids) => run(() => listing.shorten(ids)),
    rank: (match, page) => run(() => fullText.rank(match, page)),
    newest: (filter, unwanted, page) => run(() => fullText.newest(filter, unwanted, page)),
    containing: (text, filter, page) => run(() => fullText.containing(text, filter, page)),
    weigh: (words, fields, best) => run(() => fullText.weigh(words, fields, best)),
    missing: (words, fields) => run(() => fullText.missing(words, fields)),
    nearTerms: (words) => run(() => vocabulary.near(words)),
    statistics: () => run(() => readStatistics(statements, vocabulary.count())),
    check: () => run(() => checkFile(db, statements)),
    rebuild: async () => {
      await run(() => rebuildDerived(db, statements, records))
      await write(() => context.refresh(context.everyTurn()))
    },
    close: async () => {
      meaning.close()
      db.close()
    },
  }
}

/** Moves the log into the file and empties it; false while another connection still reads from it. */
function checkpoint(db: Database): boolean {
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return result?.busy === 0
}
