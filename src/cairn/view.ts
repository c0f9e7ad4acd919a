/** Builds the modules of a Cairn over what is open: once for its owner, and once for each other caller and namespace. */

import { hostname, uptime } from 'node:os'
import process from 'node:process'
import { type Caller, OWNER } from '../core/caller.js'
import { isAlive } from '../core/draft.js'
import { CairnError } from '../core/errors.js'
import type { SessionOwner } from '../core/record.js'
import type { SearchDefaults } from '../schemas/search-request.js'
import type { AnswerFromCache } from '../search/cache.js'
import type { Storage } from '../storage/storage.js'
import type { Archive } from './archive.js'
import { createBriefing } from './briefing.js'
import { Cairn, type Methods } from './cairn.js'
import type { CopyParts } from './copy.js'
import { createExplore } from './explore.js'
import { createFacts } from './facts.js'
import { createHistory } from './history.js'
import type { Imports } from './import.js'
import { createLenses } from './lenses.js'
import { createLinks } from './links.js'
import { createMaintenance } from './maintenance.js'
import { createModels } from './models.js'
import { createOnline, type OpenAlexConfig } from './openalex.js'
import { createRecords } from './records.js'
import type { Reranking } from './rerank.js'
import { type Context, createScope } from './scope.js'
import { createSearch } from './search.js'
import { createSessions } from './sessions.js'
import { createTimeline } from './timeline.js'
import type { Tokens } from './tokens.js'
import { createWorks } from './works.js'

/** What all callers share. */
export type Shared = Omit<Context, 'scope'> &
  Pick<CopyParts, 'file' | 'openTarget'> & {
    readonly defaults: SearchDefaults
    readonly answerFromCache: AnswerFromCache
    readonly timeLimitMs: number | null
    readonly openAlex: OpenAlexConfig
  }

/** The namespace of writes that name none; nothing outside of it is seen where it is `pinned`. */
type Home = { readonly namespace: string; readonly pinned: boolean }

export function createViews(shared: Shared, home: Home): Cairn {
  const views = new Map<string, Cairn>()
  let opened: Promise<Tokens> | null = null
  const openTokens = (): Promise<Tokens> => {
    opened ??= import('./tokens.js').then(({ createTokens }) => createTokens(shared))
    return opened
  }
  let reranking: Promise<Reranking> | null = null
  const loadReranking = (): Promise<Reranking> => {
    reranking ??= import('./rerank.js').then(({ createReranking }) => createReranking(shared.chat))
    return reranking
  }
  const close = async (): Promise<void> => {
    await shared.recalls.written()
    await (await opened)?.close()
    await shared.indexer.close()
    await (await reranking)?.close()
    await shared.storage.close()
  }
  const as = (caller: Caller, namespace?: string): Cairn => {
    const seen = chooseHome(home, caller, namespace)
    const key = JSON.stringify([caller, seen])
    const known = views.get(key)
    if (known !== undefined) return known
    const methods = createMethods({ ...shared, openTokens, loadReranking, caller }, seen)
    const { name } = caller
    const signed = name === null ? methods : signMethods(shared.storage, name, methods)
    const { stopSearches } = shared.storage
    const view = new Cairn(shared.storage, { ...signed, caller, as, stopSearches, close })
    views.set(key, view)
    return view
  }
  return as(OWNER)
}

/** A caller with namespaces of its own is pinned to the one that is asked for, or to its first. */
function chooseHome(home: Home, { namespaces }: Caller, asked: string | undefined): Home {
  if (namespaces === null) return home
  const visible = namespaces.filter((one) => !home.pinned || one === home.namespace)
  const namespace = visible.find((one) => one === asked) ?? visible[0]
  if (namespace !== undefined) return { namespace, pinned: true }
  throw new CairnError('outside_namespace', {
    message: `Only the namespace "${home.namespace}" is accessible here, and the token has others.`,
    hint: 'Use a token of this namespace.',
  })
}

type Signable = ReturnType<typeof createMethods>

/** Whatever the methods write carries the name of the caller. */
function signMethods(storage: Storage, author: string, methods: Signable): Signable {
  const sign = (one: unknown): unknown => {
    if (typeof one === 'function') {
      return (...given: unknown[]) => storage.signed(author, async () => one(...given))
    }
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, sign(part)]))
  }
  return {
    ...(sign(methods) as Signable),
    async *exportAll(input) {
      const lines = methods.exportAll(input)
      for (;;) {
        const { done, value } = await storage.signed(author, () => lines.next())
        if (done) return
        yield value
      }
    },
  }
}

