/** `wasm/gated-sum.wat` works in one memory, into which the model file is read as it is. */

import type { GatedSum } from './gated-sum.js'
import { GATED_SUM_BASE64 } from './gated-sum.wasm.js'
import { DIMENSIONS, type ModelAddresses, readModelFile } from './model-file.js'
import { align, createMemory, growTo, instantiate, type WasmMemory } from './wasm.js'

/** The functions of `wasm/gated-sum.wat`, which describes the memory. */
type Functions = {
  /** Takes ids of a text, from one address to another. */
  count(ids: number, end: number): void
  /** Makes the vector of all of them; zero where it has no direction. */
  finish(): number
}

const VECTOR = 64
/** After the vectors that the module works on. */
const IDS = 3_664
const IDS_AT_ONCE = 16_384
/** Rows and weights are read and written some at once. */
const SPARE = 8

export class FastSum implements GatedSum {
  readonly #functions: Functions
  readonly #ids: Int32Array
  readonly #vector: Float32Array

  /** Null where this Node has no WebAssembly with SIMD. */
  static open(folder: string, vocabularySize: number): FastSum | null {
    const counts = IDS + IDS_AT_ONCE * 4
    const rows = align(counts + vocabularySize * 4)
    const weights = align(rows + (vocabularySize + SPARE) * 4)
    const along = align(weights + (vocabularySize + SPARE) * 4)
    const file = align(along + (vocabularySize + SPARE) * 4)
    const memory = createMemory(file)
    const functions = memory && instantiate<Functions>(GATED_SUM_BASE64, { memory })
    if (memory === null || functions === null) return null
    const model = readModelInto(memory, file, folder, vocabularySize)
    const numbers = [model.table, model.scale, model.gateText, model.gateToken]
    new Int32Array(memory.buffer).set([...numbers, counts, rows, weights, along])
    return new FastSum(memory, functions)
  }

  private constructor({ buffer }: WasmMemory, functions: Functions) {
    this.#functions = functions
    this.#ids = new Int32Array(buffer, IDS, IDS_AT_ONCE)
    this.#vector = new Float32Array(buffer, VECTOR, DIMENSIONS)
  }

  vectorOf(ids: Int32Array, into: Float32Array = new Float32Array(DIMENSIONS)): Float32Array {
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const some = ids.length <= IDS_AT_ONCE ? ids : ids.subarray(from, from + IDS_AT_ONCE)
      this.#ids.set(some)
      this.#functions.count(IDS, IDS + some.length * 4)
    }
    if (this.#functions.finish() !== 0) into.set(this.#vector)
    return into
  }
}

function readModelInto(
  memory: WasmMemory,
  address: number,
  folder: string,
  vocabularySize: number,
): ModelAddresses {
  return readModelFile(folder, vocabularySize, (bytes) => {
    growTo(memory, address + bytes)
    return { memory: memory.buffer, address }
  })
}
