/** Fetches works from OpenAlex, only when a method is called, and imports them like any other works. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { Work } from '../core/work.js'
import type { Direction } from '../literature/explore.js'
import { readIdentifier } from '../literature/identifiers.js'
import type { OpenAlex, OpenAlexCounts, OpenAlexOptions } from '../literature/openalex/openalex.js'
import { assertList, assertNames, check } from '../schemas/check.js'
import * as requests from '../schemas/work-requests.js'
import type { ImportAnswer, ImportOptions, ImportOutcome } from './import-works.js'
import type { Context } from './scope.js'
import type { StoredWork, Works } from './works.js'

/** The settings of the client; a key comes from the environment alone. */
export type OpenAlexConfig = Pick<OpenAlexOptions, 'baseUrl' | 'apiKey'> & {
  readonly mailto?: string | null
  readonly cacheDir?: string | null
}

export type ImportedWork = Pick<ImportOutcome, 'id' | 'state'> &
  Pick<Work, 'title' | 'year' | 'doi' | 'openAlexId'>

export type OnlineAnswer = Omit<ImportAnswer, 'outcomes'> & {
  /** In the order in which OpenAlex returned them. */
  readonly works: readonly ImportedWork[]
  readonly missing: readonly string[]
  readonly asked: OpenAlexCounts
}

/** The namespace and tags of the stored works. */
export type OnlineOptions = Pick<ImportOptions, 'namespace' | 'tags'>

/** How many neighbours of a work are fetched in each direction while exploring, the most cited first. */
export const ONLINE_NEIGHBOURS = 25
/** How many works of a hop are fetched, the most relevant first. */
export const ONLINE_FRONTIER = 10

type Neighbours = Readonly<Record<Direction, boolean>> & { readonly limit: number }

export type Online = ReturnType<typeof createOnline>

/** A pinned caller must not learn what others requested before, so a cached response counts as a request. */
export function createOnline(
  { openAlex: config, scope }: Context,
  works: Pick<Works, 'import' | 'get'>,
) {
  const isPinned = scope.pinnedNamespace !== null
  let opened: Promise<OpenAlex> | null = null
  /** One client for all calls, so that they share one rate limit. */
  const open = (): Promise<OpenAlex> => {
    opened ??= import('../literature/openalex/openalex.js').then(({ createOpenAlex }) =>
      createOpenAlex({ mailto: null, cacheDir: null, ...config }),
    )
    return opened
  }

  const fetchAndImport = async (
    where: OnlineOptions,
    fetchWorks: (
      openAlex: OpenAlex,
    ) => Promise<{ readonly works: readonly Work[]; readonly missing?: readonly string[] }>,
  ): Promise<OnlineAnswer> => {
    assertNames(where, ['namespace', 'tags'])
    const openAlex = await open()
    const before = openAlex.counts()
    const { works: fetched, missing = [] } = await fetchWorks(openAlex)
    const target = { ...where, source: 'openalex' }
    const { outcomes, ...counts } = await works.import(fetched, target)
    const { requests: sent, fromCache, skipped } = openAlex.counts()
    const answered = fromCache - before.fromCache
    return {
      works: fetched.map(({ title, year, doi, openAlexId }, i) => {
        const { id = '' as RecordId, state = 'unchanged' } = outcomes[i] ?? {}
        return { id, title, year, doi, openAlexId, state }
      }),
      ...counts,
      missing,
      asked: {
        requests: sent - before.requests + (isPinned ? answered : 0),
        fromCache: isPinned ? 0 : answered,
        skipped: skipped - before.skipped,
      },
    }
  }

  /** The identifier by which OpenAlex knows a work; a stored work may be named by its id or key. */
  const identify = async (text: string): Promise<string> => {
    if (readIdentifier(text) !== null) return text
    const stored = await works.get(text)
    if (stored === null) return text
    const identifier = identifierOf(stored.work)
    if (identifier !== null) return identifier
    throw badInput(
      `"${stored.work.title.slice(0, 100)}" has no DOI, OpenAlex id or arXiv id.`,
      'OpenAlex can only be asked about works that have one: add it, or search by the title.',
    )
  }

  /** The work itself comes first: the others cite it by its OpenAlex id. */
  const fetchNeighbours = async (
    openAlex: OpenAlex,
    identifier: string,
    { limit, references, citations }: Neighbours,
  ): Promise<readonly Work[] | null> => {
    const work = await openAlex.work(identifier)
    if (work === null) return null
    return [
      work,
      ...(references ? await openAlex.references(work, limit) : []),
      ...(citations ? await openAlex.citations(work, limit) : []),
    ]
  }

  return {
    /** Works by DOI, OpenAlex id or arXiv id, in any written form. */
    get: (names: readonly string[], where: OnlineOptions = {}): Promise<OnlineAnswer> =>
      fetchAndImport(where, async (openAlex) => {
        assertList('ids', names)
        const ids = await Promise.all(names.map(identify))
        const found = await Promise.all(ids.map((id) => openAlex.work(id)))
        return {
          works: found.filter((work) => work !== null),
          missing: names.filter((_, i) => (found[i] ?? null) === null),
        }
      }),

    /** The works that OpenAlex finds for some words, the most relevant first. */
    search: async (
      query: string,
      { namespace, tags, ...input }: requests.OnlineSearchInput & OnlineOptions = {},
    ): Promise<OnlineAnswer> => {
      const { limit, since } = check(requests.onlineSearch, input)
      const options = { limit, ...(since !== undefined && { fromDate: since }) }
      return fetchAndImport({ namespace, tags }, async (openAlex) => ({
        works: await openAlex.search(query, options),
      }))
    },

    /** A work with the works it cites and those that cite it. */
    expand: async (
      name: string,
      { namespace, tags, ...input }: requests.OnlineExpandInput & OnlineOptions = {},
    ): Promise<OnlineAnswer> => {
      const which = check(requests.onlineExpand, input)
      return fetchAndImport({ namespace, tags }, async (openAlex) => {
        const found = await fetchNeighbours(openAlex, await identify(name), which)
        return found === null ? { works: [], missing: [name] } : { works: found }
      })
    },

    /** Imports the neighbours of these works; works without an identifier are ignored. */
    async fetchAround(stored: readonly StoredWork[], direction: Direction) {
      const openAlex = await open()
      let created = 0
      for (const { record, work } of stored) {
        const identifier = identifierOf(work)
        if (identifier === null) continue
        try {
          const found = await fetchNeighbours(openAlex, identifier, {
            limit: ONLINE_NEIGHBOURS,
            references: direction === 'references',
            citations: direction === 'citations',
          })
          const { namespace } = record
          created += (await works.import(found ?? [], { namespace, source: 'openalex' })).created
        } catch (error) {
          if (!(error instanceof CairnError) || error.code !== 'service_unavailable') throw error
          return { created, failure: error }
        }
      }
      return { created, failure: null }
    },
  }
}

/** The identifier by which OpenAlex is most likely to know a work. */
function identifierOf({ openAlexId, doi, arxivId }: Work): string | null {
  return openAlexId ?? doi ?? (arxivId === null ? null : `arXiv:${arxivId}`)
}
