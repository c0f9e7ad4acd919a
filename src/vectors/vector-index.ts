/** Finds the records nearest to a vector, with any filter. Exact, except that vectors are rounded to a byte per dimension. */

import { createKernels } from './kernels.js'
import { findNearest, searchWith, type VectorHit, type VectorSearch } from './nearest.js'
import { checkDimensions } from './quantise.js'
import { SlotScan } from './slot-scan.js'
import { SlotStore } from './slot-store.js'

/** The vectors of one model in memory. Each takes `dimensions` × 1.25 bytes; the limit is 4 GiB (12 million of 256). */
export class VectorIndex extends SlotStore {
  readonly #scan: SlotScan

  /** Tests set `useSimd: false` to use the plain kernels. */
  constructor(dimensions: number, useSimd = true) {
    super(dimensions, createKernels(useSimd))
    this.#scan = new SlotScan(this)
  }

  /** Returns the best `k` records, best first, each with its best slot. Ties are ordered by record number. */
  search(request: VectorSearch): VectorHit[] {
    const { query, allow, exclude = [] } = request
    if (!this.#setQuery(query)) return []
    // Hiding the excluded slots is cheaper than checking each candidate.
    const hidden: number[] = []
    for (const owner of new Set(exclude)) this.collectSlots(owner, hidden)
    for (const slot of hidden) this.setLive(slot, false)
    try {
      const parts = { store: this, scan: this.#scan, allow }
      return searchWith(request, (best) => findNearest(parts, best))
    } finally {
      for (const slot of hidden) this.setLive(slot, true)
    }
  }

  /** Returns the best similarity among each owner's slots; NaN for an owner without slots. */
  similarityOf(owners: readonly number[], query: Float32Array): Float32Array {
    const best = new Float32Array(owners.length).fill(Number.NaN)
    if (this.liveCount === 0 || !this.#setQuery(query)) return best
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

  #setQuery(query: Float32Array): boolean {
    checkDimensions(query, this.layout.dimensions)
    return this.#scan.setQuery(query)
  }
}
