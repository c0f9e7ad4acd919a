/** The current view, read from and written to the URL. */

import { signal } from '@preact/signals'

export type Place = { readonly path: string; readonly params: URLSearchParams }

const read = (): Place => ({
  path: location.pathname,
  params: new URLSearchParams(location.search),
})

export const here = signal<Place>(read())

type Entry = { readonly scrollY?: number }

/** Goes to an address of the page. `replace`: back does not lead to the address before. */
export function go(url: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (url === location.pathname + location.search) return
  if (replace) history.replaceState(history.state, '', url)
  else {
    rememberScroll()
    history.pushState({}, '', url)
    scrollTo(0, 0)
  }
  here.value = read()
}

/** Back to where one came from, or to a place that is always there. */
export function goBack(otherwise = '/'): void {
  if (history.length > 1 && history.state !== null) history.back()
  else go(otherwise)
}

/** Listens to back, forward and clicks on links of the page. */
export function startRouter(): void {
  history.scrollRestoration = 'manual'
  addEventListener('popstate', () => {
    here.value = read()
    const { scrollY = 0 } = (history.state ?? {}) as Entry
    restoreScroll(scrollY)
  })
  addEventListener('click', (event) => {
    const url = event.defaultPrevented ? null : linkOf(event)
    if (url === null) return
    event.preventDefault()
    go(url)
  })
}

function linkOf(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return null
  }
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null
  const url = new URL(link.href)
  if (url.origin !== location.origin || url.hash !== '') return null
  return url.pathname + url.search
}

function rememberScroll(): void {
  const entry: Entry = { scrollY }
  history.replaceState(entry, '')
}

const FRAMES_TO_WAIT = 40

/** The view may still be on its way: tries until the page is long enough. */
function restoreScroll(top: number, frames = FRAMES_TO_WAIT): void {
  requestAnimationFrame(() => {
    scrollTo(0, top)
    if (scrollY < top - 1 && frames > 0) restoreScroll(top, frames - 1)
  })
}
