/** Implements the storage interface over one SQLite file. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { createCallLimits } from '../../core/call-limits.js'
import type { RecordId } from '../../core/ids.js'
import type { PurgeOutcome, Storage } from '../storage.js'
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
import { createRunner, createSnapshots, identifyFile, NO_FILE, type Runners } from './runner.js'
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
  /** What it adds to a record that its text is added again. */
  readonly reinforcement: number
  /** For tests. Default: as the file system says. */
  readonly freeBytes?: (file: string) => number
}

export function openSqlite(options: SqliteOptions): Storage {
  const db = connect(options)
  const { now, file } = options
  const identity = file === ':memory:' ? NO_FILE : identifyFile(file, { isCopy: db.memory })
  const signing = new AsyncLocalStorage<string | null>()
  const statements = createStatements(db, () => signing.getStore() ?? null)
  const toRecord = createRowReader(now, options.decay)
  const revisions = createRevisionsTable(statements, toRecord)
  const records = createRecordsTable(statements, toRecord, revisions)
  const supersession = createSupersession(statements, records, options.makeId)
  const { successors } = supersession
  const snapshots = createSnapshots(db)
  const fullText = createPostingsText(snapshots, statements, createFullText(statements))
  const ranked = createPastSearch(statements, fullText)
  const vocabulary = createVocabulary(statements)
  const listing = createListing(statements, toRecord)
  const context = createContext(statements)
  const prepare = createPrepareFilter(statements)
  const sqliteVectors = createSqliteVectors({ snapshots, statements, fullText, now, prepare })
  const memory = createMemory(statements, now, options.makeId)
  const parts = { statements, records, context, sqliteVectors, memory, supersession }
  const writes = createRecordWrites({ ...options, ...parts })

  const { budget } = statements
  const facetParts = { statements, prepare, successors }
  const limits = createCallLimits()
  const runner = createRunner({ db, file, identity, snapshots, budget, limits })

  const storageFor = ({ run, write }: Runners, snapshot: Storage['snapshot']): Stateless => ({
    signed: (author, work) => signing.run(author, work),
    limited: limits.run,
    vectors: sqliteVectors.storage(run, write),
    memory: memory.storage(run, write),
    works: createWorks({ ...options, ...parts }, writes, { run, write }),
    imports: createImports({ ...options, ...parts }, writes, { run, write }),
    archive: createArchive({ ...options, ...parts, db, run, write }),
    tokens: createTokens(statements, { run, write }),
    log: createLog(statements, now, { run, write }),
    add: (added, vectors) => write(() => writes.add(added, vectors)),
    get: (ids, { deleted = false, asOfMs } = {}) =>
      run(() =>
        asOfMs === undefined ? records.read(ids, deleted) : records.readAsOf(ids, asOfMs),
      ),
    update: (id, change, vectors) => write(() => writes.update(id, change, vectors)),
    softDelete: (ids) => write(() => writes.softDelete(ids)),
    restore: (ids) => write(() => writes.restore(ids)),
    purge: async (ids, summaries = []) => {
      const purged = await write(() => writes.purge(ids, summaries))
      return run((): PurgeOutcome => ({ purged, bytesGone: checkpoint(db, options.busyTimeoutMs) }))
    },
    history: (id) => run(() => revisions.history(id)),
    supersede: (id, by, how) => write(() => writes.supersede(id, by, how)),
    reinstate: (id) => write(() => writes.reinstate(id)),
    successors: (ids, atMs) => run(() => successors(ids, atMs)),
    anySuperseded: () => run(() => supersession.any()),
    list: (request) => run(() => listing.list(prepare(request.filter), request)),
    resolve: (prefix, namespace = null) => run(() => listing.resolve(prefix, namespace)),
    shorten: (ids, namespace = null) => run(() => listing.shorten(ids, namespace)),
    rank: (match, page) =>
      run(() => ranked.rank({ ...match, filter: prepare(match.filter) }, page)),
    newest: (filter, unwanted, page) => run(() => ranked.newest(prepare(filter), unwanted, page)),
    containing: (text, filter, page) => run(() => ranked.containing(text, prepare(filter), page)),
    weigh: (words, scope, best) => run(() => fullText.weigh(words, scope, best)),
    missing: (words, scope) => run(() => fullText.missing(words, scope)),
    nearTerms: (words, namespace = null) => run(() => vocabulary.near(words, namespace)),
    loadHitContext: (ids, request) => run(() => readHitContext(statements, ids, request)),
    sorted: async (set, page) => {
      const parts = { ...facetParts, nearRows: await sqliteVectors.rowsNear() }
      return run(() => budget.finishOrNull(() => sortFound(parts, set, page)))
    },
    facets: async (set, { wide = false } = {}) => {
      const parts = { ...facetParts, nearRows: await sqliteVectors.rowsNear() }
      return run(() => budget.finishOrNull(() => countFacets(parts, set, wide)))
    },
    timelineAround: (request) => run(() => listing.around(prepare(request.filter), request)),
    timelineRange: (request) => run(() => listing.range(prepare(request.filter), request)),
    version: () => run(() => readVersion(statements)),
    statistics: (namespace = null) =>
      run(() => readStatistics(statements, namespace ?? vocabulary.count())),
    sizes: () => run(() => readSizes(db, statements, file)),
    figures: () => run(() => readFigures(db, statements, file)),
    overview: (request) => run(() => readOverview(statements, request)),
    check: () => run(() => checkFile(db, statements)),
    rebuild: (staleModel) =>
      write(() => {
        rebuildDerived(statements, records)
        context.refresh(context.everyTurn())
        rebuildVectors(statements, staleModel)
      }),
    optimize: (vacuum) => run(() => optimizeFile({ ...options, db, statements }, vacuum)),
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
      backup: async (request) => run(() => backupFile(db, options, request)),
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

/** What a search reads before it begins is read when it is asked for: a cached answer needs the version alone. */
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
