/** Loads hits page by page, and drops pages of an earlier search. */

import { useState } from 'preact/hooks'
import { type Answer, search } from '../api/client.js'
import { type Loaded, useLoad } from './load.js'
import { attempt } from './notices.js'
import { isBlank, type SearchChoices, searchAddress, toSearchInput } from './search-address.js'

const PAGE = 20

type SearchAnswer = Answer<'search'>
type More = { readonly of: SearchAnswer | null; readonly hits: SearchAnswer['hits'] }

export type Found = Loaded<SearchAnswer | null> & {
  readonly hits: SearchAnswer['hits']
  readonly hasMore: boolean
  readonly loadMore: () => Promise<void>
}

export function useHits(choices: SearchChoices): Found {
  const loaded = useLoad<SearchAnswer | null>(
    searchAddress(choices),
    async (signal) =>
      isBlank(choices) ? null : await search(toSearchInput(choices, PAGE), signal),
    { keep: true },
  )
  const [more, setMore] = useState<More>({ of: null, hits: [] })
  const { data } = loaded
  const hits = data === null ? [] : more.of === data ? [...data.hits, ...more.hits] : data.hits
  return {
    ...loaded,
    hits,
    hasMore: data !== null && data.hits.length > 0 && hits.length < data.total.value,
    loadMore: () =>
      attempt(async () => {
        const { hits: next } = await search(toSearchInput(choices, PAGE, hits.length))
        setMore((before) => ({
          of: data,
          hits: before.of === data ? [...before.hits, ...next] : next,
        }))
      }),
  }
}
