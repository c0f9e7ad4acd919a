/** What was read stays at hand, up to so many bytes; the longest unused goes first. */

/** What an entry takes beside what it holds, roughly. */
const ENTRY_BYTES = 250

export class ListCache<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): T | undefined {
    const known = this.#kept.get(key)
    if (known === undefined) return undefined
    // As long as there is much room nothing has to go, so the order of use need not be kept.
    if (this.#bytes > this.#maxBytes / 2) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
    }
    return known.value
  }

  /** For a value that shares its memory with another entry, `bytes` are those that it adds. */
  set(key: string, value: T, bytes: number): T {
    const entry = { value, bytes: bytes + ENTRY_BYTES }
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.set(key, entry)
    this.#bytes += entry.bytes
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= freed
    }
    return value
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }
}
