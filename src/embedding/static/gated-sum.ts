/** Promise: the ids of a text become its vector as the model defines it, each distinct piece read only three times. */

import { DIMENSIONS, type Kernels, plainKernels } from './kernels.js'
import { type ModelAddresses, readModelFile } from './model-file.js'
import { createMemory, simdKernels, type WasmMemory } from './simd-kernels.js'

const VECTOR_BYTES = DIMENSIONS * 4
const PAGE_BYTES = 65_536

/**
 * x_i = scale_i · row_i; c = normalise(Σ x_i); u = gate.token · (gate.textᵀ · c);
 * g_i = 2 / (1 + exp(−x_i · u)); v = normalise(Σ g_i · x_i).
 * By hand: with u = 0 every g_i is 1 and v = c. A piece that points the way the gate asks for counts up to twice,
 * one that points against it counts for nothing.
 */
export class GatedSum {
  readonly #kernels: Kernels
  readonly #model: ModelAddresses
  readonly #rows: Int32Array
  readonly #weights: Float32Array
  readonly #dots: Float32Array
  readonly #scale: Float32Array
  readonly #vector: Float32Array
  readonly #gate: number
  /** How often each id occurs in the text at hand; all zero between texts. */
  readonly #counts: Int32Array
  readonly #distinct: Int32Array

  constructor(folder: string, vocabularySize: number, options: { readonly simd: boolean }) {
    const listBytes = vocabularySize * 4
    let wasm: WasmMemory | null = null
    let memory = new ArrayBuffer(0)
    this.#gate = VECTOR_BYTES
    const rows = 2 * VECTOR_BYTES
    const fileAddress = align(rows + 3 * listBytes)
    this.#model = readModelFile(folder, vocabularySize, (bytes) => {
      const pages = Math.ceil((fileAddress + bytes) / PAGE_BYTES)
      wasm = options.simd ? createMemory(pages) : null
      memory = wasm?.buffer ?? new ArrayBuffer(pages * PAGE_BYTES)
      return { memory, address: fileAddress }
    })
    this.#kernels = (wasm === null ? null : simdKernels(wasm)) ?? plainKernels(memory)
    this.#vector = new Float32Array(memory, 0, DIMENSIONS)
    this.#rows = new Int32Array(memory, rows, vocabularySize)
    this.#weights = new Float32Array(memory, rows + listBytes, vocabularySize)
    this.#dots = new Float32Array(memory, rows + 2 * listBytes, vocabularySize)
    this.#scale = new Float32Array(memory, this.#model.scale, vocabularySize)
    this.#counts = new Int32Array(vocabularySize)
    this.#distinct = new Int32Array(vocabularySize)
  }

  /** The vector of these ids, none of which give the zero vector; written to `into`, which is all zero when given. */
  vectorOf(ids: Int32Array, into: Float32Array = new Float32Array(DIMENSIONS)): Float32Array {
    if (ids.length === 0) return into
    const { sum, dot, gate } = this.#kernels
    const vector = this.#vector
    const distinct = this.#gather(ids)
    const rows = this.#rows.byteOffset
    const weights = this.#weights.byteOffset
    sum(distinct, rows, weights, 0)
    if (!scaleToUnit(vector)) return into
    gate(this.#model.gateText, this.#model.gateToken, 0, this.#gate)
    dot(distinct, rows, this.#gate, this.#dots.byteOffset)
    this.#weigh(distinct)
    sum(distinct, rows, weights, 0)
    scaleToUnit(vector)
    into.set(vector)
    return into
  }

  #weigh(distinct: number): void {
    // Fields are read once: inside the loop each of them would be looked up anew.
    const [ids, dots, weights, scale] = [this.#distinct, this.#dots, this.#weights, this.#scale]
    for (let k = 0; k < distinct; k++) {
      const along = (dots[k] as number) * (scale[ids[k] as number] as number)
      weights[k] = ((weights[k] as number) * 2) / (1 + Math.exp(-along))
    }
  }

  /** Lists each distinct id once, with its scale times its count: a long text repeats many of its words. */
  #gather(ids: Int32Array): number {
    const [counts, list, rows, weights] = [this.#counts, this.#distinct, this.#rows, this.#weights]
    const scale = this.#scale
    const { table } = this.#model
    let distinct = 0
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number
      const seen = counts[id] as number
      if (seen === 0) list[distinct++] = id
      counts[id] = seen + 1
    }
    for (let k = 0; k < distinct; k++) {
      const id = list[k] as number
      rows[k] = table + id * DIMENSIONS
      weights[k] = (scale[id] as number) * (counts[id] as number)
      counts[id] = 0
    }
    return distinct
  }
}

/** False where there is no direction to keep, and the vector is left all zero. */
function scaleToUnit(vector: Float32Array): boolean {
  let squares = 0
  for (let j = 0; j < DIMENSIONS; j++) squares += (vector[j] as number) ** 2
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0
  for (let j = 0; j < DIMENSIONS; j++) vector[j] = (vector[j] as number) * factor
  return squares > 0
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16
}
