/** Lines become flowing text, and every page says which part of it is its own. */

import { beginsAnew } from './early-ends.js'
import { type Joint, jointOf, SOFT_HYPHEN, wordsOf } from './joints.js'
import type { Line } from './lines.js'
import type { PdfPage } from './pdf-text.js'
import { findRunningLines } from './running-lines.js'

export type ReadPage = { readonly label: string | null; readonly lines: readonly Line[] }
export type Composed = { readonly text: string; readonly pages: readonly PdfPage[] }

type Span = { start: number; end: number }

/** Where a page has too few lines to tell, books and papers are set about like this. */
const USUAL_LEADING = 1.2
const MIN_STEPS = 4

export function composeText(pages: readonly ReadPage[]): Composed {
  const running = findRunningLines(pages)
  const kept = pages.map(({ lines }) => lines.filter((line) => !running.has(line)))
  const words = wordsOf(kept.flat())
  const usual = leadingOf(kept.flatMap(stepsOf)) ?? USUAL_LEADING
  const draft = createDraft()
  let above: Line | null = null
  for (const lines of kept) {
    const leading = leadingOf(stepsOf(lines)) ?? usual
    let start: number | null = null
    for (const [at, below] of lines.entries()) {
      const around = {
        isSamePage: at > 0,
        leading,
        after: lines[at + 1],
        beginsAnew: beginsAnew(lines, at),
        words,
      }
      if (above !== null) draft.join(jointOf(above, below, around))
      start ??= draft.length()
      draft.add(below.text)
      above = below
    }
    draft.endPage(start ?? draft.length())
  }
  if (above?.text.endsWith(SOFT_HYPHEN)) draft.join({ between: '', dropsHyphen: true })
  return draft.finish(pages)
}

/** The text as a list of parts: taking a character off one long string copies all of it. */
function createDraft() {
  const parts: string[] = []
  const spans: Span[] = []
  let length = 0
  const add = (part: string): void => {
    parts.push(part)
    length += part.length
  }
  const dropLast = (): void => {
    parts.push((parts.pop() ?? '').slice(0, -1))
    length--
    // It may have been the last character of the pages before.
    for (let at = spans.length - 1; at >= 0; at--) {
      const span = spans[at]
      if (span === undefined || span.end <= length) break
      span.end = length
      span.start = Math.min(span.start, length)
    }
  }
  return {
    add,
    length: () => length,
    join({ between, dropsHyphen }: Joint): void {
      if (dropsHyphen) dropLast()
      add(between)
    },
    endPage: (start: number): void => void spans.push({ start, end: length }),
    finish: (pages: readonly ReadPage[]): Composed => ({
      text: parts.join(''),
      pages: spans.map((span, at) => ({ page: at + 1, label: pages[at]?.label ?? null, ...span })),
    }),
  }
}

/** How far each line is below the one before it, as a multiple of its size. */
function stepsOf(lines: readonly Line[]): number[] {
  const steps: number[] = []
  for (const [at, below] of lines.entries()) {
    const above = lines[at - 1]
    if (above === undefined || above.angle !== below.angle) continue
    const isSameColumn = below.left < above.right && above.left < below.right
    const step = (above.height - below.height) / Math.max(above.size, below.size)
    if (isSameColumn && step > 0.8 && step < 3) steps.push(step)
  }
  return steps
}

/** Lines within paragraphs are the nearest ones; a quarter of the steps are surely such. */
function leadingOf(steps: readonly number[]): number | null {
  if (steps.length < MIN_STEPS) return null
  return [...steps].sort((a, b) => a - b)[steps.length >> 2] ?? null
}
