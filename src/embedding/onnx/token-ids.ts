/** A text becomes the ids that the model reads: its markers kept, its end cut to the window. */

import type { LibraryTokenizer } from './runtime.js'

/** Past this many characters a token, no text in a written language reaches the window; the rest is not looked at. */
const CHARACTERS_PER_TOKEN = 64

export type TokenIds = {
  /** At most `maxTokens` ids; where the text is longer its end goes, not the end marker. */
  readonly ids: (text: string) => readonly number[]
  readonly count: (text: string) => number
}

export function createTokenIds(tokenizer: LibraryTokenizer, maxTokens: number): TokenIds {
  const endMarkers = countEndMarkers(tokenizer)
  return {
    ids: (text) => {
      const { ids } = tokenizer.encode(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN))
      if (ids.length <= maxTokens) return ids
      const kept = ids.slice(0, maxTokens - endMarkers)
      return endMarkers === 0 ? kept : [...kept, ...ids.slice(-endMarkers)]
    },
    count: (text) => tokenizer.encode(text).ids.length,
  }
}

/** How many ids the tokenizer puts after a text: what the marked form has beyond the plain one and its start. */
function countEndMarkers(tokenizer: LibraryTokenizer): number {
  const plain = tokenizer.encode('a', { add_special_tokens: false }).ids
  const marked = tokenizer.encode('a').ids
  const start = marked.findIndex((_, at) => plain.every((id, i) => marked[at + i] === id))
  return start < 0 ? 0 : marked.length - plain.length - start
}
