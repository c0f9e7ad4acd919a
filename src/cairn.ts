/** Promise: everything a user can do with a file, each checked at the door and done whole or not at all. */

import type { SearchAnswer } from './core/answer.js'
import { CairnError } from './core/errors.js'
import type { Filter } from './core/filter.js'
import { type RecordId, readId, readIdPrefix, SHORTEST_PREFIX } from './core/ids.js'
import type { Log } from './core/log.js'
import type { AddOutcome, CairnRecord, NewRecord, RecordChange } from './core/record.js'
import { check } from './requests/check.js'
import * as requests from './requests/record-requests.js'
import {
  type FilterRequest,
  filterOf,
  type NamedIds,
  type SearchInput,
  searchRequest,
} from './requests/search-request.js'
import { search } from './search.js'
import type { Check, PurgeOutcome, RecordPage, Statistics, Storage } from './storage/storage.js'

export type CairnParts = {
  readonly storage: Storage
  readonly file: string
  readonly namespace: string
  readonly pinned: boolean
  readonly log: Log
  readonly timer: () => number
}

export type AddAnswer = AddOutcome & { readonly nearDuplicates: readonly never[] }
export type GetAnswer = {
  readonly records: readonly CairnRecord[]
  /** What was asked for and is not there, as it was asked. */
  readonly missing: readonly string[]
}
export type StatsAnswer = Statistics & {
  readonly file: string
  readonly chunks: number
  readonly vectors: Readonly<Record<string, number>>
}
export type DoctorAnswer = {
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly repaired: boolean
}

/** An open Cairn file. Ids may be shortened to any beginning of eight characters or more that names one record. */
export class Cairn {
  readonly #parts: CairnParts
  readonly #storage: Storage

  constructor(parts: CairnParts) {
    this.#parts = parts
    this.#storage = parts.storage
  }

  async add(input: requests.RecordInput): Promise<AddAnswer> {
    const [answer] = await this.addMany([input])
    if (answer === undefined) throw new Error('one record was added and no answer came back')
    return answer
  }

