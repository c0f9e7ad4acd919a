/** Promise: the three inner loops of the model, over one block of memory, in plain JavaScript. */

export const DIMENSIONS = 256
export const GATE_RANK = 32

/**
 * All arguments are byte addresses in one memory, as WebAssembly wants them. `rows` lists the addresses of int8
 * rows (int32), `weights` and every vector are float32. At least one row each time.
 */
export type Kernels = {
  /** out = Σ weight · row */
  readonly sum: (count: number, rows: number, weights: number, out: number) => void
  /** out[k] = row_k · vector */
  readonly dot: (count: number, rows: number, vector: number, out: number) => void
  /** out = token · (textᵀ · vector), both gates being 256 × 32 by rows */
  readonly gate: (text: number, token: number, vector: number, out: number) => void
}

/** For a Node without WebAssembly (`--jitless`), and the obvious twin that the tests hold the fast one against. */
export function plainKernels(memory: ArrayBuffer): Kernels {
  const bytes = new Int8Array(memory)
  const ints = new Int32Array(memory)
  const floats = new Float32Array(memory)

  return {
    sum(count, rows, weights, out) {
      const total = new Float64Array(DIMENSIONS)
      for (let k = 0; k < count; k++) {
        const row = ints[(rows >> 2) + k] as number
        const weight = floats[(weights >> 2) + k] as number
        for (let j = 0; j < DIMENSIONS; j++) {
          total[j] = (total[j] as number) + weight * (bytes[row + j] as number)
        }
      }
      floats.set(total, out >> 2)
    },

    dot(count, rows, vector, out) {
      const from = vector >> 2
      for (let k = 0; k < count; k++) {
        const row = ints[(rows >> 2) + k] as number
        let total = 0
        for (let j = 0; j < DIMENSIONS; j++) {
          total += (bytes[row + j] as number) * (floats[from + j] as number)
        }
        floats[(out >> 2) + k] = total
      }
    },

    gate(text, token, vector, out) {
      const inner = new Float64Array(GATE_RANK)
      for (let j = 0; j < DIMENSIONS; j++) {
        const value = floats[(vector >> 2) + j] as number
        const row = (text >> 2) + j * GATE_RANK
        for (let k = 0; k < GATE_RANK; k++) {
          inner[k] = (inner[k] as number) + value * (floats[row + k] as number)
        }
      }
      for (let j = 0; j < DIMENSIONS; j++) {
        const row = (token >> 2) + j * GATE_RANK
        let total = 0
        for (let k = 0; k < GATE_RANK; k++) {
          total += (inner[k] as number) * (floats[row + k] as number)
        }
        floats[(out >> 2) + j] = total
      }
    },
  }
}
