/** The keyboard shortcuts; none acts while the user types. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isFormUnfinished } from './draft.js'
import { go, goBack, here } from './router.js'

export const KEYS: readonly { readonly keys: readonly string[]; readonly does: string }[] = [
  { keys: ['/'], does: 'go to the search field' },
  { keys: ['↓', '↑'], does: 'move among the hits' },
  { keys: ['Enter'], does: 'open the hit' },
  { keys: ['w'], does: 'why is this hit here?' },
  { keys: ['n', 'N'], does: 'go to the next or previous match in a record' },
  { keys: ['e'], does: 'edit the record that is open' },
  { keys: ['Esc'], does: 'close, clear or go back' },
  { keys: ['g', 's'], does: 'go to search' },
  { keys: ['g', 't'], does: 'go to the timeline' },
  { keys: ['g', 'g'], does: 'go to the graph' },
  { keys: ['g', 'a'], does: 'go to add' },
  { keys: ['g', 'n'], does: 'go to the statistics' },
  { keys: ['?'], does: 'show these keys' },
]

const PLACES: Readonly<Record<string, string>> = {
  s: '/',
  t: '/timeline',
  g: '/graph',
  a: '/add',
  n: '/stats',
}

export const isHelpOpen = signal(false)

const SEQUENCE_MS = 1500
let pressedG = Number.NEGATIVE_INFINITY

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
    if (event.key === 'Escape') return leave(event)
    if (isTyping(event.target) || isHelpOpen.value) return
    if (performance.now() - pressedG < SEQUENCE_MS) {
      const place = PLACES[event.key]
      pressedG = Number.NEGATIVE_INFINITY
      if (place !== undefined) return act(event, () => go(place))
    }
    if (event.key === 'g') pressedG = performance.now()
    if (event.key === '/') act(event, toSearchField)
    if (event.key === '?') act(event, openHelp)
  })
}

/** Keys of one view, which do nothing while the user types in it. */
export function useKeys(listen: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isInField = event.target instanceof Element && event.target.closest('input, textarea')
      if (!isInField && !event.metaKey && !event.ctrlKey && !event.altKey) listen(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

export function openHelp(): void {
  isHelpOpen.value = true
}

function act(event: KeyboardEvent, action: () => void): void {
  event.preventDefault()
  action()
}

function toSearchField(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search-field]')
  if (field !== null) field.select()
  else go('/')
}

/** A field is left first; then the view, unless something in it is not saved. */
function leave(event: KeyboardEvent): void {
  if (isHelpOpen.value) return
  if (isTyping(event.target) && event.target instanceof HTMLElement) event.target.blur()
  else if (here.value.path !== '/' && !isFormUnfinished()) act(event, () => goBack())
}
