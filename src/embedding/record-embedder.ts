/** Texts become what the model makes of them; where they are many, all cores read, and threads start only then. */

import type { TextInContext } from '../core/passage.js'
import type { RecordVectors } from '../storage/vectors.js'
import type { ReadingTogether } from './embed-in-workers.js'
import type { PassageCache } from './embed-records.js'
import { type Embedder, isBundled } from './embedder.js'
import { packReadings, unpackReadings } from './packed-vectors.js'
import { isBulk } from './worker-messages.js'

/** Holds threads, once there was much to read, until it is closed. */
export class RecordEmbedder {
  #together: Promise<ReadingTogether> | null = null

  async read(
    embedder: Embedder,
    texts: readonly TextInContext[],
    cache: PassageCache,
  ): Promise<RecordVectors[]> {
    // Loaded with the first text: a search by words needs none of it.
    const { readRecords } = await import('./embed-records.js')
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
  const { ReadingTogether } = await import('./embed-in-workers.js')
  return new ReadingTogether()
}
