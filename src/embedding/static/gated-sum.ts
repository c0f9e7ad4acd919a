/** The ids of a text become its vector as the model defines it, each distinct piece read only three times. */

import { FastSum } from './fast-sum.js'
import { PlainSum } from './plain-sum.js'

/**
 * x_i = scale_i · row_i; c = normalise(Σ x_i); u = gate.token · (gate.textᵀ · c);
 * g_i = 2 / (1 + exp(−x_i · u)); v = normalise(Σ g_i · x_i).
 * By hand: with u = 0 every g_i is 1 and v = c. A piece that points the way the gate asks for counts up to twice,
 * one that points against it counts for nothing.
 */
export type GatedSum = {
  /** The vector of these ids, none of which give the zero vector; written to `into`, which is all zero when given. */
  vectorOf(ids: Int32Array, into?: Float32Array): Float32Array
}

/** Reads the model of this folder. `wasm` false forces the plain loops. */
export function openGatedSum(
  folder: string,
  vocabularySize: number,
  { wasm }: { readonly wasm: boolean },
): GatedSum {
  const fast = wasm ? FastSum.open(folder, vocabularySize) : null
  return fast ?? new PlainSum(folder, vocabularySize)
}
