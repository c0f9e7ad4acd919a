/** One growing memory, whose typed views are never stale. */

import { badInput } from '../core/errors.js'

/** The part of WebAssembly.Memory that is needed; a plain twin serves where there is none. */
export type GrowableMemory = {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export const PAGE_BYTES = 65536
/** What 32-bit addresses reach: 4 GiB. */
export const MOST_PAGES = 65536

export type Views = {
  readonly u8: Uint8Array
  readonly i8: Int8Array
  readonly i16: Int16Array
  readonly i32: Int32Array
  readonly u32: Uint32Array
  readonly f32: Float32Array
}

export class Arena {
  readonly memory: GrowableMemory
  #views: Views
  #end = 16 // Address 0 stands for "none".

  constructor(memory: GrowableMemory) {
    this.memory = memory
    this.#views = viewsOf(memory.buffer)
  }

  /** Bytes handed out so far. */
  get usedBytes(): number {
    return this.#end
  }

  /** Views of the whole memory. Growing detaches the old ones: ask again after every `take`. */
  get views(): Views {
    if (this.#views.u8.buffer !== this.memory.buffer) this.#views = viewsOf(this.memory.buffer)
    return this.#views
  }

  /** The address of `bytes` zeroed bytes, a multiple of 16. They are never given back. */
  take(bytes: number): number {
    const address = this.#end
    const end = address + Math.ceil(bytes / 16) * 16
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) this.#grow(missing)
    this.#end = end
    return address
  }

  /** Growing costs milliseconds, and pages never touched cost nothing: so by half as much again at once. */
  #grow(pages: number): void {
    const before = this.memory.buffer.byteLength / PAGE_BYTES
    const ample = Math.min(MOST_PAGES - before, Math.max(pages, Math.ceil(before / 2)))
    for (const step of [ample, pages]) {
      try {
        if (step < pages) break
        this.memory.grow(step)
        return
      } catch {
        // The system refused: once more with what is needed, then told below.
      }
    }
    const total = before + pages
    throw badInput(
      `The vectors need more than ${Math.floor((total * PAGE_BYTES) / 2 ** 20)} MB of memory, which cannot be had.`,
      'Use a model with fewer dimensions, or split the records over several databases.',
    )
  }
}

/** Memory for the plain kernels: grows by copying, doubling so that it does so seldom. */
export function plainMemory(): GrowableMemory {
  let buffer = new ArrayBuffer(PAGE_BYTES)
  return {
    get buffer() {
      return buffer
    },
    grow(pages) {
      const before = buffer.byteLength / PAGE_BYTES
      const doubled = Math.min(MOST_PAGES, Math.max(before + pages, before * 2))
      const larger = new ArrayBuffer(doubled * PAGE_BYTES)
      new Uint8Array(larger).set(new Uint8Array(buffer))
      buffer = larger
      return before
    },
  }
}

function viewsOf(buffer: ArrayBuffer): Views {
  return {
    u8: new Uint8Array(buffer),
    i8: new Int8Array(buffer),
    i16: new Int16Array(buffer),
    i32: new Int32Array(buffer),
    u32: new Uint32Array(buffer),
    f32: new Float32Array(buffer),
  }
}
