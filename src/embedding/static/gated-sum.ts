/** Computes the vector of a text from the ids of its word pieces, in WebAssembly if Node has it. */

import { createFastLoops } from '../../core/fast-loops.js'
import { GATED_SUM_BASE64 } from './gated-sum.wasm.js'
import {
  badModel,
  DIMENSIONS,
  GATE_RANK,
  measureModel,
  POSITION_LEVELS,
  readModel,
  type StaticModel,
} from './model-file.js'

/** Addresses in the memory, the same as in `wasm/gated-sum.wat`. The model file comes last. */
const TOTAL = 0
const GATE = 1024
const IDS = 4096
const MAX_IDS = 65_536
const WEIGHTS = IDS + MAX_IDS * 4
const PRODUCTS = WEIGHTS + MAX_IDS * 4
const MODEL = PRODUCTS + MAX_IDS * 4

/** The three loops over the numbers of the model. In plain JavaScript, adding abstracts takes 1.8 times the CPU time. */
type Loops = {
  /** total += weight · row, for the first `count` ids. */
  addRows(table: number, count: number): void
  /** products[i] = gate · row, for the first `count` ids. */
  multiplyRows(table: number, count: number): void
  /** gate = token · (textᵀ · total). Both matrices are 256 × 32, row by row. */
  openGate(text: number, token: number): void
}

/**
 * x_i = scale_i · row_i; w_i = position[min(7, ⌊log2(i + 1)⌋)]; c = normalise(Σ w_i · x_i); u = gate.token · (gate.textᵀ · c);
 * g_i = 2 / (1 + exp(−x_i · u)); v = normalise(Σ w_i · g_i · x_i).
 * Example: with u = 0 every g_i is 1, and v = c. A piece in the direction of the gate counts up to twice, one in the
 * opposite direction does not count.
 */
export class GatedSum {
  readonly #model: StaticModel
  readonly #loops: Loops
  readonly #total: Float32Array
  /** The distinct ids of the current text, their weights and their products with the gate. */
  readonly #ids: Int32Array
  readonly #weights: Float32Array
  readonly #products: Float32Array
  /** The position of each id in these lists, counted from 1. All zero between two texts. */
  readonly #positions: Int32Array

  /** `wasm: false` forces the plain loops. */
  constructor(folder: string, vocabularySize: number, { wasm }: { readonly wasm: boolean }) {
    if (vocabularySize > MAX_IDS) throw badModel('The word piece list is too long.')
    const fileBytes = measureModel(folder)
    const fast = wasm ? createFastLoops<Loops>(GATED_SUM_BASE64, MODEL + fileBytes) : null
    const buffer = fast?.buffer ?? new ArrayBuffer(MODEL + fileBytes)
    this.#loops = fast?.loops ?? createPlainLoops(buffer)
    this.#model = readModel(folder, vocabularySize, new Uint8Array(buffer, MODEL, fileBytes))
    this.#total = new Float32Array(buffer, TOTAL, DIMENSIONS)
    this.#ids = new Int32Array(buffer, IDS, MAX_IDS)
    this.#weights = new Float32Array(buffer, WEIGHTS, MAX_IDS)
    this.#products = new Float32Array(buffer, PRODUCTS, MAX_IDS)
    this.#positions = new Int32Array(vocabularySize)
  }

  /** Returns the vector of `ids[from, end)` at length 1, or the zero vector if there are no ids. */
  embed(ids: ArrayLike<number>, from = 0, end = ids.length): Float32Array {
    const { scale, gateText, gateToken, table, readRows } = this.#model
    const weights = this.#weights
    const distinct = this.#countIds(ids, from, end)
    readRows(this.#ids.subarray(0, distinct))
    for (let i = 0; i < distinct; i++) {
      const id = this.#ids[i] as number
      weights[i] = (weights[i] as number) * (scale[id] as number)
      this.#positions[id] = 0
    }
    this.#sumRows(distinct)
    this.#loops.openGate(gateText, gateToken)
    this.#loops.multiplyRows(table, distinct)
    for (let i = 0; i < distinct; i++) {
      const along = (this.#products[i] as number) * (scale[this.#ids[i] as number] as number)
      weights[i] = ((weights[i] as number) * 2) / (1 + Math.exp(-along))
    }
    this.#sumRows(distinct)
    return this.#total.slice()
  }

  /**
   * Lists each distinct id once, with the sum of the weights of its positions, because texts repeat many words. Returns the
   * number of distinct ids.
   */
  #countIds(ids: ArrayLike<number>, from: number, end: number): number {
    const { position } = this.#model
    let distinct = 0
    let start = from
    for (let level = 0; start < end; level++) {
      const isLast = level === POSITION_LEVELS - 1
      const next = isLast ? end : Math.min(end, start + 2 ** level)
      const weight = position[level] as number
      distinct = this.#addIds(ids, { from: start, end: next, weight, distinct })
      start = next
    }
    return distinct
  }

  #addIds(
    ids: ArrayLike<number>,
    part: Readonly<Record<'from' | 'end' | 'weight' | 'distinct', number>>,
  ): number {
    const positions = this.#positions
    const weights = this.#weights
    const { end, weight } = part
    let { distinct } = part
    for (let i = part.from; i < end; i++) {
      const id = ids[i] as number
      const position = positions[id] as number
      if (position > 0) {
        weights[position - 1] = (weights[position - 1] as number) + weight
      } else {
        this.#ids[distinct] = id
        weights[distinct] = weight
        positions[id] = ++distinct
      }
    }
    return distinct
  }

  /** Writes the normalised sum of the weighted rows to `#total`. */
  #sumRows(distinct: number): void {
    const total = this.#total.fill(0)
    this.#loops.addRows(this.#model.table, distinct)
    let squares = 0
    for (let j = 0; j < DIMENSIONS; j++) squares += (total[j] as number) ** 2
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0
    for (let j = 0; j < DIMENSIONS; j++) total[j] = (total[j] as number) * factor
  }
}

function createPlainLoops(buffer: ArrayBuffer): Loops {
  const bytes = new Int8Array(buffer)
  const floats = new Float32Array(buffer, 0, Math.floor(buffer.byteLength / 4))
  const ids = new Int32Array(buffer, IDS, MAX_IDS)
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
