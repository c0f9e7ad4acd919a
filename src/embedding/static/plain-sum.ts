/** The vector of a text by the formula of `gated-sum.ts`, in plain JavaScript. */

import type { GatedSum } from './gated-sum.js'
import { DIMENSIONS, GATE_RANK, readModelFile } from './model-file.js'

/** For a Node without WebAssembly (`--jitless`), and the obvious twin that the tests hold the fast one against. */
export class PlainSum implements GatedSum {
  readonly #table: Int8Array
  readonly #scale: Float32Array
  readonly #gateText: Float32Array
  readonly #gateToken: Float32Array

  constructor(folder: string, vocabularySize: number) {
    let memory = new ArrayBuffer(0)
    const model = readModelFile(folder, vocabularySize, (bytes) => {
      memory = new ArrayBuffer(bytes)
      return { memory, address: 0 }
    })
    const gateSize = DIMENSIONS * GATE_RANK
    this.#table = new Int8Array(memory, model.table, vocabularySize * DIMENSIONS)
    this.#scale = new Float32Array(memory, model.scale, vocabularySize)
    this.#gateText = new Float32Array(memory, model.gateText, gateSize)
    this.#gateToken = new Float32Array(memory, model.gateToken, gateSize)
  }

  vectorOf(ids: Int32Array, into: Float32Array = new Float32Array(DIMENSIONS)): Float32Array {
    const weights = this.#weigh(ids)
    const sum = toUnit(this.#sum(weights))
    const gate = this.#gateOf(sum)
    for (const [id, weight] of weights) {
      const along = this.#along(id, gate)
      weights.set(id, (weight * 2) / (1 + Math.exp(-along)))
    }
    into.set(toUnit(this.#sum(weights)))
    return into
  }

  /** Each distinct id once, with its scale times its count: a long text repeats many of its words. */
  #weigh(ids: Int32Array): Map<number, number> {
    const weights = new Map<number, number>()
    for (const id of ids) weights.set(id, (weights.get(id) ?? 0) + (this.#scale[id] as number))
    return weights
  }

  #sum(weights: ReadonlyMap<number, number>): Float64Array {
    const total = new Float64Array(DIMENSIONS)
    for (const [id, weight] of weights) {
      const row = id * DIMENSIONS
      for (let j = 0; j < DIMENSIONS; j++) {
        total[j] = (total[j] as number) + weight * (this.#table[row + j] as number)
      }
    }
    return total
  }

  /** token · (textᵀ · vector), both gates being 256 × 32 by rows. */
  #gateOf(vector: Float64Array): Float64Array {
    const inner = new Float64Array(GATE_RANK)
    for (let j = 0; j < DIMENSIONS; j++) {
      const value = vector[j] as number
      for (let k = 0; k < GATE_RANK; k++) {
        inner[k] = (inner[k] as number) + value * (this.#gateText[j * GATE_RANK + k] as number)
      }
    }
    return Float64Array.from({ length: DIMENSIONS }, (_, j) => {
      let total = 0
      for (let k = 0; k < GATE_RANK; k++) {
        total += (inner[k] as number) * (this.#gateToken[j * GATE_RANK + k] as number)
      }
      return total
    })
  }

  #along(id: number, gate: Float64Array): number {
    let total = 0
    for (let j = 0; j < DIMENSIONS; j++) {
      total += (this.#table[id * DIMENSIONS + j] as number) * (gate[j] as number)
    }
    return total * (this.#scale[id] as number)
  }
}

/** All zero where there is no direction to keep. */
function toUnit(vector: Float64Array): Float64Array {
  let squares = 0
  for (const value of vector) squares += value ** 2
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0
  return vector.map((value) => value * factor)
}