/** What is loaded when it is first used, once for all callers. */
type Loaders = {
  readonly caller: Caller
  readonly openTokens: () => Promise<Tokens>
  readonly loadReranking: () => Promise<Reranking>
}

function createMethods(shared: Shared & Loaders, { namespace, pinned }: Home) {
  const { storage, file, now, decay, recalls, defaults, timeLimitMs, openTokens, caller } = shared
  const scope = createScope({ storage, namespace, pinned, now, decay })
  const context: Context = { ...shared, scope }
  const self = { host: hostname(), pid: process.pid }
  const sessions = createSessions(context, self, (owner, since) =>
    isOwnerAlive(owner, since, now()),
  )
  const lenses = createLenses(context, defaults)
  const { ofNew, ...facts } = createFacts(context)
  const { change, addChecked, ...records } = createRecords(context, sessions, ofNew)
  const searches = createSearch(context, { ...shared, sessions, lenses })
  const { search } = searches
  const models = createModels(context)
  const works = createWorks(context)
  const openalex = createOnline(shared.openAlex, works, { pinned })
  // What imports and archives is loaded when it is first used: a search does not pay for it.
  const settled = () => recalls.written()
  const loadArchive = async (): Promise<Archive> => {
    const { createArchive } = await import('./archive.js')
    return createArchive({ ...context, settled })
  }
  const loadImport = async (): Promise<Imports> => {
    const { createImport } = await import('./import.js')
    const archive = await loadArchive()
    return createImport({ ...context, caller, archive, importWorks: works.import, timeLimitMs })
  }
  const manageTokens = (): Promise<Tokens> => {
    scope.assertUnpinned('Tokens are for')
    return openTokens()
  }
  const history = createHistory(context, { change, search, sessions })
  const mirrorParts = { ...context, ...records, addChecked, history: history.history }
  return {
    file,
    namespace,
    sessions,
    lenses,
    works,
    openalex,
    links: createLinks(context),
    facts,
    tokens: {
      add: async (input) => (await manageTokens()).add(input),
      list: async () => (await manageTokens()).list(),
      revoke: async (name) => (await manageTokens()).revoke(name),
      find: async (key) => (await openTokens()).find(key),
      any: async () => (await openTokens()).any(),
    },
    timeline: createTimeline(context),
    briefing: createBriefing(context, records.list),
    explore: createExplore(context, searches, { findWork: works.get, online: openalex }),
    sessionContext: sessions.contextOf,
    ...records,
    ...searches,
    async ask(input, options) {
      const { createAsk } = await import('./ask.js')
      return createAsk(context, searches, defaults.rerank)(input, options)
    },
    ...history,
    ...models,
    ...createMaintenance(context, { ...shared, rerank: defaults.rerank }),
    import: async (path, input) => (await loadImport()).import(path, input),
    watch: async (folder, input) => (await loadImport()).watch(folder, input),
    async mirror(folder, input) {
      const { mirrorFolder } = await import('./mirror.js')
      return mirrorFolder(mirrorParts, folder, input)
    },
    async watchMirror(folder, input) {
      const { watchMirror } = await import('./mirror.js')
      return watchMirror(mirrorParts, folder, input)
    },
    findFile: async (id) => (await loadImport()).findFile(id),
    async *exportAll(input) {
      yield* (await loadArchive()).exportAll(input)
    },
    importAll: async (lines, input) => (await loadArchive()).importAll(lines, input),
    backup: async (target, input = {}) => (await loadArchive()).backup(target, input),
    async copy(target, input) {
      const { copyTo } = await import('./copy.js')
      const { openTarget } = shared
      return copyTo({ ...context, settled, file, openTarget }, target, input)
    },
  } satisfies Omit<Methods, 'as' | 'caller' | 'stopSearches' | 'close'>
}

/** Nothing is known of another machine. Here a process is gone if the machine was restarted since, or if its id is unused. */
function isOwnerAlive({ host, pid }: SessionOwner, sinceMs: number, nowMs: number): boolean {
  if (host !== hostname()) return true
  return sinceMs >= nowMs - uptime() * 1000 && isAlive(pid)
}
