/** Implements the storage interface over a schema of a PostgreSQL database. */

import type { RecordId } from '../../core/ids.js'
import type { Storage } from '../storage.js'
import { createAdder } from './add-together.js'
import { createArchive } from './archive.js'
import type { Driver } from './driver.js'
import { countFacets, sortFound } from './facets.js'
import { readHitContext } from './hit-context.js'
import { createImports } from './imports.js'
import { listAround, listRange, listRecords, resolveId, shortenIds } from './listing.js'
import { createLog } from './log.js'
import { checkSchema, mendIndexes, optimizeSchema, rebuildDerived } from './maintenance.js'
import { createMemory } from './memory/memory.js'
import { prepareSchema } from './migrate.js'
import { listContaining, listNewest, rank } from './past-search.js'
import {
  purgeRecords,
  reinstateRecords,
  restoreRecords,
  softDeleteRecords,
  supersedeRecord,
} from './record-states.js'
import { updateRecord } from './record-writes.js'
import { readRecords } from './records.js'
import { anySuperseded, findSuccessors, readHistory, readRecordsAsOf } from './revisions.js'
import { createRunner, type Runners } from './runner.js'
import { createSearchState } from './search-state.js'
import type { Statements } from './statements.js'
import { readFigures, readOverview, readSizes, readStatistics } from './statistics.js'
import { createTokens } from './tokens.js'
import { createVectors } from './vectors.js'
import { createIndexKeeper } from './vectors-index.js'
import type { ModelRow } from './vectors-models.js'
import { createVocabulary } from './vocabulary.js'
import { createWordCounts } from './word-counts.js'
import { createWordSearch, type WordSearch } from './word-search.js'
import { createWorks } from './works.js'

export type PostgresOptions = {
  readonly driver: Driver
  /** Where searches run as long as it has every write. */
  readonly replica?: Driver | undefined
  readonly schema: string
  /** False refuses a schema without a Cairn in it. Default: true. */
  readonly create?: boolean
  /** Default: false. */
  readonly readOnly?: boolean
  readonly now: () => number
  readonly makeId: () => RecordId
  /** How fast salience fades, as a multiple of the usual. */
  readonly decay: number
  /** What it adds to a record that its text is added again. */
  readonly reinforcement: number
}

/** What every part of the storage gets. */
export type Parts = Pick<PostgresOptions, 'now' | 'makeId' | 'decay' | 'reinforcement'>

/** The result of a search that ran out of time. */
const NONE_LISTED = { listed: [], total: 0, superseded: 0 }
const NONE_RANKED = { ranked: [], total: 0, superseded: 0, rankedBy: 'sql' } as const

