/** Each place in a segmented text knows the place it came from, in one flat array. */

export type OffsetMap = {
  /** Where the character at this offset of the segmented text begins in the original. */
  originalStart(offset: number): number
  /** Where the characters before this offset of the segmented text end in the original. */
  originalEnd(offset: number): number
}

/** The fields of one piece: `outStart..outEnd` of the new text was made from `start..end`. */
const FIELDS = 4

/**
 * Pieces are four numbers each (outStart, outEnd, start, end), in order of the new text. Inside a
 * piece of equal length offsets run side by side; a piece whose length changed (a letter with
 * marks, C++) is only ever taken whole.
 */
export function mapOffsets(pieces: readonly number[]): OffsetMap {
  const flat = new Int32Array(pieces)

  function pieceAt(piece: number) {
    const at = piece * FIELDS
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = flat.subarray(at, at + FIELDS)
    return { outStart, outEnd, start, end, isEven: outEnd - outStart === end - start }
  }

  /** The last piece that begins at or before the offset; the spaces after it count as its end. */
  function findPiece(offset: number) {
    let low = 0
    let high = flat.length / FIELDS - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((flat[middle * FIELDS] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return pieceAt(low)
  }

  return {
    originalStart(offset) {
      const piece = findPiece(offset)
      if (offset >= piece.outEnd) return piece.end
      return piece.isEven ? piece.start + offset - piece.outStart : piece.start
    },
    originalEnd(offset) {
      if (offset <= 0) return 0
      const piece = findPiece(offset - 1)
      if (!piece.isEven) return piece.end
      return Math.min(piece.start + offset - piece.outStart, piece.end)
    },
  }
}
