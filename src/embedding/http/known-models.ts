/** What a remote model needs to be asked properly is written in one table. */

export type RemoteModel = {
  readonly dimensions: number
  readonly maxTokens: number
  readonly queryPrefix: string
  readonly passagePrefix: string
  readonly floor: number
  readonly cascadeThreshold: number
}

/** For a model nobody here knows: it is asked once for its dimensions, and read with care. */
export const UNKNOWN_MODEL: Omit<RemoteModel, 'dimensions'> = {
  maxTokens: 512,
  queryPrefix: '',
  passagePrefix: '',
  floor: 0.3,
  cascadeThreshold: 0.7,
}

const plain = (dimensions: number, maxTokens: number, floor: number, cascadeThreshold: number) => ({
  dimensions,
  maxTokens,
  queryPrefix: '',
  passagePrefix: '',
  floor,
  cascadeThreshold,
})

/**
 * Dimensions, windows and prefixes are the publishers'. Floors and thresholds are careful starting points, not
 * measured here: a model whose unrelated texts already score .4 needs a higher floor.
 */
const KNOWN: ReadonlyMap<string, RemoteModel> = new Map([
  [
    'nomic-embed-text',
    {
      ...plain(768, 2048, 0.5, 0.7),
      queryPrefix: 'search_query: ',
      passagePrefix: 'search_document: ',
    },
  ],
  [
    'mxbai-embed-large',
    {
      ...plain(1024, 512, 0.45, 0.7),
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
    },
  ],
  ['all-minilm', plain(384, 256, 0.3, 0.7)],
  ['bge-m3', plain(1024, 8192, 0.45, 0.7)],
  ['text-embedding-3-small', plain(1536, 8191, 0.25, 0.5)],
  ['text-embedding-3-large', plain(3072, 8191, 0.25, 0.5)],
  ['text-embedding-ada-002', plain(1536, 8191, 0.75, 0.85)],
])

/** The entry for a name as typed, with or without a tag (`nomic-embed-text:v1.5`), or null. */
export function knownModel(name: string): RemoteModel | null {
  return KNOWN.get(name.split(':')[0] ?? name) ?? null
}
