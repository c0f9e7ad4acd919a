/** Many texts are read by all cores at once, to the same vectors as by one, and a thread that dies is no loss. */

import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TextInContext } from '../core/passage.js'
import { findWorkerFile } from '../core/worker.js'
import type { RecordVectors } from '../storage/vectors.js'
import { unpackReadings } from './packed-vectors.js'
import { createClaims, cut, cutIntoPieces, isMine } from './worker-messages.js'
import { ReadingThread } from './worker-thread.js'

/** What threads are given at once; the rest waits, so that the memory for it is bounded. */
const LOAD = { characters: 4_000_000, texts: 4096 }
/** Writing takes longer than what so many threads leave over. */
const MOST_THREADS = 3

export type ReadTexts = (texts: readonly TextInContext[]) => Promise<RecordVectors[]>

/** Holds threads, once they are needed, until it is closed. */
export class ReadingTogether {
  readonly #threads: readonly ReadingThread[]
  /** When all that was given before has been read. */
  #earlier: Promise<unknown> = Promise.resolve()

  constructor(
    count: number = Math.min(MOST_THREADS, availableParallelism() - 1),
    file: string | null = findWorkerFile('embedding-worker.js'),
  ) {
    const threads = file === null ? 0 : count
    this.#threads = Array.from({ length: threads }, () => new ReadingThread(file ?? ''))
  }

  /** `readHere` does on this thread what the others do. */
  async read(texts: readonly TextInContext[], readHere: ReadTexts): Promise<RecordVectors[]> {
    if (this.#threads.length === 0) return readHere(texts)
    const read: RecordVectors[] = []
    for (const load of cut(texts, LOAD)) {
      const reading = this.#readLoad(load, readHere, this.#earlier)
      this.#earlier = reading.catch(() => {})
      for (const one of await reading) read.push(one)
    }
    return read
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  /**
   * The others begin at the beginning. This thread begins at the end, once what was given earlier has been read: until
   * then it has that to write, and the others would have nothing to do meanwhile.
   */
  async #readLoad(
    load: readonly TextInContext[],
    readHere: ReadTexts,
    earlier: Promise<unknown>,
  ): Promise<RecordVectors[]> {
    const pieces = cutIntoPieces(load)
    const claims = createClaims(pieces.length)
    const given = pieces.map((texts, place) =>
      (this.#threads[place % this.#threads.length] as ReadingThread).read({ texts, claims, place }),
    )
    const readings: (RecordVectors[] | null)[] = pieces.map(() => null)
    await earlier
    for (let place = pieces.length - 1; place >= 0; place--) {
      // Whoever writes what was read before goes first.
      await nextTurn()
      if (!isMine(claims, place)) continue
      given[place]?.forget()
      readings[place] = await readHere(pieces[place] ?? [])
    }
    for (const [place, texts] of pieces.entries()) {
      if (readings[place] !== null) continue
      const packed = (await given[place]?.answer) ?? null
      readings[place] = packed === null ? await readHere(texts) : unpackReadings(texts, packed)
    }
    return readings.flatMap((one) => one ?? [])
  }
}
