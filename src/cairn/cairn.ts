/** The Cairn class: everything a user can do with an open file. `open.ts` builds it from the modules beside it. */

import type { Caller } from '../core/caller.js'
import type { MirrorInput } from '../schemas/record-requests.js'
import type { Storage } from '../storage/storage.js'
import type { Archive, BackupAnswer, BackupOptions } from './archive.js'
import type { Ask } from './ask.js'
import type { Briefings } from './briefing.js'
import type { CopyOptions, CopyReport } from './copy.js'
import type { Explore } from './explore.js'
import type { Facts } from './facts.js'
import type { History } from './history.js'
import type { Imports } from './import.js'
import type { Lenses } from './lenses.js'
import type { Links } from './links.js'
import type { Maintenance } from './maintenance.js'
import type { MirrorReport, MirrorWatchOptions } from './mirror.js'
import type { Models } from './models.js'
import type { Online } from './openalex.js'
import type { Records } from './records.js'
import type { Searches } from './search.js'
import type { Sessions } from './sessions.js'
import type { Timeline } from './timeline.js'
import type { Tokens } from './tokens.js'
import type { Watch } from './watch.js'
import type { Works } from './works.js'

export type Methods = Omit<Cairn, 'isInPlace' | typeof Symbol.asyncDispose>

/**
 * An open Cairn file. An id may be shortened to any prefix of eight characters or more that names one record; a work is
 * also named by its DOI, OpenAlex id, arXiv id or citation key.
 */
export class Cairn {
  /** The path of the file, as it was given. */
  declare readonly file: string
  /** The namespace that is written to. */
  declare readonly namespace: string
  /** Who uses it: its owner, or the token that `as` was given. */
  declare readonly caller: Caller
  declare readonly sessions: Sessions
  declare readonly links: Links
  declare readonly facts: Omit<Facts, 'ofNew'>
  declare readonly lenses: Lenses
  declare readonly works: Works
  /** Works from OpenAlex. This is the only part that uses the network, and only when it is called. */
  declare readonly openalex: Online
  /** Who may use a server of this file. */
  declare readonly tokens: Omit<Tokens, 'close'>
  /**
   * The same file for another caller: pinned to one of its namespaces (default: its first), and everything that is
   * written carries its name. Whoever runs an operation checks the role.
   */
  declare readonly as: (caller: Caller, namespace?: string) => Cairn

  /** Adds one record and lists its near-duplicates. */
  declare readonly add: Records['add']
  /** Adds all records or, if one is refused, none. Does not look for near-duplicates. */
  declare readonly addMany: Records['addMany']
  /** Reads records by id and names the ids that are missing. */
  declare readonly get: Records['get']
  /** Lists the records that pass a filter, a page at a time. */
  declare readonly list: Records['list']
  /** Changes a record and keeps the earlier version. With a session, the edit is noted there. */
  declare readonly edit: Records['edit']
  /** Hides records everywhere until they are restored or purged. */
  declare readonly delete: Records['delete']
  /** Brings deleted records back. */
  declare readonly restore: Records['restore']
  /** Removes records for good: from the table, the index, the vectors and the bytes of the file. */
  declare readonly purge: Records['purge']
  /** Makes records more salient: s + amount · (1 − s). */
  declare readonly reinforce: Records['reinforce']
  /** Makes records less salient, never below 0.05. */
  declare readonly deemphasize: Records['deemphasize']
  /** The shortest prefixes that still name each record alone. */
  declare readonly shorten: Records['shorten']

  /**
   * Finds records; `cairn.search('words')` is short for `cairn.search({ query: 'words' })`. With `recallSession` the
   * hits are linked to the session, logged and reinforced.
   */
  declare readonly search: Searches['search']
  /** The same search over documents alone; also `cairn.searchDocuments('words', 'project', 5)`. */
  declare readonly searchDocuments: Searches['searchDocuments']
  /**
   * Answers a question with the language model that `openCairn({ llm })` names; every sentence is checked against the
   * passages that it cites. Without a model it returns the passages alone. See docs/answers.md.
   */
  declare readonly ask: Ask
  /** Notes an answer as a recall in a session, for an interface that shows only a part of the hits it asked for. */
  declare readonly recall: Searches['recall']
  /** The records nearest to this one by its vector, without the record itself. */
  declare readonly similar: Searches['similar']

