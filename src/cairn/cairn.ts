/** Everything a user can do with a file, each checked at the door and done whole or not at all. */

import type { Overview, SearchAnswer, SimilarAnswer } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Log } from '../core/log.js'
import type { CairnRecord, SessionContext } from '../core/record.js'
import type { Indexer } from '../embedding/indexer.js'
import type { EmbedderConfig } from '../embedding/open-embedder.js'
import { check } from '../schemas/check.js'
import type { ReplayInput, SupersedeInput } from '../schemas/memory-requests.js'
import type * as requests from '../schemas/record-requests.js'
import { type SearchDefaults, type SearchInput, searchRequest } from '../schemas/search-request.js'
import {
  type CachedSearch,
  type CachedSearchParts,
  createCachedSearch,
} from '../search/cached-search.js'
import { findNearDuplicates } from '../search/near-duplicates.js'
import { search } from '../search/search.js'
import type { OptimizeOutcome, PurgeOutcome, RecordPage, Storage } from '../storage/storage.js'
import {
  type AddAnswer,
  keepExtractedFacts,
  noteCreators,
  toAnswer,
  toNewRecord,
} from './adding.js'
import { askWithModel } from './ask-with-model.js'
import { createEditing, type Editing } from './editing.js'
import { createExplore } from './explore.js'
import { createFacts, type Facts } from './facts.js'
import { type GetAnswer, getRecords, listRecords } from './get-records.js'
import { createHistory, type History, type HistoryAnswer, type SupersedeAnswer } from './history.js'
import { createLenses, type Lenses } from './lenses.js'
import { createLinks, type Links } from './links.js'
import { logSearch } from './log-search.js'
import {
  type DoctorAnswer,
  examine,
  type OptimizeOptions,
  optimize,
  readStats,
  type StatsAnswer,
  type StatsOptions,
} from './maintenance.js'
import { createModels, type Models, type ModelsAnswer, type OnProgress } from './models.js'
import { createOnline, type Online, type OpenAlexConfig } from './openalex.js'
import { readOverview } from './overview.js'
import {
  createProvenance,
  type Provenance,
  type ReplayAnswer,
  type WhyAnswer,
} from './provenance.js'
import { type RecallParts, Recalls } from './recalls.js'
import {
  createStrengthen,
  type StrengthAnswer,
  type Strengthen,
  type StrengthInput,
} from './salience.js'
import { createScope, type Scope } from './scope.js'
import { createSessions, type SessionParts, type Sessions } from './sessions.js'
import { findSimilar } from './similar.js'
import { createTimeline } from './timeline.js'
import { createTransfer, type Transfer } from './transfer.js'
import { createWorks, type Works } from './works.js'

export type CairnParts = {
  readonly storage: Storage
  readonly indexer: Indexer
  readonly file: string
  readonly namespace: string
  readonly pinned: boolean
  readonly log: Log
  readonly timer: () => number
  readonly now: () => number
  readonly reinforcement: number
  readonly decay: number
  readonly openAlex: OpenAlexConfig
  readonly searchDefaults: SearchDefaults
} & Pick<SessionParts, 'self' | 'isAlive'> &
  Pick<RecallParts, 'onExit'> &
  Pick<CachedSearchParts, 'cache'>

export type { AddAnswer }
/** An open Cairn file. Ids may be shortened to any beginning of eight characters or more that names one record. */
export class Cairn {
  readonly sessions: Sessions
  readonly links: Links
  readonly facts: Facts
  readonly lenses: Lenses
  readonly works: Works
  /** Works from OpenAlex: the one thing here that goes out over the network, and only when it is called. */
  readonly openalex: Online
  /** The path of the file, as it was given. */
  readonly file: string
  readonly #parts: CairnParts
  readonly #storage: Storage
  readonly #scope: Scope
  readonly #past: History
  readonly #editing: Editing
  readonly #models: Models
  readonly #strengthen: Strengthen
  readonly #provenance: Provenance
  readonly #recalls: Recalls
  readonly #keptAnswers: CachedSearch
  /** Records in the order of time: around an anchor, or over a stretch of it. */
  readonly timeline: ReturnType<typeof createTimeline>
  /** From a question or a work to the works around it, over the stored citations. */
  readonly explore: ReturnType<typeof createExplore>

