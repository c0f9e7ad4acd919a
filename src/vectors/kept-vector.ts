/** A vector in the two forms that are kept of it, made together by whoever has the time. */

import { type Codes, quantise } from './codes.js'
import { encodeFine, type FineCodes } from './fine-codes.js'
import { sizeOf } from './size.js'

/** A byte a dimension to look through all of them, and two to order the best. */
export type KeptVector = { readonly codes: Codes; readonly fine: FineCodes }

/** Where both are written to: `bytes` as wide as a slot, zeros behind the last dimension. */
export type KeptRoom = {
  readonly bytes: Int8Array<ArrayBuffer>
  readonly fine: Int16Array<ArrayBuffer>
}

/** Null for a vector that points nowhere: nothing is kept of it. */
export function toKept(vector: Float32Array, room: KeptRoom): KeptVector | null {
  // Measured once for both.
  const size = sizeOf(vector)
  const codes = quantise(vector, room.bytes, size)
  const fine = encodeFine(vector, room.fine, size)
  return codes === null || fine === null ? null : { codes, fine }
}

/** The finer form of a vector, whoever made it; null where it points nowhere. */
export function fineOf(made: Float32Array | KeptVector): FineCodes | null {
  return made instanceof Float32Array ? encodeFine(made) : made.fine
}