  /** The earlier versions of a record. */
  declare readonly history: History['history']
  /** Restores a record as it was before its last edit, or as it was in the revision of that number. */
  declare readonly undo: History['undo']
  /** Ends the validity of the older record and puts the newer one in its place. */
  declare readonly supersede: History['supersede']
  /** Where a record came from, who recalled it for which queries, and what corrected it. */
  declare readonly why: History['why']
  /** Runs logged queries again and says what moved. Writes nothing. */
  declare readonly replay: History['replay']
  /** The latest session that touched a record, how, and how many records it holds; null if none did. */
  declare readonly sessionContext: Sessions['contextOf']
  /** Records in the order of time: around an anchor, or over a range of dates. */
  declare readonly timeline: Timeline
  /** Who wrote, purged and exported what, newest first. */
  declare readonly log: History['log']
  /** What to know at the start of a conversation, within a token budget. */
  declare readonly briefing: Briefings
  /** Starts from a query or a work and follows the stored citations. */
  declare readonly explore: Explore

  /** Imports notes, conversations, mail, PDFs and more; a second run imports what changed. See docs/import.md. */
  declare readonly import: Imports['import']
  /** Imports a folder again whenever it changes, until it is stopped. */
  declare readonly watch: Imports['watch']
  /** Keeps records as Markdown files that people edit, in both directions. See docs/mirror.md. */
  declare readonly mirror: (folder: string, options?: MirrorInput) => Promise<MirrorReport>
  /** Does so again whenever the folder or a record changes, until it is stopped. */
  declare readonly watchMirror: (
    folder: string,
    options?: MirrorWatchOptions,
  ) => Promise<Watch<MirrorReport>>
  /** The file that a record was imported from, and the line where its text begins; null where there is none. */
  declare readonly findFile: Imports['findFile']
  /** Everything that cannot be derived, as lines of text, from one snapshot of the file. See docs/backup.md. */
  declare readonly exportAll: Archive['exportAll']
  /** Reads the lines of `exportAll` into this file, with their ids and times. A line that is stored already is skipped. */
  declare readonly importAll: Archive['importAll']
  /** Copies one snapshot of the file while others write. */
  declare readonly backup: (file: string, options?: BackupOptions) => Promise<BackupAnswer>
  /** Copies everything to another file or `postgres://` database, with its vectors; started again, it goes on. */
  declare readonly copy: (to: string, options?: CopyOptions) => Promise<CopyReport>

  /**
   * Makes the vectors that are missing. With a configuration, makes all vectors of another model, which becomes active
   * once it has embedded every record; until then searches use the old one.
   */
  declare readonly embed: Models['embed']
  /** The embedding models of the file. */
  declare readonly models: Models['models']
  /** Deletes the vectors of a model that is not active. */
  declare readonly removeModel: Models['removeModel']

  /** Counts records, vectors and more. */
  declare readonly stats: Maintenance['stats']
  /** Records over time, by kind and sector, their salience, and how often they were recalled. */
  declare readonly overview: Maintenance['overview']
  /** Looks for damage; with `repair` rebuilds the index and everything derived, then looks again. */
  declare readonly doctor: Maintenance['doctor']
  /** Makes a file that was changed much quick and small again. No answer changes. */
  declare readonly optimize: Maintenance['optimize']
  /** Before a program ends: searches with a time limit, running ones and later ones, answer at once with what they have. */
  declare readonly stopSearches: () => void
  /** What a server tells those who watch it: counted quickly, for all namespaces. */
  declare readonly figures: Maintenance['figures']
  /**
   * For servers: whatever `work` reads stops when `timeLimitMs` is used up, or when the signal says that the caller is gone.
   * A search answers with what it has; anything else fails with `too_expensive` or `cancelled`.
   */
  declare readonly limited: Searches['limited']
  /** Waits until every recall is written, then closes the file. */
  declare readonly close: () => Promise<void>

  readonly #storage: Storage

  constructor(storage: Storage, methods: Methods) {
    this.#storage = storage
    Object.assign(this, methods)
  }

  /** False once the file was deleted or replaced: every operation fails then (`file_changed`) until it is opened again. */
  get isInPlace(): boolean {
    return this.#storage.file?.isInPlace() ?? true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
