/** The Cairn class: everything a user can do with an open file. `view.ts` builds its methods from the modules beside it. */

import type { Caller } from '../core/caller.js'
import type { Storage } from '../storage/storage.js'
import type { Methods } from './view.js'

/** The methods of a caller, and those that all callers share. */
type Members = Methods & Pick<Cairn, 'caller' | 'as' | 'stopSearches' | 'close'>

/**
 * An open Cairn file. An id may be shortened to any prefix of eight characters or more that names one record; a work is
 * also named by its DOI, OpenAlex id, arXiv id or citation key.
 */
export class Cairn {
  /** The path of the file, as it was given. */
  declare readonly file: string
  /** The namespace that is written to. */
  declare readonly namespace: string
  /** Who uses it: the owner, or the caller that was given to `as`. */
  declare readonly caller: Caller
  declare readonly sessions: Methods['sessions']
  declare readonly links: Methods['links']
  declare readonly facts: Methods['facts']
  declare readonly lenses: Methods['lenses']
  declare readonly works: Methods['works']
  /** Works from OpenAlex. This is the only part that uses the network, and only when it is called. */
  declare readonly openalex: Methods['openalex']
  /** Who may use a server of this file. */
  declare readonly tokens: Methods['tokens']
  /** The same file for another caller, pinned to one of its namespaces. Its writes carry its name. Does not check its role. */
  declare readonly as: (caller: Caller, namespace?: string) => Cairn

  /** Adds one record and lists its near-duplicates. */
  declare readonly add: Methods['add']
  /** Adds all records or, if one is refused, none. Does not look for near-duplicates. */
  declare readonly addMany: Methods['addMany']
  /** Reads records by id and names the ids that are missing. */
  declare readonly get: Methods['get']
  /** Lists the records that pass a filter, a page at a time. */
  declare readonly list: Methods['list']
  /** Changes a record and keeps the earlier version. With a session, the edit is noted there. */
  declare readonly edit: Methods['edit']
  /** Hides records everywhere until they are restored or purged. */
  declare readonly delete: Methods['delete']
  /** Brings deleted records back. */
  declare readonly restore: Methods['restore']
  /** Removes records for good: from the table, the index, the vectors and the bytes of the file. */
  declare readonly purge: Methods['purge']
  /** Makes records more salient: s + amount · (1 − s). */
  declare readonly reinforce: Methods['reinforce']
  /** Makes records less salient, never below 0.05. */
  declare readonly deemphasize: Methods['deemphasize']
  /** The shortest prefixes that still name each record alone. */
  declare readonly shorten: Methods['shorten']

  /** Finds records by words or by `{ query, … }`. With `recallSession` the hits are linked to the session, logged and reinforced. */
  declare readonly search: Methods['search']
  /** The same search over documents alone; also `cairn.searchDocuments('words', 'project', 5)`. */
  declare readonly searchDocuments: Methods['searchDocuments']
  /** Answers a question with the language model `openCairn({ llm })`, or returns the passages alone. See docs/answers.md. */
  declare readonly ask: Methods['ask']
  /** Notes an answer as a recall in a session, for an interface that shows only a part of the hits it asked for. */
  declare readonly recall: Methods['recall']
  /** The records nearest to this one by its vector, without the record itself. */
  declare readonly similar: Methods['similar']

  /** The earlier versions of a record. */
  declare readonly history: Methods['history']
  /** Restores a record as it was before its last edit, or as it was in the revision of that number. */
  declare readonly undo: Methods['undo']
  /** Ends the validity of the older record: the newer one supersedes it. */
  declare readonly supersede: Methods['supersede']
  /** The origin of a record, its recalls, its links and facts, and the records that superseded it. */
  declare readonly why: Methods['why']
  /** Runs logged queries again and lists the hits whose ranks changed. Writes nothing. */
  declare readonly replay: Methods['replay']
  /** The latest session that touched a record, how, and how many records it holds; null if none did. */
  declare readonly sessionContext: Methods['sessionContext']
  /** Records in the order of time: around an anchor, or over a range of dates. */
  declare readonly timeline: Methods['timeline']
  /** The log of writes, purges and exports, newest first. */
  declare readonly log: Methods['log']
  /** Open decisions, deadlines, corrections and recently used records, within a token budget. */
  declare readonly briefing: Methods['briefing']
  /** Starts from a query or a work and follows the stored citations. */
  declare readonly explore: Methods['explore']

  /** Imports notes, conversations, mail, PDFs and more; a second run imports only changes. See docs/import.md. */
  declare readonly import: Methods['import']
  /** Imports a folder again whenever it changes, until it is stopped. */
  declare readonly watch: Methods['watch']
  /** Keeps records as Markdown files that people edit, in both directions. See docs/mirror.md. */
  declare readonly mirror: Methods['mirror']
  /** Mirrors a folder again whenever it or a record changes, until it is stopped. */
  declare readonly watchMirror: Methods['watchMirror']
  /** The file that a record was imported from, and the line where its text begins; null if there is none. */
  declare readonly findFile: Methods['findFile']
  /** Exports everything that cannot be derived, as lines of text, from one snapshot. See docs/backup.md. */
  declare readonly exportAll: Methods['exportAll']
  /** Imports the lines of `exportAll` with their ids and times. Skips lines that are stored already. */
  declare readonly importAll: Methods['importAll']
  /** Copies one snapshot of the file while others write. */
  declare readonly backup: Methods['backup']
  /** Copies everything to another file or `postgres://` database, with its vectors. Can be interrupted and continued. */
  declare readonly copy: Methods['copy']

  /** Makes the missing vectors. With a configuration, makes all vectors of another model, which then becomes the active one. */
  declare readonly embed: Methods['embed']
  /** The embedding models of the file. */
  declare readonly models: Methods['models']
  /** Deletes the vectors of a model that is not active. */
  declare readonly removeModel: Methods['removeModel']

  /** Counts records, vectors and more. */
  declare readonly stats: Methods['stats']
  /** Records over time, by kind and sector, their salience, and how often they were recalled. */
  declare readonly overview: Methods['overview']
  /** Looks for damage; with `repair` rebuilds the index and everything derived, then looks again. */
  declare readonly doctor: Methods['doctor']
  /** Makes a file that was changed much quick and small again. No answer changes. */
  declare readonly optimize: Methods['optimize']
  /** Before a program ends: makes every search with a time limit answer at once with the hits so far. */
  declare readonly stopSearches: () => void
  /** The figures of a server for monitoring, over all namespaces. */
  declare readonly figures: Methods['figures']
  /** For servers: stops the reads of `work` at the time limit or at the signal. A search then answers with the hits so far. */
  declare readonly limited: Methods['limited']
  /** Waits until every recall is written, then closes the file. */
  declare readonly close: () => Promise<void>

  readonly #storage: Storage

  constructor(storage: Storage, members: Members) {
    this.#storage = storage
    Object.assign(this, members)
  }

  /** False once the file was deleted or replaced: every operation fails then (`file_changed`) until it is opened again. */
  get isInPlace(): boolean {
    return this.#storage.file?.isInPlace() ?? true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
