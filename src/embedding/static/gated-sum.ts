/** Computes the vector of a text from the ids of its word pieces, with WebAssembly where Node has it. */

import { Buffer } from 'node:buffer'
import { endianness } from 'node:os'
import { GATED_SUM_BASE64 } from './gated-sum.wasm.js'
import { DIMENSIONS, GATE_RANK, measureModel, readModel, type StaticModel } from './model-file.js'

/** Addresses in the memory, which `wasm/gated-sum.wat` knows too. The model file follows. */
const TOTAL = 0
const GATE = 1024
const IDS = 4096
const IDS_PER_CALL = 4096
const WEIGHTS = IDS + IDS_PER_CALL * 4
const PRODUCTS = WEIGHTS + IDS_PER_CALL * 4
const MODEL = PRODUCTS + IDS_PER_CALL * 4
const PAGE_BYTES = 65_536

/**
 * The three loops over the numbers of the model. In plain JavaScript alone, adding abstracts takes 1.8 times the
 * processor time.
 */
type Loops = {
  /** total += weight · row, for the first `count` ids. */
  addRows(table: number, count: number): void
  /** products[i] = gate · row, for the first `count` ids. */
  multiplyRows(table: number, count: number): void
  /** gate = token · (textᵀ · total), both matrices being 256 × 32 by rows. */
  openGate(text: number, token: number): void
}

/**
 * x_i = scale_i · row_i; c = normalise(Σ x_i); u = gate.token · (gate.textᵀ · c);
 * g_i = 2 / (1 + exp(−x_i · u)); v = normalise(Σ g_i · x_i).
 * By hand: with u = 0 every g_i is 1 and v = c. A piece along the gate's direction counts up to twice, one against it
 * counts for nothing.
 */
export class GatedSum {
  readonly #model: StaticModel
  readonly #loops: Loops
  readonly #total: Float32Array
  readonly #ids: Int32Array
  readonly #weights: Float32Array
  readonly #products: Float32Array
  /** The weight of each id in the current text; all zero between two texts. */
  readonly #weightById: Float64Array

  /** `wasm: false` forces the plain loops. */
  constructor(folder: string, vocabularySize: number, { wasm }: { readonly wasm: boolean }) {
    const fileBytes = measureModel(folder)
    const fast = wasm ? createFastLoops(MODEL + fileBytes) : null
    const buffer = fast?.buffer ?? new ArrayBuffer(MODEL + fileBytes)
    this.#loops = fast?.loops ?? createPlainLoops(buffer)
    this.#model = readModel(folder, vocabularySize, new Uint8Array(buffer, MODEL, fileBytes))
    this.#total = new Float32Array(buffer, TOTAL, DIMENSIONS)
    this.#ids = new Int32Array(buffer, IDS, IDS_PER_CALL)
    this.#weights = new Float32Array(buffer, WEIGHTS, IDS_PER_CALL)
    this.#products = new Float32Array(buffer, PRODUCTS, IDS_PER_CALL)
    this.#weightById = new Float64Array(vocabularySize)
  }

  /** A vector of length 1; the zero vector for no ids. */
  embed(ids: readonly number[]): Float32Array {
    const { scale, gateText, gateToken, table } = this.#model
    const weightById = this.#weightById
    // Each distinct id once, with its scale times its count: a long text repeats many of its words.
    const distinct: number[] = []
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number
      if (weightById[id] === 0) distinct.push(id)
      weightById[id] = (weightById[id] as number) + (scale[id] as number)
    }
    this.#sum(distinct)
    this.#loops.openGate(gateText, gateToken)
    for (let from = 0; from < distinct.length; from += IDS_PER_CALL) {
      const count = this.#list(distinct, from)
      this.#loops.multiplyRows(table, count)
      for (let i = 0; i < count; i++) {
        const id = this.#ids[i] as number
        const along = (this.#products[i] as number) * (scale[id] as number)
        weightById[id] = ((weightById[id] as number) * 2) / (1 + Math.exp(-along))
      }
    }
    this.#sum(distinct)
    for (let i = 0; i < distinct.length; i++) weightById[distinct[i] as number] = 0
    return this.#total.slice()
  }

  /** Leaves the sum of the weighted rows in `#total`, at length 1. */
  #sum(distinct: readonly number[]): void {
    const total = this.#total.fill(0)
    for (let from = 0; from < distinct.length; from += IDS_PER_CALL) {
      this.#loops.addRows(this.#model.table, this.#list(distinct, from))
    }
    let squares = 0
    for (let j = 0; j < DIMENSIONS; j++) squares += (total[j] as number) ** 2
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0
    for (let j = 0; j < DIMENSIONS; j++) total[j] = (total[j] as number) * factor
  }

  /** Writes the next ids and their weights to the memory; returns how many. */
  #list(distinct: readonly number[], from: number): number {
    const count = Math.min(IDS_PER_CALL, distinct.length - from)
    for (let i = 0; i < count; i++) {
      const id = distinct[from + i] as number
      this.#ids[i] = id
      this.#weights[i] = this.#weightById[id] as number
    }
    return count
  }
}

/** The part of WebAssembly used here; its types come with the DOM library, which this project does without. */
type WebAssemblyApi = {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

/** Null under `--jitless`, where SIMD is missing, and where `ulimit -v` forbids the address space. */
function createFastLoops(
  bytes: number,
): { readonly buffer: ArrayBuffer; readonly loops: Loops } | null {
  const api = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi | undefined
  if (api === undefined || endianness() !== 'LE') return null
  try {
    const memory = new api.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) })
    const module = new api.Module(Buffer.from(GATED_SUM_BASE64, 'base64'))
    const { exports } = new api.Instance(module, { cairn: { memory } })
    return { buffer: memory.buffer, loops: exports as Loops }
  } catch {
    return null
  }
}

function createPlainLoops(buffer: ArrayBuffer): Loops {
  const bytes = new Int8Array(buffer)
  const floats = new Float32Array(buffer, 0, Math.floor(buffer.byteLength / 4))
  const ids = new Int32Array(buffer, IDS, IDS_PER_CALL)
  const [total, gate, weights, products] = [TOTAL / 4, GATE / 4, WEIGHTS / 4, PRODUCTS / 4]
  return {
    addRows(table, count) {
      for (let i = 0; i < count; i++) {
        const row = table + (ids[i] as number) * DIMENSIONS
        const weight = floats[weights + i] as number
        for (let j = 0; j < DIMENSIONS; j++) {
          floats[total + j] = (floats[total + j] as number) + weight * (bytes[row + j] as number)
        }
      }
    },
    multiplyRows(table, count) {
      for (let i = 0; i < count; i++) {
        const row = table + (ids[i] as number) * DIMENSIONS
        let sum = 0
        for (let j = 0; j < DIMENSIONS; j++) {
          sum += (floats[gate + j] as number) * (bytes[row + j] as number)
        }
        floats[products + i] = sum
      }
    },
    openGate(text, token) {
      const inner = new Float64Array(GATE_RANK)
      for (let j = 0; j < DIMENSIONS; j++) {
        for (let k = 0; k < GATE_RANK; k++) {
          const factor = floats[text / 4 + j * GATE_RANK + k] as number
          inner[k] = (inner[k] as number) + (floats[total + j] as number) * factor
        }
      }
      for (let j = 0; j < DIMENSIONS; j++) {
        let sum = 0
        for (let k = 0; k < GATE_RANK; k++) {
          sum += (inner[k] as number) * (floats[token / 4 + j * GATE_RANK + k] as number)
        }
        floats[gate + j] = sum
      }
    },
  }
}
