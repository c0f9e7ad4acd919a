/** The current view, read from and written to the URL, with what each entry of the history remembers. */

import { signal } from '@preact/signals'
import { decodeText } from './addresses.js'

export type Place = { readonly path: string; readonly params: URLSearchParams }

const read = (): Place => ({
  path: location.pathname,
  params: new URLSearchParams(location.search),
})

export const here = signal<Place>(read())

/** `step` counts the entries of this page: at 0, back would leave it. */
type Entry = { readonly step: number; readonly scrollY: number } & Readonly<Record<string, unknown>>

const entry = (): Entry => ({ step: 0, scrollY: 0, ...(history.state as Partial<Entry> | null) })

/** What an entry of the history remembers under a name, so that back shows the view as it was left. */
export function recall<T>(name: string, otherwise: T): T {
  return (entry()[name] as T | undefined) ?? otherwise
}

export function remember(name: string, value: unknown): void {
  history.replaceState({ ...entry(), [name]: value }, '')
}

/** Goes to an address of the page. `replace`: back does not lead to the address before. */
export function go(url: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (url === location.pathname + location.search) return
  const { step } = entry()
  if (replace) history.replaceState({ step, scrollY }, '', url)
  else {
    remember('scrollY', scrollY)
    history.pushState({ step: step + 1 }, '', url)
    scrollTo(0, 0)
  }
  here.value = read()
}

/** Back to where one came from, or to a place that is always there; never out of the page. */
export function goBack(otherwise = '/'): void {
  if (entry().step > 0) history.back()
  else go(otherwise)
}

/** Listens to back, forward and clicks on links of the page. */
export function startRouter(): void {
  history.scrollRestoration = 'manual'
  if (entry().scrollY > 0) restoreScroll(entry().scrollY)
  // Before `popstate` the browser has changed the entry, so the position is noted whenever scrolling pauses.
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('scroll', () => {
    clearTimeout(timer)
    const url = location.href
    timer = setTimeout(() => {
      if (location.href === url) remember('scrollY', scrollY)
    }, SCROLL_PAUSE_MS)
  })
  addEventListener('popstate', () => {
    clearTimeout(timer)
    here.value = read()
    // A long text finds its own place again.
    if (!recall('place', null)) restoreScroll(entry().scrollY)
  })
  addEventListener('click', (event) => {
    const url = event.defaultPrevented ? null : linkOf(event)
    if (url === null) return
    event.preventDefault()
    const { pathname, search, hash } = url
    if (hash === '') go(pathname + search)
    else moveTo(decodeText(hash.slice(1)))
  })
}

const SCROLL_PAUSE_MS = 80

/** To a part of this view: a link with a hash makes no step in the history. */
function moveTo(id: string): void {
  const target = document.getElementById(id)
  target?.scrollIntoView()
  target?.focus({ preventScroll: true })
}

function linkOf(event: MouseEvent): URL | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return null
  }
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null
  const url = new URL(link.href)
  return url.origin === location.origin ? url : null
}

const RESTORE_MS = 3000

/** The view may still be loading: tries until the page is long enough or the person scrolls. */
function restoreScroll(top: number): void {
  const until = performance.now() + RESTORE_MS
  const stop = new AbortController()
  for (const name of ['wheel', 'touchstart', 'keydown', 'pointerdown', 'popstate']) {
    addEventListener(name, () => stop.abort(), { signal: stop.signal, passive: true })
  }
  const step = (): void => {
    if (stop.signal.aborted) return
    scrollTo(0, top)
    if (Math.abs(scrollY - top) > 1 && performance.now() < until) requestAnimationFrame(step)
    else stop.abort()
  }
  requestAnimationFrame(step)
}
