/** Of any number of scored slots the best `k` owners remain, each with its best slot. */

export type VectorHit = {
  readonly slot: number
  /** The record that the slot belongs to. */
  readonly owner: number
  readonly similarity: number
}

/** Best first; equals by owner, then by slot, so that two runs never differ. */
export function bestFirst(a: VectorHit, b: VectorHit): number {
  return b.similarity - a.similarity || a.owner - b.owner || a.slot - b.slot
}

export class BestOwners {
  readonly #k: number
  #hits: VectorHit[] = []
  /** What a slot must reach to matter. */
  #least: number

  constructor(k: number, minSimilarity = Number.NEGATIVE_INFINITY) {
    this.#k = k
    this.#least = minSimilarity
  }

  /** No slot below this can be among the best any more. */
  get least(): number {
    return this.#least
  }

  add(hit: VectorHit): void {
    if (!(hit.similarity >= this.#least)) return
    this.#hits.push(hit)
    // Sorting in batches is simpler than a heap and as fast: the bar rises with each, and little passes it.
    if (this.#hits.length >= 4 * this.#k + 64) this.best()
  }

  /** The best so far, best first. */
  best(): VectorHit[] {
    const seen = new Set<number>()
    const kept: VectorHit[] = []
    for (const hit of this.#hits.sort(bestFirst)) {
      if (kept.length === this.#k) break
      if (seen.has(hit.owner)) continue
      seen.add(hit.owner)
      kept.push(hit)
    }
    const worst = kept[this.#k - 1]
    if (worst !== undefined) this.#least = Math.max(this.#least, worst.similarity)
    this.#hits = kept
    return [...kept]
  }
}
