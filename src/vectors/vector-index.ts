/** Finds the records nearest to a vector, with any filter; exact except for the rounding to a byte per dimension. */

import { createKernels } from './kernels.js'
import { BestOwners, compareHits, findNearest, type VectorHit } from './nearest.js'
import { checkDimensions } from './quantise.js'
import { SlotScan } from './slot-scan.js'
import { SlotStore } from './slot-store.js'

export type VectorSearch = {
  /** Any length but zero: it is normalised. */
  readonly query: Float32Array
  readonly k: number
  /** One bit per owner: bit `owner & 7` of byte `owner >> 3`. Owners beyond its end are left out. */
  readonly allow?: Uint8Array | undefined
  readonly exclude?: Iterable<number> | undefined
  readonly minSimilarity?: number | undefined
  /** Gives similarities of slots from finer vectors, for an order without the rounding. */
  readonly exact?: ((slots: readonly number[]) => ArrayLike<number>) | undefined
}

/** The rounded and the exact order differ only among neighbours: so many more are compared exactly. */
const EXACT_MARGIN = 1.5
const EXACT_EXTRA = 10
/** An upper bound of the error of a rounded similarity. */
const ROUNDING_ERROR = 0.02

/** Vectors of one model in memory: `dimensions` × 1.25 bytes each, up to 4 GiB (12 million of 256). */
export class VectorIndex extends SlotStore {
  readonly #scan: SlotScan

  /** `useSimd: false` uses the plain kernels everywhere, for tests. */
  constructor(dimensions: number, useSimd = true) {
    super(dimensions, createKernels(useSimd))
    this.#scan = new SlotScan(this)
  }

  /** The best `k` records, best first, each with its best slot; equals by record number. */
  search(request: VectorSearch): VectorHit[] {
    const { query, k, allow, exclude = [], exact } = request
    const { minSimilarity = Number.NEGATIVE_INFINITY } = request
    const unit = this.#setQuery(query)
    if (unit === null || k < 1) return []
    // Hiding the excluded slots is cheaper than a test for each candidate.
    const hidden: number[] = []
    for (const owner of new Set(exclude)) this.collectSlots(owner, hidden)
    for (const slot of hidden) this.setLive(slot, false)
    try {
      const parts = { store: this, scan: this.#scan, allow, unit }
      if (exact === undefined) return findNearest(parts, new BestOwners(k, minSimilarity))
      const wanted = Math.ceil(k * EXACT_MARGIN) + EXACT_EXTRA
      const hits = findNearest(parts, new BestOwners(wanted, minSimilarity - ROUNDING_ERROR))
      const similarities = exact(hits.map(({ slot }) => slot))
      return hits
        .map((hit, i) => ({ ...hit, similarity: similarities[i] ?? Number.NaN }))
        .filter(({ similarity }) => similarity >= minSimilarity)
        .sort(compareHits)
        .slice(0, k)
    } finally {
      for (const slot of hidden) this.setLive(slot, true)
    }
  }

  /** The best similarity of each owner's slots to the query; NaN for an owner without any. */
  similarityOf(owners: readonly number[], query: Float32Array): Float32Array {
    const best = new Float32Array(owners.length).fill(Number.NaN)
    if (this.liveCount === 0 || this.#setQuery(query) === null) return best
    const slots: number[] = []
    const ends = owners.map((owner) => {
      this.collectSlots(owner, slots)
      return slots.length
    })
    const similarities = this.#scan.similarities(slots)
    let at = 0
    for (const [i, end] of ends.entries()) {
      for (; at < end; at++) {
        const similarity = similarities[at] as number
        if (!((best[i] as number) >= similarity)) best[i] = similarity
      }
    }
    return best
  }

  #setQuery(query: Float32Array): number | null {
    checkDimensions(query, this.layout.dimensions)
    return this.#scan.setQuery(query)
  }
}
