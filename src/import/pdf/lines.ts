/** The pieces of a page become its lines, in the order the page gives them. */

import { cleanLine, cleanPart } from './clean.js'
import type { PdfItem } from './pdfjs-worker.js'

export type Line = {
  readonly text: string
  /** Along the line, in points: where it begins and ends. */
  readonly left: number
  readonly right: number
  /** Across the line: greater is higher on the page. */
  readonly height: number
  /** Of the letters, in points. */
  readonly size: number
  /** Degrees; 0 is upright. */
  readonly angle: number
}

type Draft = { -readonly [key in keyof Line]: Line[key] } & { longest: number; isEnded: boolean }
type Place = Omit<Line, 'text'>

/** Superscripts and subscripts are off the line by less than this share of the letters' size. */
const SAME_LINE = 0.5
/** After what the library calls the end of a line, only what is nearer than this belongs to it. */
const NEAR = 3
const WORD_GAP = 0.25

export function readLines(items: readonly PdfItem[]): Line[] {
  const lines: Draft[] = []
  for (const item of items) {
    const last = lines.at(-1)
    const text = cleanPart(item.str)
    if (text.trim() === '') {
      if (last !== undefined && text !== '') last.text += ' '
    } else {
      const place = placeOf(item)
      if (last !== undefined && continues(last, place)) extend(last, place, text)
      else lines.push({ ...place, text, longest: text.length, isEnded: false })
    }
    const current = lines.at(-1)
    if (current !== undefined && item.hasEOL) current.isEnded = true
  }
  return lines.map(finish).filter(({ text }) => text !== '')
}

function finish({ text, left, right, height, size, angle }: Draft): Line {
  return { text: cleanLine(text), left, right, height, size, angle }
}

/** Coordinates along and across the direction of writing, so that turned pages need no rules of their own. */
function placeOf({ transform, width, height }: PdfItem): Place {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform.every(Number.isFinite)
    ? transform
    : []
  const scale = Math.hypot(a, b) || 1
  const [ux, uy] = [a / scale, b / scale]
  const left = x * ux + y * uy
  return {
    left,
    right: left + (Number.isFinite(width) ? width : 0),
    height: y * ux - x * uy,
    size: height || Math.hypot(c, d) || 1,
    angle: Math.round((Math.atan2(uy, ux) * 180) / Math.PI),
  }
}

function continues(line: Draft, place: Place): boolean {
  if (place.angle !== line.angle) return false
  const size = Math.max(line.size, place.size)
  if (Math.abs(place.height - line.height) > SAME_LINE * size) return false
  if (place.left < line.left - size) return false
  return !line.isEnded || Math.abs(place.left - line.right) < NEAR * size
}

function extend(line: Draft, place: Place, text: string): void {
  const gap = place.left - line.right
  if (gap > WORD_GAP * Math.min(line.size, place.size)) line.text += ' '
  line.text += text
  line.left = Math.min(line.left, place.left)
  line.right = Math.max(line.right, place.right)
  line.isEnded = false
  // The longest piece says how large the line is: others may be superscripts.
  if (text.length > line.longest) {
    line.longest = text.length
    line.size = place.size
    line.height = place.height
  }
}