  /** Adds all of them or, where one is refused, none. */
  async addMany(inputs: readonly requests.RecordInput[]): Promise<AddAnswer[]> {
    const records = inputs.map((input) => this.#newRecord(input))
    const outcomes = await this.#storage.add(records)
    this.#parts.log('info', 'add', { records: outcomes.filter(({ created }) => created).length })
    return outcomes.map((outcome) => ({ ...outcome, nearDuplicates: [] }))
  }

  async get(ids: readonly string[]): Promise<GetAnswer> {
    const resolved = await Promise.all(ids.map((id) => this.#find(id)))
    const known = resolved.filter((id) => id !== null)
    const records = (await this.#storage.get(known)).filter((record) => this.#isInReach(record))
    const found = new Set(records.map(({ id }) => id))
    const missing = ids.filter((_, i) => {
      const id = resolved[i] ?? null
      return id === null || !found.has(id)
    })
    return { records, missing }
  }

  async list(input: requests.ListInput = {}): Promise<RecordPage> {
    const request = check(requests.listRequest, input)
    const { limit, cursor, deleted } = request
    return this.#storage.list({ filter: await this.#filter(request), limit, cursor, deleted })
  }

  async edit(id: string, patch: requests.RecordPatch): Promise<CairnRecord> {
    const { occurredAt, ...rest } = check(requests.recordPatch, patch)
    if (rest.namespace !== undefined) this.#assertInReach(rest.namespace)
    const [found] = await this.#findAll([id], 'live')
    const change = occurredAt === undefined ? rest : { ...rest, occurredAtMs: occurredAt }
    const record = found && (await this.#storage.update(found, change as RecordChange))
    if (!record) throw noRecord(id)
    return record
  }

  /** Hides records everywhere, until they are restored or purged. */
  async delete(ids: readonly string[]): Promise<RecordId[]> {
    return this.#storage.softDelete(await this.#findAll(ids, 'live'))
  }

  async restore(ids: readonly string[]): Promise<RecordId[]> {
    return this.#storage.restore(await this.#findAll(ids, 'deleted'))
  }

  /** Removes records for good: from the table, the index and the bytes of the file. */
  async purge(ids: readonly string[]): Promise<PurgeOutcome> {
    return this.#storage.purge(await this.#findAll(ids, 'any'))
  }

  /** Finds records; `cairn.search('words')` is short for `cairn.search({ query: 'words' })`. */
  async search(input: string | SearchInput, options: SearchInput = {}): Promise<SearchAnswer> {
    const given = typeof input === 'string' ? { ...options, query: input } : input
    const request = check(searchRequest, given)
    const start = this.#parts.timer()
    const elapsedMs = (): number => this.#parts.timer() - start
    const filter = await this.#filter(request)
    const answer = await search({ storage: this.#storage, elapsedMs }, request, filter)
    this.#parts.log('info', 'search', {
      queryChars: request.query.length,
      mode: request.mode,
      hits: answer.hits.length,
      total: answer.total.value,
      ms: Math.round(answer.tookMs * 100) / 100,
    })
    this.#parts.log('debug', 'search.text', { query: request.query })
    return answer
  }

  async stats(): Promise<StatsAnswer> {
    const statistics = await this.#storage.statistics()
    return { file: this.#parts.file, ...statistics, chunks: 0, vectors: {} }
  }

  /** Looks for damage; with `repair` builds the index and everything derived anew, then looks again. */
  async doctor({ repair = false }: { readonly repair?: boolean } = {}): Promise<DoctorAnswer> {
    if (repair) await this.#storage.rebuild()
    const checks = await this.#storage.check()
    return { ok: checks.every(({ ok }) => ok), checks, repaired: repair }
  }

  /** The shortest beginnings that still name each record alone. */
  async shorten(ids: readonly RecordId[]): Promise<string[]> {
    return this.#storage.shorten(ids)
  }

  async close(): Promise<void> {
    await this.#storage.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #newRecord(input: requests.RecordInput): NewRecord {
    const { occurredAt, namespace, ...rest } = check(requests.recordInput, input)
    const target = namespace ?? this.#parts.namespace
    this.#assertInReach(target)
    return { ...rest, namespace: target, occurredAtMs: occurredAt, salience: 0.5, sessionId: null }
  }

  async #find(text: string): Promise<RecordId | null> {
    const prefix = readIdPrefix(text)
    if (prefix === null || prefix.length < SHORTEST_PREFIX) return null
    const resolution = await this.#storage.resolve(prefix)
    if (resolution.kind === 'ambiguous') {
      throw new CairnError('ambiguous_id', {
        message: `Several records have ids that begin with "${text}": ${resolution.ids.join(', ')}.`,
        hint: 'Give more characters of the id.',
      })
    }
    return resolution.kind === 'found' ? resolution.id : null
  }

  /** All of them, each in the state asked for; otherwise an error that names the first that is not. */
  async #findAll(texts: readonly string[], state: 'live' | 'deleted' | 'any'): Promise<RecordId[]> {
    const ids = await Promise.all(texts.map((text) => this.#find(text)))
    const known = ids.filter((id) => id !== null)
    const records = await this.#storage.get(known, { deleted: true })
    const byId = new Map(records.map((record) => [record.id, record]))
    for (const [i, text] of texts.entries()) {
      const record = byId.get(ids[i] ?? ('' as RecordId))
      if (record === undefined || !this.#isInReach(record)) throw noRecord(text)
      const isDeleted = record.deletedAt !== null
      if (state === 'live' && isDeleted) throw wasDeleted(text)
      if (state === 'deleted' && !isDeleted) throw notDeleted(text)
    }
    return known
  }

  /** What the request lets pass, with its ids in full, and never more than what is in reach. */
  async #filter(request: FilterRequest): Promise<Filter> {
    const inFull = (ids: readonly string[]) => Promise.all(ids.map((id) => this.#nameOne(id)))
    const ids: NamedIds = {
      ...(request.ids?.in && { in: await inFull(request.ids.in) }),
      ...(request.ids?.out && { out: await inFull(request.ids.out) }),
    }
    const filter = filterOf(request, ids)
    const { namespace, pinned } = this.#parts
    if (!pinned) return filter
    for (const asked of filter.namespaces ?? []) this.#assertInReach(asked)
    if (filter.includeGlobal) this.#assertInReach('every namespace')
    return { ...filter, namespaces: [namespace] }
  }

  /** A whole id may name a record that is gone; a beginning must name one that is there. */
  async #nameOne(text: string): Promise<RecordId> {
    const id = readId(text) ?? (await this.#find(text))
    if (id === null) throw noRecord(text)
    return id
  }

  #isInReach(record: CairnRecord): boolean {
    return !this.#parts.pinned || record.namespace === this.#parts.namespace
  }

  #assertInReach(namespace: string): void {
    if (!this.#parts.pinned || namespace === this.#parts.namespace) return
    throw new CairnError('outside_namespace', {
      message: `This session is kept to the namespace "${this.#parts.namespace}" and cannot reach "${namespace}".`,
      hint: 'Leave the namespace out, or open the file without the pin.',
    })
  }
}

function noRecord(text: string): CairnError {
  const isShort = text.length < SHORTEST_PREFIX
  return new CairnError('not_found', {
    message: `No record has the id "${text}".`,
    hint: isShort
      ? `Give at least ${SHORTEST_PREFIX} characters of an id; \`cairn list\` shows them.`
      : '`cairn list` shows the ids there are.',
  })
}

function wasDeleted(text: string): CairnError {
  return new CairnError('not_found', {
    message: `The record "${text}" was deleted.`,
    hint: `Bring it back with \`cairn restore ${text}\`.`,
  })
}

function notDeleted(text: string): CairnError {
  return new CairnError('bad_input', {
    message: `The record "${text}" is not deleted.`,
    hint: '`cairn list --deleted` shows what can be restored.',
  })
}
