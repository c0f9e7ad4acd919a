/** Builds the modules of a Cairn, once for the owner and once for each other caller and namespace. */

import { hostname, uptime } from 'node:os'
import process from 'node:process'
import { type Caller, OWNER } from '../core/caller.js'
import { isAlive } from '../core/draft.js'
import { CairnError } from '../core/errors.js'
import type { SessionOwner } from '../core/record.js'
import type { Storage } from '../storage/storage.js'
import type { ExportAllOptions } from './archive.js'
import { createBriefing } from './briefing.js'
import { Cairn } from './cairn.js'
import { createExplore } from './explore.js'
import { createFacts } from './facts.js'
import { createHistory } from './history.js'
import { createLenses } from './lenses.js'
import { createLinks } from './links.js'
import { createMaintenance } from './maintenance.js'
import { createModels } from './models.js'
import { createOnline } from './openalex.js'
import { createRecords } from './records.js'
import type { Reranking } from './rerank.js'
import { type Context, createScope, type Home, type Shared } from './scope.js'
import { createSearch } from './search.js'
import { createSessions } from './sessions.js'
import { createTimeline } from './timeline.js'
import type { Tokens } from './tokens.js'
import { createWorks } from './works.js'

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
    const scope = createScope(shared, seen)
    const methods = createMethods({ ...shared, scope, caller, loadReranking }, openTokens)
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

export type Methods = ReturnType<typeof createMethods>

/** Everything that the methods write carries the name of the caller. */
function signMethods(storage: Storage, author: string, methods: Methods): Methods {
  const sign = (one: unknown): unknown => {
    if (typeof one === 'function') {
      return (...given: unknown[]) => storage.signed(author, async () => one(...given))
    }
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, sign(part)]))
  }
  return {
    ...(sign(methods) as Methods),
    async *exportAll(options?: ExportAllOptions) {
      const lines = methods.exportAll(options)
      try {
        for (;;) {
          const { done, value } = await storage.signed(author, () => lines.next())
          if (done) return
          yield value
        }
      } finally {
        await storage.signed(author, () => lines.return())
      }
    },
  }
}

function createMethods(context: Context, openTokens: () => Promise<Tokens>) {
  const { file, scope, now } = context
  const self = { host: hostname(), pid: process.pid }
  const sessions = createSessions(context, self, (owner, since) =>
    isOwnerAlive(owner, since, now()),
  )
  const lenses = createLenses(context)
  const { ofNew, ...facts } = createFacts(context)
  const { change, addChecked, ...records } = createRecords(context, sessions, ofNew)
  const searches = createSearch(context, { sessions, lenses })
  const { search } = searches
  const models = createModels(context)
  const works = createWorks(context)
  const openalex = createOnline(context, works)
  // Imports and archives are loaded when they are first used, so that a search starts sooner.
  const loadArchive = async () => (await import('./archive.js')).createArchive(context)
  const loadImport = async () => {
    const { createImport } = await import('./import.js')
    return createImport({ ...context, archive: await loadArchive(), importWorks: works.import })
  }
  const manageTokens = (): Promise<Tokens> => {
    scope.assertUnpinned('Tokens are for')
    return openTokens()
  }
  const history = createHistory(context, { change, search, sessions })
  const loadMirror = async () => {
    const { createMirror } = await import('./mirror.js')
    return createMirror({ ...context, ...records, addChecked, history: history.history })
  }
  return {
    file,
    namespace: scope.namespace,
    sessions,
    lenses,
    works,
    openalex,
    links: createLinks(context),
    facts,
    tokens: {
      add: later(async () => (await manageTokens()).add),
      list: later(async () => (await manageTokens()).list),
      revoke: later(async () => (await manageTokens()).revoke),
      find: later(async () => (await openTokens()).find),
      any: later(async () => (await openTokens()).any),
    },
    timeline: createTimeline(context),
    briefing: createBriefing(context, records.list),
    explore: createExplore(context, searches, { findWork: works.get, online: openalex }),
    sessionContext: sessions.contextOf,
    ...records,
    ...searches,
    ask: later(async () => (await import('./ask.js')).createAsk(context, searches)),
    ...history,
    ...models,
    ...createMaintenance(context),
    import: later(async () => (await loadImport()).import),
    watch: later(async () => (await loadImport()).watch),
    findFile: later(async () => (await loadImport()).findFile),
    mirror: later(async () => (await loadMirror()).mirror),
    watchMirror: later(async () => (await loadMirror()).watch),
    async *exportAll(options?: ExportAllOptions) {
      yield* (await loadArchive()).exportAll(options)
    },
    importAll: later(async () => (await loadArchive()).importAll),
    backup: later(async () => (await loadArchive()).backup),
    copy: later(async () => (await import('./copy.js')).createCopy(context)),
  }
}

/** A method whose module is loaded when it is first called. */
function later<Given extends unknown[], Answer>(
  load: () => Promise<(...given: Given) => Promise<Answer>>,
) {
  return async (...given: Given): Promise<Answer> => (await load())(...given)
}

/** Nothing is known of another machine. Here a process is gone if the machine was restarted since, or if its id is unused. */
function isOwnerAlive({ host, pid }: SessionOwner, sinceMs: number, nowMs: number): boolean {
  if (host !== hostname()) return true
  return sinceMs >= nowMs - uptime() * 1000 && isAlive(pid)
}
