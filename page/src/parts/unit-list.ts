/** Shows the units of a long text: those near the window at once, the others when the browser is idle. */

import type { Range } from '../../../src/core/answer.js'
import { recall, remember } from '../state/router.js'
import { findUnit } from './units.js'

export type UnitList = {
  /** The element that holds an offset of the text. */
  reveal(at: number): HTMLElement | null
  fillAll(): void
  /** Changes each unit after it was rendered, and those that are. */
  mark(change: (unit: HTMLElement, index: number) => void): void
  readonly isWhole: boolean
  close(): void
}

const NEAR = '1200px 0px'
const PIXELS_PER_CHAR = 0.36
const IDLE_MS = 6
/** From this many units on, only those near the window are laid out. */
const LONG_UNITS = 5

export function showUnits(
  host: HTMLElement,
  units: readonly Range[],
  render: (unit: Range) => Node,
): UnitList {
  const nodes = units.map(({ start, end }) => {
    const node = document.createElement('div')
    node.className = 'unit'
    node.style.minHeight = `${Math.round((end - start) * PIXELS_PER_CHAR)}px`
    return node
  })
  const left = new Set(nodes.keys())
  let change: Parameters<UnitList['mark']>[0] = () => {}
  const fill = (index: number): void => {
    const [node, unit] = [nodes[index], units[index]]
    if (node === undefined || unit === undefined || !left.delete(index)) return
    observer.unobserve(node)
    node.replaceChildren(render(unit))
    node.style.minHeight = ''
    change(node, index)
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) fill(nodes.indexOf(target as HTMLDivElement))
      }
    },
    { rootMargin: NEAR },
  )
  host.replaceChildren(...nodes)
  host.toggleAttribute('data-long', units.length >= LONG_UNITS)
  for (const node of nodes) observer.observe(node)
  const cancelIdle = whenIdle((deadline) => {
    for (const index of left) {
      if (performance.now() > deadline) return true
      fill(index)
    }
    return false
  })
  return {
    reveal: (at) => {
      const index = findUnit(units, at)
      fill(index)
      const parts = [...(nodes[index]?.querySelectorAll<HTMLElement>('[data-at]') ?? [])]
      return parts.findLast(({ dataset }) => Number(dataset.at) <= at) ?? nodes[index] ?? null
    },
    fillAll: () => {
      for (const index of left) fill(index)
    },
    mark: (next) => {
      change = next
      for (const [index, node] of nodes.entries()) if (!left.has(index)) change(node, index)
    },
    get isWhole() {
      return left.size === 0
    },
    close: () => {
      observer.disconnect()
      cancelIdle()
    },
  }
}

/** Calls again and again while there is more to do, a few milliseconds each. */
function whenIdle(work: (deadline: number) => boolean): () => void {
  let isCancelled = false
  const ask = (next: () => void): unknown =>
    'requestIdleCallback' in window ? requestIdleCallback(next) : setTimeout(next, 50)
  const step = (): void => {
    if (!isCancelled && work(performance.now() + IDLE_MS)) ask(step)
  }
  ask(step)
  return () => {
    isCancelled = true
  }
}

/** What is above may still take its place: looks again for a few frames. */
export function jumpTo(
  target: Element | null,
  block: ScrollLogicalPosition = 'center',
  frames = 3,
): void {
  target?.scrollIntoView({ block })
  if (frames > 0) requestAnimationFrame(() => jumpTo(target, block, frames - 1))
}

type Place = { readonly at: number; readonly top: number }

const PLACE = 'place'
const PAUSE_MS = 100

/**
 * Remembers which part of the text is at the top of the window, and returns there on the way back: the heights of units
 * that are not rendered yet are guesses, so pixels alone lead elsewhere.
 */
export function keepPlace(host: HTMLElement, list: UnitList): () => void {
  const kept = recall<Place | null>(PLACE, null)
  const part = kept === null ? null : list.reveal(kept.at)
  const restore = (frames: number): void => {
    if (part === null || kept === null) return
    scrollBy(0, part.getBoundingClientRect().top - kept.top)
    if (frames > 0) requestAnimationFrame(() => restore(frames - 1))
  }
  restore(10)
  let timer: ReturnType<typeof setTimeout> | undefined
  const note = (url: string): void => {
    if (location.href !== url) return
    const { left, width } = host.getBoundingClientRect()
    const bar = Number.parseInt(getComputedStyle(document.documentElement).scrollPaddingTop, 10)
    const top = document.elementFromPoint(left + Math.min(width, 200) / 2, bar || 0)
    const seen = top?.closest<HTMLElement>('[data-at]') ?? null
    const place = seen === null ? null : Number(seen.dataset.at)
    remember(PLACE, place === null ? null : { at: place, top: seen?.getBoundingClientRect().top })
  }
  const listen = (): void => {
    clearTimeout(timer)
    timer = setTimeout(note, PAUSE_MS, location.href)
  }
  addEventListener('scroll', listen)
  return () => {
    clearTimeout(timer)
    removeEventListener('scroll', listen)
  }
}
