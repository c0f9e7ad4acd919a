/** Loads a list page by page. */

import { useState } from 'preact/hooks'
import { type Loaded, useLoad } from './load.js'
import { attempt } from './notices.js'

type Page = { readonly next: string | null }

type Pages<T> = Loaded<T> & {
  readonly pages: readonly T[]
  /** Null after the last page. */
  readonly loadMore: (() => Promise<void>) | null
}

/** Begins again whenever the key changes. */
export function usePages<T extends Page>(
  key: string,
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<T>,
): Pages<T> {
  const loaded = useLoad(key, (signal) => load(undefined, signal))
  const [more, setMore] = useState<readonly T[]>([])
  const { data } = loaded
  const pages = data === null ? [] : more[0] === data ? more : [data]
  const next = pages.at(-1)?.next ?? null
  const loadMore = (cursor: string): Promise<void> =>
    attempt(async () => {
      const page = await load(cursor)
      setMore([...pages, page])
    })
  return { ...loaded, pages, loadMore: next === null ? null : () => loadMore(next) }
}
