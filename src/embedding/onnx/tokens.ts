/** Turns texts, and pairs of texts, into the token ids of a model. */

import { badModel, type ModelFolder } from './model-folder.js'
import { type Ids, type ImportPackage, loadOptional } from './session.js'

type EncodeOptions = {
  readonly add_special_tokens?: boolean
  readonly text_pair?: string
  readonly return_token_type_ids?: true
}
type LibraryTokenizer = {
  encode(
    text: string,
    options?: EncodeOptions,
  ): { readonly ids: Ids; readonly token_type_ids?: Ids }
}
type TokenizerLibrary = {
  readonly Tokenizer: new (tokenizer: object, config: object) => LibraryTokenizer
}

/** An upper bound for any language. Text beyond this many characters per token of the window cannot be used. */
const CHARACTERS_PER_TOKEN = 64

export type Tokens = Awaited<ReturnType<typeof loadTokens>>

export async function loadTokens(folder: ModelFolder, load: ImportPackage) {
  const { Tokenizer } = await loadOptional<TokenizerLibrary>(
    '@huggingface/tokenizers',
    'Tokenizer',
    load,
  )
  try {
    return createTokens(new Tokenizer(folder.tokenizer, folder.tokenizerConfig), folder.maxTokens)
  } catch (cause) {
    throw badModel(`The tokenizer of "${folder.name}" cannot be used.`, cause)
  }
}

function createTokens(tokenizer: LibraryTokenizer, maxTokens: number) {
  const endMarkers = countEndMarkers(tokenizer)
  const limit = (text: string): string => text.slice(0, maxTokens * CHARACTERS_PER_TOKEN)
  /** Cuts ids to `maxTokens`: removes the end of a longer text, but keeps the end markers. */
  const cut = (ids: Ids): Ids => {
    if (ids.length <= maxTokens) return ids
    const kept = ids.slice(0, maxTokens - endMarkers)
    return endMarkers === 0 ? kept : [...kept, ...ids.slice(-endMarkers)]
  }
  const count = (text: string): number => tokenizer.encode(text).ids.length
  return {
    encode: (text: string): Ids => cut(tokenizer.encode(limit(text)).ids),
    /** Encodes a pair; `types` marks the second text. The first text is cut to half the window, the second to the rest. */
    encodePair: (text: string, pair: string): { readonly ids: Ids; readonly types: Ids } => {
      let first = limit(text)
      while (first !== '' && count(first) > maxTokens / 2) {
        first = first.slice(0, Math.floor(first.length / 2))
      }
      const options = { text_pair: limit(pair), return_token_type_ids: true } as const
      const { ids, token_type_ids: types = ids.map(() => 0) } = tokenizer.encode(first, options)
      return { ids: cut(ids), types: cut(types) }
    },
    count,
  }
}

function countEndMarkers(tokenizer: LibraryTokenizer): number {
  const plain = tokenizer.encode('a', { add_special_tokens: false }).ids
  const marked = tokenizer.encode('a').ids
  const start = marked.findIndex((_, at) => plain.every((id, i) => marked[at + i] === id))
  return start < 0 ? 0 : marked.length - plain.length - start
}
