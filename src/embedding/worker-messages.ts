/** Texts are cut into pieces, and each piece is read by whoever takes it first. */

import type { TextInContext } from '../core/passage.js'
import type { PackedReadings } from './packed-vectors.js'

/** A piece takes some ten milliseconds: nobody waits long for the last one, and few messages are sent. */
const PIECE_CHARACTERS = 100_000
const PIECE_TEXTS = 64

/** Less is read before a thread has started. */
const MANY_TEXTS = 100
const MANY_CHARACTERS = 200_000

const FREE = 0
const TAKEN = 1

/** What the main thread sends: a piece that it may yet take back. */
export type Given = {
  readonly id: number
  readonly texts: readonly TextInContext[]
  /** Shared by all threads; a number for each piece. */
  readonly claims: Int32Array<SharedArrayBuffer>
  readonly place: number
}

export type Made = { readonly id: number; readonly packed: PackedReadings }

export function createClaims(pieces: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(pieces * Int32Array.BYTES_PER_ELEMENT))
}

/** True for the first who asks. */
export function isMine(claims: Int32Array<SharedArrayBuffer>, place: number): boolean {
  return Atomics.compareExchange(claims, place, FREE, TAKEN) === FREE
}

/** Whether it is worth while to start threads. */
export function isBulk(texts: readonly TextInContext[]): boolean {
  if (texts.length < MANY_TEXTS) return false
  return texts.reduce((sum, text) => sum + charactersIn(text), 0) >= MANY_CHARACTERS
}

export function cutIntoPieces(texts: readonly TextInContext[]): TextInContext[][] {
  return cut(texts, { characters: PIECE_CHARACTERS, texts: PIECE_TEXTS })
}

export type PieceSize = { readonly characters: number; readonly texts: number }

/** In their order; a text that is longer than a piece is one. */
export function cut(texts: readonly TextInContext[], most: PieceSize): TextInContext[][] {
  const pieces: TextInContext[][] = []
  let [piece, characters] = [[] as TextInContext[], 0]
  for (const text of texts) {
    const own = charactersIn(text)
    const isFull = piece.length >= most.texts || characters + own > most.characters
    if (piece.length > 0 && isFull) {
      pieces.push(piece)
      ;[piece, characters] = [[], 0]
    }
    piece.push(text)
    characters += own
  }
  if (piece.length > 0) pieces.push(piece)
  return pieces
}

export function charactersIn({ title, body, context }: TextInContext): number {
  return (title?.length ?? 0) + body.length + (context?.length ?? 0)
}
