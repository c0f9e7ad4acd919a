/** Promise: the UTF-16 units of a text in an array, where a loop reads them several times quicker than from a string. */

import { Buffer } from 'node:buffer'
import { endianness } from 'node:os'

const KEPT_UNITS = 65_536
/** Node writes the units of a text with the low byte first, and nearly every machine reads them so. */
const IS_LITTLE_ENDIAN = endianness() === 'LE'

/** The array is used again for the next text, and may be longer than the text. */
export class UnitsOfText {
  #units = new Uint16Array(0)
  #bytes = Buffer.alloc(0)

  of(text: string): Uint16Array {
    this.#makeRoom(text.length)
    if (IS_LITTLE_ENDIAN) this.#bytes.write(text, 'utf16le')
    else for (let i = 0; i < text.length; i++) this.#units[i] = text.charCodeAt(i)
    return this.#units
  }

  /** A huge text does not keep its room for the life of the process. */
  #makeRoom(length: number): void {
    const isTooLarge = this.#units.length > KEPT_UNITS && length <= KEPT_UNITS
    if (length <= this.#units.length && !isTooLarge) return
    this.#units = new Uint16Array(Math.max(KEPT_UNITS, length))
    this.#bytes = Buffer.from(this.#units.buffer)
  }
}