export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { driver, replica = null, schema, create = true, readOnly = false } = options
  const runner = createRunner(driver, schema, { readOnly, replica })
  await prepareSchema(runner, driver.name, { schema, mayChange: create && !readOnly })
  const counts = createWordCounts()
  const vocabulary = createVocabulary(counts)
  const words = createWordSearch(counts, vocabulary)
  const state = createSearchState(runner, counts)
  const indexes = createIndexKeeper(runner.runAlone)
  const vectorParts = { words, indexes, knownModels: new Map<string, ModelRow>() }

  const storageFor = (
    { run, search, write, ...others }: Runners,
    snapshot: Storage['snapshot'],
    isCut: () => boolean,
  ): Storage => ({
    signed: runner.signed,
    limited: runner.limited,
    vectors: createVectors({ run, search, write, ...others }, vectorParts),
    memory: createMemory(options, { run, search, write, ...others }),
    works: createWorks(options, { run, search, write, ...others }),
    imports: createImports(options, { run, search, write, ...others }),
    archive: createArchive({ run, write }),
    tokens: createTokens({ run, ...others }),
    log: createLog(options.now, runner.author, { run, search, write, ...others }),
    add: createAdder(
      (scope, work) => write(scope, work).finally(indexes.noteVectors),
      options,
      runner.author,
    ),
    get: (ids, { deleted = false, asOfMs } = {}) =>
      run((statements) =>
        asOfMs === undefined
          ? readRecords(statements, options, { ids, deleted })
          : readRecordsAsOf(statements, options, { ids, asOfMs }),
      ),
    update: (id, change, vectors) =>
      write({ ids: [id], namespace: change.namespace }, (statements) =>
        updateRecord(statements, options, { id, change, vectors }),
      ),
    softDelete: (ids) =>
      write({ ids }, (statements) => softDeleteRecords(statements, options, ids)),
    restore: (ids) => write({ ids }, (statements) => restoreRecords(statements, options, ids)),
    purge: async (ids, summaries = []) => ({
      purged: await write(null, (statements) =>
        purgeRecords(statements, options, { ids, summaries }),
      ),
      bytesGone: false,
    }),
    history: (id) => run((statements) => readHistory(statements, id)),
    supersede: (id, by, how) =>
      write({ ids: [id, by] }, (statements) =>
        supersedeRecord(statements, options, { id, by, how }),
      ),
    reinstate: (id) =>
      write({ ids: [id] }, (statements) => reinstateRecords(statements, options, [id])),
    successors: (ids, atMs) => run((statements) => findSuccessors(statements, ids, atMs)),
    anySuperseded: () => run(anySuperseded),
    list: (request) => run((statements) => listRecords(statements, options, request)),
    resolve: (prefix, namespace) => run((statements) => resolveId(statements, prefix, namespace)),
    shorten: (ids, namespace) => run((statements) => shortenIds(statements, ids, namespace)),
    ...createSearches(search, { words, vocabulary }),
    loadHitContext: (ids, request) => run((statements) => readHitContext(statements, ids, request)),
    timelineAround: (request) => run((statements) => listAround(statements, options, request)),
    timelineRange: (request) => run((statements) => listRange(statements, options, request)),
    version: () => run(runner.readVersion),
    state: (namespace) => run((statements) => state.read(statements, namespace)),
    statistics: (namespace = null) =>
      run((statements) => readStatistics(statements, namespace, vocabulary.count)),
    sizes: () => run(readSizes),
    figures: () => {
      const connections = driver.countConnections?.() ?? null
      return run((statements) => readFigures(statements, connections))
    },
    overview: (request) => run((statements) => readOverview(statements, request)),
    check: () => checkSchema({ run }),
    async rebuild(stale) {
      await write(null, (statements) => rebuildDerived(statements, stale))
      await others.runAlone(mendIndexes)
    },
    optimize: (vacuum) => others.runAlone((statements) => optimizeSchema(statements, vacuum)),
    close: () => indexes.stop().then(runner.close),
    snapshot,
    isCut,
    stopSearches: runner.stopSearches,
    file: null,
  })

  return storageFor(
    runner,
    (work, timeLimitMs = null) =>
      state.withSnapshot(timeLimitMs, (runners, isCut, anySuperseded) => {
        const own = storageFor(runners, (more) => more(inSnapshot), isCut)
        const inSnapshot: Storage = { ...own, anySuperseded }
        return work(inSnapshot)
      }),
    () => false,
  )
}

type Searched =
  | 'sorted'
  | 'facets'
  | 'rank'
  | 'newest'
  | 'containing'
  | 'weigh'
  | 'missing'
  | 'nearTerms'

/** What may take long. */
function createSearches(
  search: Runners['search'],
  { words, vocabulary }: { words: WordSearch; vocabulary: ReturnType<typeof createVocabulary> },
): Pick<Storage, Searched> {
  const orNull = <T>(work: (statements: Statements) => Promise<T>): Promise<T | null> =>
    search<T | null>(work, () => null)
  return {
    sorted: (set, page) => orNull((statements) => sortFound(statements, set, page)),
    facets: (set, { wide = false } = {}) =>
      orNull((statements) => countFacets(statements, set, wide)),
    rank: (match, page) =>
      search(
        (statements) => rank(statements, words, { match, page }),
        () => NONE_RANKED,
      ),
    newest: (filter, unwanted, page) =>
      search(
        (statements) => listNewest(statements, { filter, unwanted, page }),
        () => NONE_LISTED,
      ),
    containing: (text, filter, page) =>
      search(
        (statements) => listContaining(statements, { text, filter, page }),
        () => NONE_LISTED,
      ),
    weigh: (sought, scope, best) =>
      search(
        (statements) => words.weigh(statements, sought, { scope, best }),
        () => ({ words: sought.map(() => ({ records: 0, isInBest: false })), records: 0 }),
      ),
    missing: (sought, scope) =>
      search(
        (statements) => words.missing(statements, sought, scope),
        () => sought.map(() => false),
      ),
    nearTerms: (sought, namespace = null) =>
      search(
        (statements) => vocabulary.near(statements, sought, namespace),
        () => sought.map(() => []),
      ),
  }
}
