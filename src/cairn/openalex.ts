/** OpenAlex is asked only when somebody asks for it, and what it tells is imported like any other work. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { Work } from '../core/work.js'
import { readIdentifier } from '../literature/identifiers.js'
import type { OpenAlex, OpenAlexCounts, OpenAlexOptions } from '../literature/openalex/openalex.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/work-requests.js'
import type { StoredWork } from './find-works.js'
import type { ImportAnswer, ImportOptions } from './import-works.js'

/** How OpenAlex is reached; a key comes from the environment alone. */
export type OpenAlexConfig = Pick<OpenAlexOptions, 'baseUrl' | 'apiKey'> & {
  readonly mailto?: string | null
  readonly cacheDir?: string | null
}

export type OnlineParts = {
  readonly config: OpenAlexConfig
  readonly importWorks: (works: readonly Work[], options: ImportOptions) => Promise<ImportAnswer>
  readonly findWork: (text: string) => Promise<StoredWork | null>
}

export type ImportedWork = {
  readonly id: RecordId
  readonly title: string
  readonly year: number | null
  readonly doi: string | null
  readonly openAlexId: string | null
  readonly state: 'created' | 'updated' | 'unchanged'
}

export type OnlineAnswer = {
  /** In the order in which OpenAlex told them. */
  readonly works: readonly ImportedWork[]
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  /** How many works have a field that is stored otherwise; what is stored was kept. */
  readonly conflicts: number
  /** What was asked for and OpenAlex does not know. */
  readonly missing: readonly string[]
  /** What went out over the network. */
  readonly asked: OpenAlexCounts
}

/** Where the works go. */
export type OnlineOptions = {
  readonly namespace?: string | undefined
  readonly tags?: readonly string[] | undefined
}

/** What of the works around one is brought in while exploring; the best known of those that cite it. */
export const ONLINE_NEIGHBOURS = 25
/** How many works of a hop are asked for, the most relevant first. */
export const ONLINE_FRONTIER = 10

export type Online = ReturnType<typeof createOnline>

