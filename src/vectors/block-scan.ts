/**
 * Compares one query with the stored blocks as they are read, and keeps only the similarities. The first search of a
 * process uses it: loading 100,000 vectors into a `VectorIndex` and searching it takes more than twice as long.
 */

import { BLOCK_SLOTS, EMPTY_OWNER } from './block.js'
import { createKernels } from './kernels.js'
import { SLOTS_PER_SEGMENT } from './memory.js'
import {
  type BestOwners,
  isAllowed,
  searchWith,
  type VectorHit,
  type VectorSearch,
} from './nearest.js'
import { SlotScan } from './slot-scan.js'
import { SlotStore } from './slot-store.js'

const SLOTS = Uint32Array.from({ length: SLOTS_PER_SEGMENT }, (_, slot) => slot)

/** Less than every similarity. */
const NONE = -2

type Parts = {
  readonly store: SlotStore
  readonly scan: SlotScan
  readonly isZero: boolean
}

export class BlockScan {
  readonly #open: () => Parts
  /** Null until the first block: most files have no vectors of whole records. */
  #parts: Parts | null = null
  /** How many slots were scored. The blocks after them are still in the store. */
  #scored = 0
  #slotCount = 0
  #owners = new Uint32Array(SLOTS_PER_SEGMENT)
  /** The similarity of each scored slot; NaN if it is empty or removed. */
  #similarities = new Float32Array(SLOTS_PER_SEGMENT)

  constructor(dimensions: number, query: Float32Array, useSimd = true) {
    this.#open = () => {
      const store = new SlotStore(dimensions, createKernels(useSimd))
      const scan = new SlotScan(store)
      return { store, scan, isZero: !scan.setQuery(query) }
    }
  }

  /** Copies the vectors of a stored block to the next 128 slots. */
  add(bytes: Uint8Array): void {
    this.#parts ??= this.#open()
    this.#parts.store.copyBlock((this.#slotCount - this.#scored) / BLOCK_SLOTS, bytes)
    this.#slotCount += BLOCK_SLOTS
    if (this.#slotCount - this.#scored === SLOTS_PER_SEGMENT) this.#score()
  }

  remove(slot: number): void {
    this.#score()
    this.#similarities[slot] = Number.NaN
  }

  /** Like `VectorIndex.search`, for the query of this scan. */
  search(request: VectorSearch): VectorHit[] {
    if (this.#parts === null || this.#parts.isZero) return []
    this.#score()
    const excluded = new Set(request.exclude)
    return searchWith(request, (best) => this.#findBest(best, request.allow, excluded))
  }

  /** Returns the best similarity among each owner's slots; NaN for an owner without slots. */
  similarityOf(owners: readonly number[]): Float32Array {
    // Owners that are not asked for are NaN, which is never less.
    const last = owners.reduce((most, owner) => Math.max(most, owner), 0)
    const best = new Float32Array(last + 1).fill(Number.NaN)
    for (const owner of owners) best[owner] = NONE
    this.#score()
    const [ownerOf, similarities] = [this.#owners, this.#similarities]
    const count = this.#parts?.isZero ? 0 : this.#scored
    for (let slot = 0; slot < count; slot++) {
      const owner = ownerOf[slot] as number
      const similarity = similarities[slot] as number
      if (similarity > (best[owner] as number)) best[owner] = similarity
    }
    return Float32Array.from(owners, (owner) => {
      const similarity = best[owner] as number
      return similarity === NONE ? Number.NaN : similarity
    })
  }

  #findBest(
    best: BestOwners,
    allow: Uint8Array | undefined,
    excluded: ReadonlySet<number>,
  ): VectorHit[] {
    const [owners, similarities, count] = [this.#owners, this.#similarities, this.#scored]
    for (let slot = 0; slot < count; slot++) {
      const similarity = similarities[slot] as number
      if (!(similarity >= best.least)) continue
      const owner = owners[slot] as number
      if (isAllowed(allow, owner) && !excluded.has(owner)) best.add({ slot, owner, similarity })
    }
    return best.best()
  }

  /** Scores the slots in the store, so that its memory can be reused. */
  #score(): void {
    const count = this.#slotCount - this.#scored
    if (count === 0 || this.#parts === null) return
    const { store, scan } = this.#parts
    const { owners, scales } = store.copySlots(count)
    const similarities = scan.similarities(SLOTS.subarray(0, count))
    for (let i = 0; i < count; i++) {
      const isFilled = owners[i] !== EMPTY_OWNER && (scales[i] as number) > 0
      if (!isFilled) similarities[i] = Number.NaN
    }
    if (this.#slotCount > this.#owners.length) {
      this.#owners = copyTo(new Uint32Array(2 * this.#slotCount), this.#owners)
      this.#similarities = copyTo(new Float32Array(2 * this.#slotCount), this.#similarities)
    }
    this.#owners.set(owners, this.#scored)
    this.#similarities.set(similarities, this.#scored)
    this.#scored = this.#slotCount
  }
}

function copyTo<T extends Uint32Array | Float32Array>(larger: T, array: T): T {
  larger.set(array)
  return larger
}
