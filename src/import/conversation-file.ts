/** A file of conversations is read one after the other, and what was left out of them is told at its end. */

import { basename } from 'node:path'
import { skipped } from './files.js'
import type { ImportEntry, ReadOptions } from './importer.js'
import { readJsonValues } from './json-values.js'
import { LeftOut } from './turns.js'

/** Where a conversation stands, and where to note what is not taken over. */
export type Place = { readonly name: string; readonly line: number; readonly leftOut: LeftOut }

export type ConversationReader = (value: unknown, place: Place) => Iterable<ImportEntry>

export function readConversations(readOne: ConversationReader) {
  return async function* (path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
    const name = basename(path)
    const leftOut = new LeftOut()
    for await (const entry of readJsonValues(path, options)) {
      if (entry.kind === 'broken') yield skipped(name, entry.reason, entry.line)
      else yield* readOne(entry.value, { name, line: entry.line, leftOut })
    }
    yield* leftOut.tell(name)
  }
}
