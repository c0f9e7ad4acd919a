/** The slots of any record, without looking at the others. */

const NONE = -1
const FREE = -2

/**
 * Chains of slots by owner: an open table of owners, each with its first slot, and a link from each slot
 * to the next of the same owner. Typed arrays, because a Map of a million arrays takes ten times as much.
 */
export class OwnerSlots {
  #owners: Uint32Array
  /** First slot of the owner in the same cell; NONE where its slots are gone; FREE where no owner is. */
  #first: Int32Array
  #next: Int32Array
  #used = 0

  /** With room for so many slots; for more it grows. */
  constructor(slots = 0) {
    const cells = 2 ** Math.ceil(Math.log2(Math.max(16, 2 * slots + 1)))
    this.#owners = new Uint32Array(cells)
    this.#first = new Int32Array(cells).fill(FREE)
    this.#next = new Int32Array(Math.max(16, slots))
  }

  add(owner: number, slot: number): void {
    if (slot >= this.#next.length) this.#next = grown(this.#next, slot + 1)
    if (this.#used * 2 >= this.#first.length) this.#rehash()
    const cell = this.#cellOf(owner)
    const first = this.#first[cell] ?? FREE
    if (first === FREE) this.#used += 1
    this.#owners[cell] = owner
    this.#next[slot] = first === FREE ? NONE : first
    this.#first[cell] = slot
  }

  remove(owner: number, slot: number): void {
    const cell = this.#cellOf(owner)
    const first = this.#first[cell] ?? FREE
    if (first === slot) {
      this.#first[cell] = this.#next[slot] ?? NONE
      return
    }
    for (let at = first; at >= 0; at = this.#next[at] ?? NONE) {
      if (this.#next[at] !== slot) continue
      this.#next[at] = this.#next[slot] ?? NONE
      return
    }
  }

  /** Puts the slots of an owner into `list`; the order is not promised. */
  collect(owner: number, list: number[]): void {
    const first = this.#first[this.#cellOf(owner)] ?? FREE
    for (let at = first; at >= 0; at = this.#next[at] ?? NONE) list.push(at)
  }

  #cellOf(owner: number): number {
    const mask = this.#first.length - 1
    // Fibonacci hashing: neighbouring numbers, and multiples of any power of two, land apart.
    let cell = (Math.imul(owner, 0x9e3779b1) >>> 7) & mask
    while (this.#first[cell] !== FREE && this.#owners[cell] !== owner) cell = (cell + 1) & mask
    return cell
  }

  /** Twice the cells, without the owners that have no slots any more. */
  #rehash(): void {
    const owners = this.#owners
    const first = this.#first
    this.#owners = new Uint32Array(owners.length * 2)
    this.#first = new Int32Array(owners.length * 2).fill(FREE)
    this.#used = 0
    for (let i = 0; i < owners.length; i++) {
      const owner = owners[i] as number
      const slot = first[i] as number
      if (slot < 0) continue
      const cell = this.#cellOf(owner)
      this.#owners[cell] = owner
      this.#first[cell] = slot
      this.#used += 1
    }
  }
}

function grown(array: Int32Array, atLeast: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(atLeast, array.length * 2))
  larger.set(array)
  return larger
}
