/** Many small arrays lie side by side in one: to make an array takes longer than to fill it. */

type Numbers = Float32Array<ArrayBuffer> | Int16Array<ArrayBuffer>

const ARRAYS_AT_ONCE = 64

/** As long as one of its arrays is held, so are those beside it. */
export class ArrayRoom<A extends Numbers> {
  readonly #create: (length: number) => A
  #numbers: A
  #used = 0

  constructor(create: (length: number) => A) {
    this.#create = create
    this.#numbers = create(0)
  }

  /** All zero, and nobody else's. */
  take(length: number): A {
    if (this.#used + length > this.#numbers.length) {
      this.#numbers = this.#create(length * ARRAYS_AT_ONCE)
      this.#used = 0
    }
    const from = this.#used
    this.#used += length
    return this.#numbers.subarray(from, this.#used) as A
  }
}
