/** Loads a timeline page by page, newest first. */

import { useState } from 'preact/hooks'
import { type Answer, type Stretch, timelineOver } from '../api/client.js'
import { type Loaded, useLoad } from './load.js'
import { attempt } from './notices.js'

const PAGE = 60

type Page = Answer<'timeline'>

export type TimelinePages = Loaded<Page> & {
  readonly pages: readonly Page[]
  readonly loadOlder: (() => Promise<void>) | null
}

export function useTimeline(stretch: Omit<Stretch, 'cursor'>): TimelinePages {
  const loaded = useLoad(`timeline ${JSON.stringify(stretch)}`, (signal) =>
    timelineOver(stretch, PAGE, signal),
  )
  const [more, setMore] = useState<readonly Page[]>([])
  const { data } = loaded
  const pages = data === null ? [] : more[0] === data ? more : [data]
  const next = pages.at(-1)?.next ?? null
  const loadOlder = (cursor: string): Promise<void> =>
    attempt(async () => {
      const page = await timelineOver({ ...stretch, cursor }, PAGE)
      setMore([...pages, page])
    })
  return { ...loaded, pages, loadOlder: next === null ? null : () => loadOlder(next) }
}
