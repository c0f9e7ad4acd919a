/** Moves among the hits by keyboard and restores the position. */

import { useEffect } from 'preact/hooks'

/** The hit that was opened last. */
let opened: string | null = null

export function rememberOpened(id: string | null): void {
  opened = id
}

export const lastOpened = (): string | null => opened

export function useHitKeys(): void {
  useEffect(() => {
    addEventListener('keydown', moveAmongHits)
    return () => removeEventListener('keydown', moveAmongHits)
  }, [])
}

const hitLinks = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-hit]')]

/** Arrows go from the field to the first hit, from hit to hit, and back up to the field; `w` asks why. */
function moveAmongHits(event: KeyboardEvent): void {
  const { target } = event
  if (!(target instanceof HTMLElement) || event.metaKey || event.ctrlKey || event.altKey) return
  if (event.key === 'w' && target.matches('[data-hit]')) {
    target.closest('.hit')?.querySelector<HTMLElement>('.why-button')?.click()
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const links = hitLinks()
  const at = links.indexOf(target)
  const isField = target.matches('[data-search-field]')
  if (at === -1 && !isField) return
  event.preventDefault()
  const next = links[at + step]
  if (next !== undefined) {
    next.focus()
    next.closest('.hit')?.scrollIntoView({ block: 'nearest' })
  } else if (step === -1) document.querySelector<HTMLElement>('[data-search-field]')?.focus()
}

export function useFocusOnReturn(hits: number): void {
  useEffect(() => {
    const id = lastOpened()
    if (hits === 0 || id === null) return
    rememberOpened(null)
    // A person who types a new query did not come back from a hit.
    if (document.activeElement?.matches('[data-search-field]')) return
    const link = hitLinks().find(({ dataset }) => dataset.hit === id)
    link?.focus({ preventScroll: true })
  }, [hits])
}
