/** Decides which records a caller means and whether they are in scope: in the pinned namespace, if there is one. */

import type { Caller } from '../core/caller.js'
import { badInput, CairnError, noRecord } from '../core/errors.js'
import type { Filter } from '../core/filter.js'
import { parseId, parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../core/ids.js'
import type { Log } from '../core/log.js'
import type { CairnRecord } from '../core/record.js'
import type { Indexer } from '../embedding/indexer.js'
import { printIdentifier, readIdentifier } from '../literature/identifiers.js'
import { assertList, assertText } from '../schemas/check.js'
import { buildFilter, type FilterRequest, type SearchDefaults } from '../schemas/search-request.js'
import type { AnswerFromCache } from '../search/cache.js'
import type { Storage } from '../storage/storage.js'
import type { IdentifiedWork } from '../storage/works.js'
import type { Chat } from './chat.js'
import type { ModelMemory } from './model-memory.js'
import type { OpenAlexConfig } from './openalex.js'
import type { Recalls } from './recalls.js'
import type { Reranking } from './rerank.js'

/** Everything that all callers share. */
export type Shared = {
  readonly storage: Storage
  /** The path of the file, or the address of the database without a password. */
  readonly file: string
  readonly indexer: Indexer
  /** The language model; null if none is configured. */
  readonly chat: Chat | null
  /** Facts and summaries by the language model; null if the rules make them alone. */
  readonly loadModelMemory: (() => Promise<ModelMemory>) | null
  readonly recalls: Recalls
  readonly log: Log
  readonly now: () => number
  /** Milliseconds with fractions, for durations. */
  readonly timer: () => number
  readonly decay: number
  readonly defaults: SearchDefaults
  readonly answerFromCache: AnswerFromCache
  readonly timeLimitMs: number | null
  readonly openAlex: OpenAlexConfig
  /** Opens the storage that a copy is written to. */
  readonly openTarget: (address: string) => Promise<{ storage: Storage; file: string }>
}

/** The context of one caller. */
export type Context = Shared & {
  readonly scope: Scope
  readonly caller: Caller
  readonly loadReranking: () => Promise<Reranking>
}

export type Scope = ReturnType<typeof createScope>

/** The namespace of writes that name none. If it is `pinned`, nothing outside of it is in scope. */
export type Home = { readonly namespace: string; readonly pinned: boolean }

export function createScope(
  { storage, now, decay }: Pick<Shared, 'storage' | 'now' | 'decay'>,
  { namespace, pinned }: Home,
) {
  const includes = (asked: string): boolean => !pinned || asked === namespace
  const contains = (record: CairnRecord): boolean => includes(record.namespace)

  const assertContains = (asked: string): void => {
    if (includes(asked)) return
    throw new CairnError('outside_namespace', {
      message: `Only the namespace "${namespace}" is accessible here, not "${asked}".`,
      hint: 'Omit the namespace, or open the file without `pinned`; on a server, ask for a token with that namespace.',
    })
  }

  /** For operations on the whole file; `what` is the subject and verb of the message. */
  const assertUnpinned = (what: string): void => {
    if (!pinned) return
    throw new CairnError('outside_namespace', {
      message: `${what} every namespace, and only "${namespace}" is accessible here.`,
      hint: 'Open the file without `pinned`, or use a token of every namespace.',
    })
  }

  /** The record whose id begins with this text, or null. */
  const findByPrefix = async (text: string): Promise<RecordId | null> => {
    const prefix = parseIdPrefix(text)
    if (prefix === null || prefix.length < SHORTEST_PREFIX) return null
    const resolution = await storage.resolve(prefix, pinned ? namespace : null)
    if (resolution.kind === 'ambiguous') {
      throw new CairnError('ambiguous_id', {
        message: `Several records have ids that begin with "${text}": ${resolution.ids.join(', ')}.`,
        hint: 'Give more characters of the id.',
      })
    }
    return resolution.kind === 'found' ? resolution.id : null
  }

  /**
   * The work that has this DOI, OpenAlex id, arXiv id or citation key, or null. An identifier counts before a key, the
   * namespace that is written to before others, a work that exists before one that was deleted.
   */
  const findByName = async (text: string): Promise<RecordId | null> => {
    const identifier = readIdentifier(text)
    const key = `key:${text.trim().replace(/^key:\s*/i, '')}`
    for (const name of [...(identifier === null ? [] : [printIdentifier(identifier)]), key]) {
      for (const deleted of [false, true]) {
        const named = await storage.works.find(pinned ? namespace : null, [name], { deleted })
        const found = chooseWork(text, named)
        if (found !== null) return found
      }
    }
    return null
  }

  const chooseWork = (text: string, named: readonly IdentifiedWork[]): RecordId | null => {
    const here = named.filter((one) => one.namespace === namespace)
    const nearest = here.length > 0 ? here : named
    const current = nearest.filter(({ isSuperseded }) => !isSuperseded)
    const [first, second] = current
    if (second === undefined) return (first ?? nearest[0])?.id ?? null
    const ids = current.map((one) => `${one.id} in "${one.namespace}"`)
    throw new CairnError('ambiguous_id', {
      message: `Several works are known as "${text}": ${ids.join(', ')}.`,
      hint: 'Give the id of one of them.',
    })
  }

  /** The record with this id, a prefix of it, or another name; null if there is none. */
  const findId = async (text: string): Promise<RecordId | null> => {
    assertText('id', text)
    return (await findByPrefix(text)) ?? (await findByName(text))
  }

  const findIds = async (texts: readonly string[]): Promise<readonly (RecordId | null)[]> => {
    assertList('ids', texts)
    return Promise.all(texts.map(findId))
  }

  /** A whole id may name a record that is gone; a prefix must name one that exists. */
  const nameAll = (texts: readonly string[]): Promise<RecordId[]> =>
    Promise.all(
      texts.map(async (text) => {
        const id = parseId(text) ?? (await findId(text))
        if (id === null) throw noRecord(text)
        return id
      }),
    )

  /** All of these records, each in the state asked for. The error names the first that is not. */
  const findAll = async (texts: readonly string[], state: 'live' | 'deleted' | 'any') => {
    const ids = await findIds(texts)
    const known = ids.filter((id) => id !== null)
    const records = await storage.get(known, { deleted: true })
    const byId = new Map(records.map((record) => [record.id, record]))
    return texts.map((text, i) => {
      const record = byId.get(ids[i] ?? ('' as RecordId))
      if (record === undefined || !contains(record)) throw noRecord(text)
      const isDeleted = record.deletedAt !== null
      if (state === 'live' && isDeleted) {
        throw new CairnError('not_found', {
          message: `The record "${text}" was deleted.`,
          hint: `Bring it back with \`cairn restore ${text}\`.`,
        })
      }
      if (state === 'deleted' && !isDeleted) {
        throw badInput(
          `The record "${text}" is not deleted.`,
          '`cairn list --deleted` shows what can be restored.',
        )
      }
      return record
    })
  }

  return {
    namespace,
    pinnedNamespace: pinned ? namespace : null,
    contains,
    includes,
    assertContains,
    assertUnpinned,
    findId,
    findIds,
    findAll,

    async findOne(text: string, state: 'live' | 'any' = 'live'): Promise<CairnRecord> {
      assertText('id', text)
      const [record] = await findAll([text], state)
      if (record === undefined) throw noRecord(text)
      return record
    },

    /** The namespaces to look in, of those asked for; null means all. */
    narrow(asked: readonly string[] | undefined): readonly string[] | null {
      for (const one of asked ?? []) assertContains(one)
      return asked ?? (pinned ? [namespace] : null)
    },

    /** The filter of a request, with whole ids, limited to records in scope. */
    async filter(request: Parameters<typeof buildFilter>[0] & FilterRequest): Promise<Filter> {
      const ids = {
        ...(request.ids?.in && { in: await nameAll(request.ids.in) }),
        ...(request.ids?.out && { out: await nameAll(request.ids.out) }),
      }
      const filter = buildFilter(request, ids, { nowMs: now(), decay })
      if (!pinned) return filter
      for (const asked of filter.namespaces ?? []) assertContains(asked)
      if (filter.includeGlobal) assertContains('every namespace')
      return { ...filter, namespaces: [namespace], isPinned: true }
    },
  }
}
