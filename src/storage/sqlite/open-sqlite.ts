/** Implements the storage interface over one SQLite file. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { createCallLimits } from '../../core/call-limits.js'
import type { RecordId } from '../../core/ids.js'
import type { Storage } from '../storage.js'
import { createArchive } from './archive/archive.js'
import { backupFile } from './backup.js'
import { type ConnectOptions, connect } from './connect.js'
import { countFacets, sortFound } from './facets.js'
import { createPrepareFilter } from './filter.js'
import { createFullText } from './full-text.js'
import { readHitContext } from './hit-context.js'
import { createImports } from './imports.js'
import { createListing } from './listing.js'
import { createLog } from './log.js'
import { checkFile, checkpoint, optimizeFile, rebuildDerived } from './maintenance.js'
import { createMemory } from './memory/open-memory.js'
import { createPastSearch } from './past/past-search.js'
import { createPostingsText } from './postings/postings-text.js'
import { createRecordWrites } from './record-writes.js'
import {
  createRunner,
  createSnapshots,
  createTransactionClock,
  identifyFile,
  NO_FILE,
  type Runners,
  runEach,
  type SomeOf,
} from './runner.js'
import { createStatements, readVersion } from './statements.js'
import { readFigures, readOverview, readSizes, readStatistics } from './statistics.js'
import { createContext } from './tables/context.js'
import { createRecordsTable, createRowReader } from './tables/records.js'
import { createRevisionsTable, createSupersession } from './tables/revisions.js'
import { createTokens } from './tokens.js'
import { rebuildVectors } from './vectors/rebuild-vectors.js'
import { createSqliteVectors } from './vectors/vector-storage.js'
import { createVocabulary } from './vocabulary.js'
import { createWorks } from './works.js'

export type SqliteOptions = ConnectOptions & {
  readonly now: () => number
  readonly makeId: () => RecordId
  /** How fast salience fades, as a multiple of the usual. */
  readonly decay: number
  /** The salience that a record gains when its text is added again. */
  readonly reinforcement: number
  /** For tests. Default: asks the file system. */
  readonly freeBytes?: (file: string) => number
}

export function openSqlite(options: SqliteOptions): Storage {
  const db = connect(options)
  const { file, makeId } = options
  const identity = file === ':memory:' ? NO_FILE : identifyFile(file, { isCopy: db.memory })
  const signing = new AsyncLocalStorage<string | null>()
  const statements = createStatements(db, () => signing.getStore() ?? null)
  const clock = createTransactionClock(options.now)
  const { now } = clock
  const own = { statements, now, makeId }
  const toRecord = createRowReader(now, options.decay)
  const revisions = createRevisionsTable(own, toRecord)
  const records = createRecordsTable(own, toRecord, revisions)
  const supersession = createSupersession(own, records)
  const { successors } = supersession
  const snapshots = createSnapshots(db)
  const fullText = createPostingsText(snapshots, statements, createFullText(statements))
  const ranked = createPastSearch(statements, fullText)
  const vocabulary = createVocabulary(statements)
  const context = createContext(statements)
  const prepare = createPrepareFilter(statements)
  const sqliteVectors = createSqliteVectors({ snapshots, statements, fullText, now, prepare })
  const memory = createMemory(own)
  const parts = { ...options, ...own, records, context, sqliteVectors, memory, supersession }
  const writes = createRecordWrites(parts)

  const { budget } = statements
  const limits = createCallLimits()
  const runner = createRunner({ db, file, identity, clock, snapshots, budget, limits })

  const reading = {
    ...createListing(statements, toRecord, prepare),
    get: (ids, { deleted = false, asOfMs } = {}) =>
      asOfMs === undefined ? records.read(ids, deleted) : records.readAsOf(ids, asOfMs),
    history: revisions.history,
    successors,
    anySuperseded: supersession.any,
    rank: (match, page) => ranked.rank({ ...match, filter: prepare(match.filter) }, page),
    newest: (filter, unwanted, page) => ranked.newest(prepare(filter), unwanted, page),
    containing: (text, filter, page) => ranked.containing(text, prepare(filter), page),
    weigh: fullText.weigh,
    missing: fullText.missing,
    nearTerms: vocabulary.near,
    loadHitContext: (ids, request) => readHitContext(statements, ids, request),
    version: () => readVersion(statements),
    statistics: (namespace) => readStatistics(statements, namespace ?? vocabulary.count()),
    sizes: () => readSizes(db, statements, file),
    figures: () => readFigures(db, statements, file),
    overview: (request) => readOverview(statements, request),
    check: () => checkFile(db, statements),
    optimize: (vacuum) => optimizeFile({ ...options, db, statements }, vacuum),
  } satisfies SomeOf<Storage>
  const writing = {
    add: writes.add,
    update: (id, change, vectors) => writes.update(id, change, { vectors }),
    softDelete: writes.softDelete,
    restore: writes.restore,
    supersede: writes.supersede,
    reinstate: writes.reinstate,
    rebuild: (staleModel) => {
      rebuildDerived(statements, records)
      context.refresh(context.everyTurn())
      rebuildVectors(statements, staleModel)
    },
  } satisfies SomeOf<Storage>

  const storageFor = (runners: Runners, snapshot: Storage['snapshot']): Stateless => ({
    ...runEach(runners.run, reading),
    ...runEach(runners.write, writing),
    signed: (author, work) => signing.run(author, work),
    limited: limits.run,
    vectors: sqliteVectors.storage(runners.run, runners.write),
    memory: memory.storage(runners),
    works: createWorks(parts, writes, runners),
    imports: createImports(parts, writes, runners),
    archive: createArchive({ ...parts, ...runners, db }),
    tokens: createTokens(statements, runners),
    log: createLog(own, runners),
    purge: async (ids, summaries) => {
      const purged = await runners.write(() => writes.purge(ids, summaries))
      const bytesGone = await runners.run(() => checkpoint(db, options.busyTimeoutMs))
      return { purged, bytesGone }
    },
    sorted: async (set, page) => {
      const found = { statements, prepare, successors, nearRows: await sqliteVectors.rowsNear() }
      return runners.run(() => budget.finishOrNull(() => sortFound(found, set, page)))
    },
    facets: async (set, { wide = false } = {}) => {
      const found = { statements, prepare, successors, nearRows: await sqliteVectors.rowsNear() }
      return runners.run(() => budget.finishOrNull(() => countFacets(found, set, wide)))
    },
    close: async () => {
      statements.forgetPaused()
      sqliteVectors.close()
      db.close()
    },
    snapshot,
    isCut: () => budget.isCut,
    stopSearches: () => budget.stop(),
    file: {
      isInPlace: () => identity.isSame(),
      backup: async (request) => runners.run(() => backupFile(db, options, request)),
      releaseSnapshot() {
        statements.forgetPaused()
        runner.releaseSnapshot()
      },
    },
  })

  const inSnapshot: Storage = withState(storageFor(runner.inSnapshot, (work) => work(inSnapshot)))
  const snapshot: Storage['snapshot'] = (work, timeLimitMs = null) =>
    runner.withSnapshot(timeLimitMs, () => work(inSnapshot).finally(statements.forgetPaused))
  return withState(storageFor(runner, snapshot))
}

type Stateless = Omit<Storage, 'state'>

/** Each part of the state is read when it is needed: a cached answer needs only the version. */
function withState(storage: Stateless): Storage {
  const { version } = storage
  const { active, anyPending, coverage } = storage.vectors
  return {
    ...storage,
    state: async (namespace) => ({
      version,
      active,
      gaps: async () => ((await anyPending()) ? coverage(namespace) : null),
    }),
  }
}
