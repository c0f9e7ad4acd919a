/** The records nearest to a vector, as exactly as a byte a dimension allows, whatever the filter. */

import { badInput, CairnError } from '../core/errors.js'
import { BestOwners, type VectorHit } from './best-owners.js'
import { packBlock, type SlotEntry } from './block.js'
import { checkDimensions } from './cosine.js'
import { createKernels } from './kernels.js'
import { EMPTY_OWNER } from './layout.js'
import { findNearest } from './nearest.js'
import { OwnerSlots } from './owner-slots.js'
import { type QueryTables, queryTables } from './query-tables.js'
import { SlotScan } from './slot-scan.js'
import { SlotStore } from './slot-store.js'
import { inExactOrder, roundedGoal, type VectorSearch } from './vector-search.js'

export type VectorIndexOptions = {
  readonly dimensions: number
  /** False uses the plain kernels even where SIMD is there: for tests. */
  readonly useSimd?: boolean
}

/**
 * Vectors of one model in memory: `dimensions` × 1.25 bytes each, up to 4 GiB (12 million of 256).
 * @example
 * const index = new VectorIndex({ dimensions: 256 })
 * index.loadBlock(bytesFromTheDatabase)
 * const hits = index.search({ query, k: 20 })
 */
export class VectorIndex {
  readonly dimensions: number
  #store: SlotStore | null
  #scan: SlotScan
  /** Made when first asked for: a plain search does without. */
  #ownerSlots: OwnerSlots | null = null
  /** What the scan is prepared for. */
  #asked: { readonly query: Float32Array; readonly tables: QueryTables } | null = null

  constructor({ dimensions, useSimd = true }: VectorIndexOptions) {
    if (!Number.isInteger(dimensions) || dimensions < 1) {
      throw badInput(`Vectors cannot have ${dimensions} dimensions.`)
    }
    this.dimensions = dimensions
    const store = new SlotStore(dimensions, createKernels(useSimd))
    this.#store = store
    this.#scan = new SlotScan(store)
  }

  /** Slots in use, empty ones included: the number the next one gets. */
  get slotCount(): number {
    return this.#open().slotCount
  }

  /** Slots that hold a vector. */
  get vectorCount(): number {
    return this.#open().liveCount
  }

  get memoryBytes(): number {
    return this.#open().arena.usedBytes
  }

  get usesSimd(): boolean {
    return this.#open().kernels.usesSimd
  }

  /** Adds slots at the end; gives the number of the first. */
  append(entries: readonly SlotEntry[]): number {
    const first = this.slotCount
    for (const [i, entry] of entries.entries()) this.set(first + i, entry)
    return first
  }

  /** Puts a vector into a slot, new or not; slots skipped over stay empty. */
  set(slot: number, entry: SlotEntry): void {
    const store = this.#open()
    if (!Number.isInteger(slot) || slot < 0) throw badInput(`There is no slot ${slot}.`)
    const before = store.ownerOf(slot)
    store.set(slot, entry)
    if (before !== EMPTY_OWNER) this.#ownerSlots?.remove(before, slot)
    this.#ownerSlots?.add(entry.owner, slot)
  }

  /** Empties a slot; its number stays taken until `set`. An empty or unknown slot stays so. */
  remove(slot: number): void {
    const store = this.#open()
    const owner = store.ownerOf(slot)
    if (owner === EMPTY_OWNER) return
    this.#ownerSlots?.remove(owner, slot)
    store.remove(slot)
  }

  /** Appends the slots of a packed block. */
  loadBlock(bytes: Uint8Array): { readonly firstSlot: number; readonly count: number } {
    const store = this.#open()
    const loaded = store.loadBlock(bytes)
    this.#addOwners(loaded.firstSlot, loaded.firstSlot + loaded.count)
    return loaded
  }

  /** Packs slots as `loadBlock` takes them. */
  packSlots(firstSlot: number, count: number): Uint8Array {
    const store = this.#open()
    const entries = Array.from({ length: count }, (_, i) => store.entryOf(firstSlot + i))
    return packBlock(entries, this.dimensions)
  }

  /** The best `k` records, best first, each with its best slot; equals by record number. */
  search(request: VectorSearch): VectorHit[] {
    const store = this.#open()
    const tables = this.#ask(request.query)
    if (tables === null || request.k < 1) return []
    const { k, minSimilarity } = roundedGoal(request)
    const hidden = this.#hide(request.exclude)
    try {
      const parts = { store, scan: this.#scan, ownerSlots: () => this.#slotsByOwner() }
      const best = new BestOwners(k, minSimilarity)
      const hits = findNearest(parts, { best, k, allow: request.allow, unit: tables.scoreUnit })
      return inExactOrder(hits, request)
    } finally {
      for (const slot of hidden) store.setLive(slot, true)
    }
  }

  /** The best similarity of each owner's slots to the query; NaN for an owner without any. */
  similarityOf(owners: readonly number[], query: Float32Array): Float32Array {
    const best = new Float32Array(owners.length).fill(Number.NaN)
    if (this.#ask(query) === null) return best
    const slots: number[] = []
    const ends = owners.map((owner) => {
      this.#slotsByOwner().collect(owner, slots)
      return slots.length
    })
    const similarities = this.#scan.similarities(slots)
    let at = 0
    for (const [i, end] of ends.entries()) {
      for (; at < end; at++) {
        const similarity = similarities[at] ?? Number.NaN
        if (!((best[i] ?? Number.NaN) >= similarity)) best[i] = similarity
      }
    }
    return best
  }

  /** Gives the memory back. Every later call fails. */
  close(): void {
    this.#store = null
    this.#ownerSlots = null
  }

  /** Null for a query without a direction. A search asks for the nearest, and then how near others are: the same query twice. */
  #ask(query: Float32Array): QueryTables | null {
    const { layout } = this.#open()
    checkDimensions(query, this.dimensions)
    if (this.#asked !== null && isSame(this.#asked.query, query)) return this.#asked.tables
    this.#asked = null
    const tables = queryTables(query, layout)
    if (tables === null) return null
    this.#scan.ask(tables)
    this.#asked = { query: query.slice(), tables }
    return tables
  }

  #open(): SlotStore {
    if (this.#store !== null) return this.#store
    throw new CairnError('closed', { message: 'The vector index was closed.' })
  }

  #slotsByOwner(): OwnerSlots {
    if (this.#ownerSlots === null) {
      this.#ownerSlots = new OwnerSlots(this.slotCount)
      this.#addOwners(0, this.slotCount)
    }
    return this.#ownerSlots
  }

  #addOwners(from: number, to: number): void {
    const slots = this.#ownerSlots
    if (slots !== null) this.#open().eachLive(from, to, (owner, slot) => slots.add(owner, slot))
  }

  /** Takes the slots of these owners out of sight: cheaper than asking about each candidate. */
  #hide(owners: Iterable<number> = []): number[] {
    const slots: number[] = []
    for (const owner of new Set(owners)) this.#slotsByOwner().collect(owner, slots)
    for (const slot of slots) this.#open().setLive(slot, false)
    return slots
  }
}

function isSame(a: Float32Array, b: Float32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return a.length === b.length
}
