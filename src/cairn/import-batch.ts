/** Items become records a batch at a time, what is unchanged is left alone, and a batch is kept whole. */

import { CairnError } from '../core/errors.js'
import type { NewRecord } from '../core/record.js'
import type { BatchEmbedder } from '../embedding/backoff.js'
import { hashValue } from '../import/fields.js'
import type { RecordEntry, UnchangedEntry, WorkEntry } from '../import/importer.js'
import type { ImportRequest } from '../schemas/import-request.js'
import type { Imported, ImportWrite } from '../storage/imports.js'
import type { Storage } from '../storage/storage.js'
import type { EmbeddedRecords } from '../storage/vectors.js'
import { keepExtractedFacts, toNewRecord } from './adding.js'
import type { Tally } from './import-report.js'
import type { Scope } from './scope.js'

export type BatchParts = {
  readonly storage: Storage
  readonly indexer: BatchEmbedder
  readonly scope: Scope
  readonly now: () => number
}

export type BatchPlace = {
  readonly source: string
  readonly request: ImportRequest
  readonly tally: Tally
  readonly keepWorks: (
    works: readonly WorkEntry[],
    hashIn: (hash: string) => string,
  ) => Promise<void>
  /** Sees every turn with the time it has, where that is known. */
  readonly onTurn: (item: RecordEntry, atMs: number | null) => void
}

export type StoredItem = RecordEntry | WorkEntry | UnchangedEntry

/** `hash` is the one under which the item is remembered. */
type Ready = { readonly item: RecordEntry; readonly record: NewRecord; readonly hash: string }

export type Batches = ReturnType<typeof createBatches>

export function createBatches(parts: BatchParts, place: BatchPlace) {
  const { storage, indexer, scope, now } = parts
  const { source, request, tally } = place
  const startMs = now()
  let turns = 0

  /** Another namespace or other tags make it another record, whatever the file says. */
  const hashIn = (hash: string): string =>
    hashValue([hash, request.namespace ?? null, request.tags])

  const prepare = (item: RecordEntry, hash: string): Ready | null => {
    try {
      const record = toNewRecord(withOptions(item, request), scope)
      // Where a conversation tells no times, the order of the file stands.
      const isTimeless = record.sessionId !== null && record.occurredAtMs === null
      if (!isTimeless) return { item, record, hash }
      return { item, record: { ...record, occurredAtMs: startMs + turns++ }, hash }
    } catch (error) {
      if (!(error instanceof CairnError)) throw error
      tally.skip({ name: item.key, line: null, reason: error.message })
      return null
    }
  }

  const keepRecords = async (
    ready: readonly Ready[],
    vectors: EmbeddedRecords | null,
  ): Promise<void> => {
    if (ready.length === 0) return
    const writes = ready.map(
      ({ item, record, hash }): ImportWrite => ({
        key: item.key,
        hash,
        record,
        hasOwnTime: hasTime(item),
      }),
    )
    const outcomes = await storage.imports.keep(source, writes, vectors ?? undefined)
    for (const [i, { kind }] of outcomes.entries()) tally.note(kind, ready[i]?.item.key ?? '')
    await keepExtractedFacts(
      storage,
      ready.map(({ item }) => item.record),
      outcomes.map(({ id, kind }) => ({ id, created: kind === 'created', duplicateOf: null })),
    )
    // What the model did not answer now it need not be asked again at once.
    if (vectors !== null) await indexer.embedPending(ready.length)
  }

  /** As they would be kept; the same content elsewhere is not looked for. */
  const countRecords = (ready: readonly Ready[], known: ReadonlyMap<string, Imported>): void => {
    for (const { item } of ready) {
      const before = known.get(item.key)
      const isBack = before?.hash === null && before.isDeleted
      tally.note(before === undefined ? 'created' : isBack ? 'restored' : 'updated', item.key)
    }
  }

  return {
    /** Whether an item was stored with this hash before. */
    async isKnown(key: string, hash: string): Promise<boolean> {
      return (await storage.imports.known(source, [key])).get(key)?.hash === hashIn(hash)
    },

    /**
     * Compares and checks the items and begins to read their texts; what it gives writes them. So the texts of a batch are read
     * while the one before it is written. No key may come in two batches.
     */
    async begin(items: readonly StoredItem[]): Promise<() => Promise<void>> {
      const keys = items.map(({ key }) => key)
      const known = await storage.imports.known(source, keys)
      const ready: Ready[] = []
      const works: WorkEntry[] = []
      let unchanged = 0
      for (const item of items) {
        const hash = hashIn(item.hash)
        const isSame = known.get(item.key)?.hash === hash
        if (isSame || item.kind === 'unchanged') {
          unchanged += 1
          if (item.kind === 'record' && item.session) place.onTurn(item, readTime(item))
        } else if (item.kind === 'work') works.push(item)
        else {
          const one = prepare(item, hash)
          if (one === null) continue
          ready.push(one)
          if (item.session) place.onTurn(item, one.record.occurredAtMs)
        }
      }
      // Never fails: where the model cannot be reached, the records wait for their vectors.
      const reading = request.dryRun ? null : indexer.embedTexts(ready.map(({ record }) => record))
      return async () => {
        tally.read += items.length
        tally.unchanged += unchanged
        if (reading === null) countRecords(ready, known)
        else await keepRecords(ready, await reading)
        if (works.length > 0) await place.keepWorks(works, hashIn)
      }
    },
  }
}

function hasTime({ record }: RecordEntry): boolean {
  return record.occurredAt !== undefined && record.occurredAt !== null
}

/** Of a turn that is there already: one without a time of its own says nothing of its conversation. */
function readTime({ record }: RecordEntry): number | null {
  const ms = typeof record.occurredAt === 'string' ? Date.parse(record.occurredAt) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

function withOptions({ record }: RecordEntry, { namespace, tags }: ImportRequest) {
  const own = record.tags === undefined ? [] : [record.tags].flat()
  const all = new Set([...own, ...tags])
  // Nearly always: to copy a record takes longer than to look.
  if (namespace === undefined && all.size === own.length) return record
  return { ...record, tags: [...all], ...(namespace === undefined ? {} : { namespace }) }
}
