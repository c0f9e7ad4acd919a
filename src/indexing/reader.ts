/** Promise: texts become what the model makes of them; where they are many, all cores read, and threads start only then. */

import type { Surrounded } from '../core/passage.js'
import { type Embedder, isBundled } from '../embedding/embedder.js'
import type { RecordVectors } from '../storage/meaning.js'
import { packReadings, unpackReadings } from './packed-readings.js'
import type { PassageCache } from './read-records.js'
import type { ReadingTogether } from './read-together.js'
import { isBulk } from './reading-pieces.js'

/** Holds threads, once there was much to read, until it is closed. */
export class Reader {
  #together: Promise<ReadingTogether> | null = null

  async read(
    embedder: Embedder,
    texts: readonly Surrounded[],
    cache: PassageCache,
  ): Promise<RecordVectors[]> {
    // Loaded with the first text: a search by words needs none of it.
    const { readRecords } = await import('./read-records.js')
    if (!isBundled(embedder) || !isBulk(texts)) return readRecords(embedder, texts, cache)
    this.#together ??= openTogether()
    const { dimensions } = embedder.model
    // In the form that threads give: whoever writes them sees one kind of vector, and stays quick.
    return (await this.#together).read(texts, async (some) =>
      unpackReadings(some, packReadings(await readRecords(embedder, some, cache), dimensions)),
    )
  }

  async close(): Promise<void> {
    await (await this.#together)?.close()
  }
}

async function openTogether(): Promise<ReadingTogether> {
  const { ReadingTogether } = await import('./read-together.js')
  return new ReadingTogether()
}