export function createOnline({ config, importWorks, findWork }: OnlineParts) {
  let opened: Promise<OpenAlex> | null = null
  /** One connection for all calls, so that the pace holds over all of them. */
  const open = (): Promise<OpenAlex> => {
    opened ??= import('../literature/openalex/openalex.js').then(({ createOpenAlex }) =>
      createOpenAlex({
        mailto: config.mailto ?? null,
        apiKey: config.apiKey ?? null,
        cacheDir: config.cacheDir ?? null,
        ...(config.baseUrl === undefined ? {} : { baseUrl: config.baseUrl }),
      }),
    )
    return opened
  }

  const keep = async (
    openAlex: OpenAlex,
    works: readonly Work[],
    { before, missing, namespace, tags }: OnlineOptions & Kept,
  ): Promise<OnlineAnswer> => {
    const where = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(tags === undefined ? {} : { tags }),
    }
    const answer = await importWorks(works, { ...where, source: 'openalex' })
    return toAnswer(works, answer, { missing, asked: since(before, openAlex.counts()) })
  }

  /** As OpenAlex names works; one that is stored may be called by its id or its key. */
  const nameOf = async (text: string): Promise<string> => {
    if (readIdentifier(text) !== null) return text
    const stored = await findWork(text)
    if (stored === null) return text
    const name = identifierIn(stored.work)
    if (name !== null) return name
    throw badInput(
      `"${stored.work.title.slice(0, 100)}" has no DOI, OpenAlex id or arXiv id.`,
      'OpenAlex can only be asked about works that have one: add it, or search by the title.',
    )
  }

  /** The work itself first: by its OpenAlex id the others lead to it. */
  const around = async (
    openAlex: OpenAlex,
    name: string,
    { limit, references, citations }: Neighbours,
  ): Promise<readonly Work[] | null> => {
    const work = await openAlex.work(name)
    if (work === null) return null
    return [
      work,
      ...(references ? await openAlex.references(work, limit) : []),
      ...(citations ? await openAlex.citations(work, limit) : []),
    ]
  }

  return {
    /** Works by DOI, OpenAlex id or arXiv id, in any written form. */
    async get(names: readonly string[], where: OnlineOptions = {}): Promise<OnlineAnswer> {
      const openAlex = await open()
      const before = openAlex.counts()
      const ids = await Promise.all(names.map(nameOf))
      const found = await Promise.all(ids.map((id) => openAlex.work(id)))
      const missing = names.filter((_, i) => (found[i] ?? null) === null)
      const works = found.filter((work) => work !== null)
      return keep(openAlex, works, { ...where, before, missing })
    },

    /** The works that OpenAlex finds for some words, the most relevant first. */
    async search(
      query: string,
      input: requests.OnlineSearchInput & OnlineOptions = {},
    ): Promise<OnlineAnswer> {
      const { namespace, tags, ...asked } = input
      const { limit, since } = check(requests.onlineSearch, asked)
      const openAlex = await open()
      const before = openAlex.counts()
      const when = since === undefined ? {} : { fromDate: since }
      const works = await openAlex.search(query, { limit, ...when })
      return keep(openAlex, works, { namespace, tags, before, missing: [] })
    },

    /** A work with those it cites and those that cite it. */
    async expand(
      name: string,
      input: requests.OnlineExpandInput & OnlineOptions = {},
    ): Promise<OnlineAnswer> {
      const { namespace, tags, ...asked } = input
      const which = check(requests.onlineExpand, asked)
      const openAlex = await open()
      const before = openAlex.counts()
      const found = await around(openAlex, await nameOf(name), which)
      const missing = found === null ? [name] : []
      return keep(openAlex, found ?? [], { namespace, tags, before, missing })
    },

    /** Brings in what is around these works; a work that OpenAlex cannot know is passed over. */
    async fetchAround(
      records: readonly { readonly record: CairnRecord; readonly work: Work }[],
      direction: 'references' | 'citations',
    ): Promise<{ readonly created: number; readonly failure: CairnError | null }> {
      const openAlex = await open()
      let created = 0
      for (const { record, work } of records) {
        const name = identifierIn(work)
        if (name === null) continue
        try {
          const found = await around(openAlex, name, {
            limit: ONLINE_NEIGHBOURS,
            references: direction === 'references',
            citations: direction === 'citations',
          })
          const { namespace } = record
          created += (await importWorks(found ?? [], { namespace, source: 'openalex' })).created
        } catch (error) {
          if (!(error instanceof CairnError) || error.code !== 'service_unavailable') throw error
          return { created, failure: error }
        }
      }
      return { created, failure: null }
    },
  }
}

type Kept = { readonly before: OpenAlexCounts; readonly missing: readonly string[] }
type Neighbours = {
  readonly limit: number
  readonly references: boolean
  readonly citations: boolean
}

function identifierIn({ openAlexId, doi, arxivId }: Work): string | null {
  return openAlexId ?? doi ?? (arxivId === null ? null : `arXiv:${arxivId}`)
}

function since(before: OpenAlexCounts, { requests: count, fromCache, skipped }: OpenAlexCounts) {
  return {
    requests: count - before.requests,
    fromCache: fromCache - before.fromCache,
    skipped: skipped - before.skipped,
  }
}

function toAnswer(
  works: readonly Work[],
  { outcomes, created, updated, unchanged, conflicts }: ImportAnswer,
  told: Pick<OnlineAnswer, 'missing' | 'asked'>,
): OnlineAnswer {
  return {
    works: works.map(({ title, year, doi, openAlexId }, i) => ({
      id: (outcomes[i]?.id ?? '') as RecordId,
      title,
      year,
      doi,
      openAlexId,
      state: outcomes[i]?.state ?? 'unchanged',
    })),
    created,
    updated,
    unchanged,
    conflicts,
    ...told,
  }
}
