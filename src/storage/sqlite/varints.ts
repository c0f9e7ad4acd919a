/** The numbers that FTS5 keeps in its own blocks are read as it wrote them. */

/** One varint after the other, seven bits a byte, the highest bits first. */
export function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let value = 0
  for (const byte of bytes) {
    value = value * 128 + (byte & 127)
    if (byte < 128) {
      numbers.push(value)
      value = 0
    }
  }
  return numbers
}
