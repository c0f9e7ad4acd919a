/** Loads hits page by page, and remembers how many were shown for the way back. */

import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { type SearchAnswer, search } from '../api/client.js'
import { type Loaded, useLoadWhileTyping } from './load.js'
import { attempt } from './notices.js'
import { recall, remember } from './router.js'
import { isBlank, type SearchChoices, searchAddress, toSearchInput } from './search-address.js'

const PAGE = 20
/** The most hits that one request asks for. */
const MOST = 1000
const SHOWN = 'hits'

type More = { readonly of: SearchAnswer | null; readonly hits: SearchAnswer['hits'] }

export type Found = Loaded<SearchAnswer | null> & {
  readonly hits: SearchAnswer['hits']
  readonly hasMore: boolean
  readonly loadMore: () => Promise<void>
}

/** For the search field, which is outside of the search view. */
export const isSearching = signal(false)

export function useHits(choices: SearchChoices): Found {
  const loaded = useLoadWhileTyping<SearchAnswer | null>(searchAddress(choices), async () =>
    isBlank(choices)
      ? null
      : await search(toSearchInput(choices, Math.min(MOST, recall(SHOWN, PAGE)))),
  )
  const [more, setMore] = useState<More>({ of: null, hits: [] })
  const { data, isSlow } = loaded
  useEffect(() => {
    isSearching.value = isSlow
    return () => {
      isSearching.value = false
    }
  }, [isSlow])
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
        remember(SHOWN, hits.length + next.length)
      }),
  }
}