  /** Reads notes, conversations, mail, PDFs and more; a second time only what changed. See docs/import.md. */
  readonly import: Transfer['import']
  /** Keeps what was imported from a folder in step with it, until it is stopped. */
  readonly watch: Transfer['watch']
  /** Everything that cannot be derived, as lines of text, at one moment of the file. See docs/backup.md. */
  readonly exportAll: Transfer['exportAll']
  /** Puts the lines of `exportAll` into this file, with their ids and times; what is there already stays once. */
  readonly importAll: Transfer['importAll']
  /** A copy of the file at one moment, while others write. */
  readonly backup: Transfer['backup']

  constructor(parts: CairnParts) {
    const { storage, now, decay } = parts
    this.#parts = parts
    this.file = parts.file
    this.#storage = storage
    const scope = createScope({ ...parts, moment: () => ({ nowMs: now(), decay }) })
    this.#scope = scope
    this.#recalls = new Recalls(parts)
    const recallsWritten = () => this.#recalls.settled()
    this.sessions = createSessions({ ...parts, scope, recallsWritten })
    this.links = createLinks(storage, scope, async () => void (await parts.indexer.embedPending(0)))
    this.facts = createFacts(storage, scope, now)
    this.lenses = createLenses(storage, parts.searchDefaults)
    this.timeline = createTimeline({ storage, scope, now })
    this.works = createWorks({ ...parts, scope })
    const findWork = (text: string) => this.works.get(text)
    this.openalex = createOnline({
      config: parts.openAlex,
      importWorks: (works, options) => this.works.import(works, options),
      findWork,
    })
    this.explore = createExplore({
      ...parts,
      scope,
      search: (input) => this.search(input),
      findWork,
      online: this.openalex,
    })
    const transfer = createTransfer({
      ...parts,
      scope,
      importWorks: (works, options) => this.works.import(works, options),
      settled: () => this.#recalls.settled(),
    })
    this.import = transfer.import
    this.watch = transfer.watch
    this.exportAll = transfer.exportAll
    this.importAll = transfer.importAll
    this.backup = transfer.backup
    this.#editing = createEditing({ ...parts, scope, sessions: this.sessions })
    this.#past = createHistory(storage, scope, this.#editing.change)
    this.#keptAnswers = createCachedSearch(parts)
    this.#models = createModels(storage, parts.indexer)
    this.#strengthen = createStrengthen({ storage, scope, decay, sessions: this.sessions })
    this.#provenance = createProvenance({
      storage,
      scope,
      now,
      search: (request) => this.search(request),
      findSession: (text) => this.sessions.find(text),
    })
  }

  /** Adds one record and lists what is nearly the same. */
  async add(input: requests.RecordInput): Promise<AddAnswer> {
    const [answer] = await this.addMany([input])
    if (answer === undefined) throw new Error('one record was added and no answer came back')
    if (!answer.created) return answer
    return { ...answer, nearDuplicates: await findNearDuplicates(this.#storage, answer.id) }
  }

  /** Adds all of them or, where one is refused, none. Does not look for near-duplicates. */
  async addMany(inputs: readonly requests.RecordInput[]): Promise<AddAnswer[]> {
    const { storage, indexer, log } = this.#parts
    const records = inputs.map((input) => toNewRecord(input, this.#scope))
    const vectors = await indexer.embedTexts(records)
    const outcomes = await storage.add(records, vectors ?? undefined)
    await keepExtractedFacts(storage, inputs, outcomes)
    await noteCreators(storage, inputs, outcomes)
    // Turns of a session are read once their neighbours are known, and what had to wait now that the model answers.
    await indexer.embedPending(records.length)
    log('info', 'add', { records: outcomes.filter(({ created }) => created).length })
    return outcomes.map(toAnswer)
  }

  get(ids: readonly string[]): Promise<GetAnswer> {
    return getRecords(this.#storage, this.#scope, ids)
  }

  list(input: requests.ListInput = {}): Promise<RecordPage> {
    return listRecords(this.#storage, this.#scope, input)
  }

  /** Changes a record; what it was is kept. With a session, the edit is noted there. */
  edit(id: string, patch: requests.RecordPatch): Promise<CairnRecord> {
    return this.#editing.edit(id, patch)
  }

  /** Hides records everywhere, until they are restored or purged. */
  async delete(ids: readonly string[]): Promise<RecordId[]> {
    return this.#settled(this.#storage.softDelete(idsOf(await this.#scope.findAll(ids, 'live'))))
  }

  async restore(ids: readonly string[]): Promise<RecordId[]> {
    return this.#settled(this.#storage.restore(idsOf(await this.#scope.findAll(ids, 'deleted'))))
  }

  /** Removes records for good: from the table, the index, the vectors and the bytes of the file. */
  async purge(ids: readonly string[]): Promise<PurgeOutcome> {
    const records = await this.#scope.findAll(ids, 'any')
    await this.#recalls.settled()
    await this.sessions.unquote(records)
    return this.#settled(this.#storage.purge(idsOf(records)))
  }

  /**
   * Finds records; `cairn.search('words')` is short for `cairn.search({ query: 'words' })`. With `recallSession` the
   * answer leaves a trace: what it showed is linked to the session, logged and remembered a little better.
   */
  async search(input: string | SearchInput, options: SearchInput = {}): Promise<SearchAnswer> {
    const given = typeof input === 'string' ? { ...options, query: input } : input
    const request = check(searchRequest, await this.lenses.through(given))
    const session =
      request.recallSession === undefined ? null : await this.sessions.find(request.recallSession)
    const { storage, indexer, log, decay, now } = this.#parts
    const elapsedMs = this.#stopwatch()
    const filter = await this.#scope.filter(request)
    const found = await this.#keptAnswers({ request, filter, elapsedMs }, () =>
      askWithModel(indexer.embedQuery.bind(indexer), (readQuestion) =>
        search({ storage, readQuestion, elapsedMs, now, decay }, request, filter),
      ),
    )
    const lens = given.lens ?? this.#parts.searchDefaults.lens ?? found.query.lens
    const answer = { ...found, query: { ...found.query, lens } }
    logSearch(log, request, answer)
    if (session !== null) this.#recalls.add(session.id, withoutRecall(given), answer)
    return answer
  }

  /** Notes an answer, or the part of it that was shown, as a recall in a session: for a face that shows less than it asked for. */
  async recall(session: string, answer: SearchAnswer, request: SearchInput = {}): Promise<void> {
    const { id } = await this.sessions.find(session)
    this.#recalls.add(id, withoutRecall(request), answer)
  }

  /** The same search over documents alone. */
  async searchDocuments(
    input: string | SearchInput,
    options: SearchInput = {},
  ): Promise<SearchAnswer> {
    const given = typeof input === 'string' ? { ...options, query: input } : input
    return this.search({ ...given, kinds: 'document', includeDocuments: true })
  }

  /** Records near to this one in meaning, itself left out. */
  similar(id: string, input: SearchInput = {}): Promise<SimilarAnswer> {
    const threshold = input.threshold ?? this.#parts.searchDefaults.threshold
    return findSimilar({ ...this.#parts, scope: this.#scope }, id, { ...input, threshold })
  }

  /** What a record was before each change. */
  history(id: string): Promise<HistoryAnswer> {
    return this.#past.history(id)
  }

  /** Gives a record back what it was: before its last edit, or in the revision of that number. */
  undo(id: string, revision?: number): Promise<CairnRecord> {
    return this.#past.undo(id, revision)
  }

  /** From now on `newer` stands in the place of `older`, which is no longer valid. */
  async supersede(
    older: string,
    newer: string,
    input: SupersedeInput = {},
  ): Promise<SupersedeAnswer> {
    return this.#settled(this.#past.supersede(older, newer, input))
  }

  /** Where a record came from, who recalled it for which queries, and what corrected it. */
  async why(id: string): Promise<WhyAnswer> {
    await this.#recalls.settled()
    return this.#provenance.why(id)
  }

  /** Runs logged queries again and says what moved; writes nothing. */
  async replay(input: ReplayInput = {}): Promise<ReplayAnswer> {
    await this.#recalls.settled()
    return this.#provenance.replay(input)
  }

  /** The latest session that touched a record, how, and how many records it holds; null where none did. */
  async sessionContext(id: string): Promise<SessionContext | null> {
    await this.#recalls.settled()
    return this.sessions.contextOf(id)
  }

  /** Makes records more salient: s + amount · (1 − s). */
  reinforce(ids: readonly string[], options: StrengthInput = {}): Promise<StrengthAnswer> {
    return this.#strengthen('reinforce', ids, options)
  }

  /** Makes records less salient, never below 0.05. */
  deemphasize(ids: readonly string[], options: StrengthInput = {}): Promise<StrengthAnswer> {
    return this.#strengthen('deemphasize', ids, options)
  }

  /**
   * Makes the vectors that are missing; with a configuration, all vectors of another model, which is put in charge
   * once it has read everything. Searches go on with the old one until then.
   */
  embed(config: EmbedderConfig | null = null, onProgress?: OnProgress): Promise<ModelsAnswer> {
    return this.#models.embed(config, onProgress)
  }

  models(): Promise<ModelsAnswer> {
    return this.#models.list()
  }

  /** Forgets the vectors of a model that is not in charge. */
  removeModel(id: string): Promise<void> {
    return this.#models.remove(id)
  }

  /** False once the file was deleted or replaced: every operation fails then (`file_changed`) until it is opened again. */
  get isInPlace(): boolean {
    return this.#storage.isInPlace()
  }

  stats(options: StatsOptions = {}): Promise<StatsAnswer> {
    return readStats(this.#storage, this.file, options)
  }

  /** How it looks from afar: records over time, by kind and sector, how salient, how often recalled. */
  overview(input: requests.OverviewInput = {}): Promise<Overview> {
    return readOverview({ ...this.#parts, scope: this.#scope }, input)
  }

  /** Looks for damage; with `repair` builds the index and everything derived anew, then looks again. */
  doctor(options: { readonly repair?: boolean | undefined } = {}): Promise<DoctorAnswer> {
    return examine(this.#storage, this.#models, options)
  }

  /** Makes a file that was changed much quick and small again; no answer changes. */
  optimize(options: OptimizeOptions = {}): Promise<OptimizeOutcome> {
    return optimize(this.#storage, options)
  }

  /** The shortest beginnings that still name each record alone. */
  async shorten(ids: readonly RecordId[]): Promise<string[]> {
    return this.#storage.shorten(ids)
  }

  /** Waits until every recall is written. */
  async close(): Promise<void> {
    await this.#recalls.settled()
    await this.#parts.indexer.close()
    await this.#storage.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Neighbours of what was changed are read again in their new surroundings. */
  async #settled<T>(change: Promise<T>): Promise<T> {
    const outcome = await change
    await this.#parts.indexer.embedPending(0)
    return outcome
  }

  #stopwatch(): () => number {
    const start = this.#parts.timer()
    return () => this.#parts.timer() - start
  }
}

/** A query that is run again is no recall. */
function withoutRecall({ recallSession: _, ...request }: SearchInput): SearchInput {
  return request
}

function idsOf(records: readonly CairnRecord[]): RecordId[] {
  return records.map(({ id }) => id)
}
