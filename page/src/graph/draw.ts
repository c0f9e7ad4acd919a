/** Promise: one picture of the graph, drawn from nothing but what it is given. */

import { type Camera, type Size, toScreen } from './camera.js'
import type { Edge } from './layout.js'

export type GraphNode = {
  readonly id: string
  readonly title: string
  readonly year: number | null
  readonly hop: number
  readonly radius: number
}

export type Colours = {
  readonly ink: string
  readonly paper: string
  readonly edge: string
  readonly edgeLit: string
  /** By hop: the start first. */
  readonly hops: readonly string[]
}

export type Picture = {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
  readonly x: Float64Array
  readonly y: Float64Array
  readonly camera: Camera
  readonly size: Size
  readonly colours: Colours
  /** The node under the pointer or the focus, and its neighbours. */
  readonly lit: number | null
  readonly neighbours: ReadonlySet<number>
  /** Whose titles come first, where there is room for some. */
  readonly byWeight: readonly number[]
}

const MOST_LABELS = 40
const LABEL_CHARS = 42
const FONT = "12px 'Inter Variable', system-ui, sans-serif"

export function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { size, lit } = picture
  context.clearRect(0, 0, size.width, size.height)
  drawEdges(context, picture)
  for (const i of picture.nodes.keys()) drawNode(context, picture, i)
  context.globalAlpha = 1
  drawLabels(context, picture)
  if (lit !== null) drawLabel(context, picture, lit, null)
}

function placeOf({ camera, x, y }: Picture, i: number) {
  return toScreen(camera, { x: x[i] ?? 0, y: y[i] ?? 0 })
}

const radiusOf = ({ camera, nodes }: Picture, i: number): number =>
  (nodes[i]?.radius ?? 4) * Math.max(0.55, Math.min(1.6, Math.sqrt(camera.scale)))

function drawEdges(context: CanvasRenderingContext2D, picture: Picture): void {
  const { edges, lit, colours } = picture
  const stroke = (isLit: boolean): void => {
    context.beginPath()
    for (const [from, to] of edges) {
      const touches = lit !== null && (from === lit || to === lit)
      if (touches !== isLit) continue
      const a = placeOf(picture, from)
      const b = placeOf(picture, to)
      context.moveTo(a.x, a.y)
      context.lineTo(b.x, b.y)
    }
    context.stroke()
  }
  context.lineWidth = 1
  context.strokeStyle = colours.edge
  context.globalAlpha = lit === null ? 1 : 0.35
  stroke(false)
  context.globalAlpha = 1
  if (lit === null) return
  context.lineWidth = 1.5
  context.strokeStyle = colours.edgeLit
  stroke(true)
  for (const [from, to] of edges) if (from === lit || to === lit) drawArrow(context, picture, from, to)
}

/** At the end of what is cited. */
function drawArrow(
  context: CanvasRenderingContext2D,
  picture: Picture,
  from: number,
  to: number,
): void {
  const a = placeOf(picture, from)
  const b = placeOf(picture, to)
  const angle = Math.atan2(b.y - a.y, b.x - a.x)
  const gap = radiusOf(picture, to) + 2
  const tip = { x: b.x - Math.cos(angle) * gap, y: b.y - Math.sin(angle) * gap }
  context.fillStyle = picture.colours.edgeLit
  context.beginPath()
  context.moveTo(tip.x, tip.y)
  for (const turn of [-0.42, 0.42]) {
    context.lineTo(tip.x - 8 * Math.cos(angle + turn), tip.y - 8 * Math.sin(angle + turn))
  }
  context.fill()
}

function drawNode(context: CanvasRenderingContext2D, picture: Picture, i: number): void {
  const { nodes, lit, neighbours, colours } = picture
  const node = nodes[i]
  if (node === undefined) return
  const { x, y } = placeOf(picture, i)
  const isDim = lit !== null && i !== lit && !neighbours.has(i)
  context.globalAlpha = isDim ? 0.3 : 1
  context.beginPath()
  context.arc(x, y, radiusOf(picture, i), 0, 2 * Math.PI)
  context.fillStyle = colours.hops[Math.min(node.hop, colours.hops.length - 1)] ?? colours.ink
  context.fill()
  context.lineWidth = i === lit ? 2.5 : 1.5
  context.strokeStyle = i === lit ? colours.ink : colours.paper
  context.stroke()
}

type Box = {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Titles where there is room, the weightiest first; those near the lit node before all others. */
function drawLabels(context: CanvasRenderingContext2D, picture: Picture): void {
  const { byWeight, neighbours, lit, size } = picture
  const order =
    lit === null ? byWeight : [...neighbours, ...byWeight.filter((i) => !neighbours.has(i))]
  const taken: Box[] = []
  let drawn = 0
  for (const i of order) {
    if (drawn >= MOST_LABELS) return
    const isDim = lit !== null && !neighbours.has(i)
    if (i === lit || isDim) continue
    const { x, y } = placeOf(picture, i)
    if (x < 0 || y < 0 || x > size.width || y > size.height) continue
    if (drawLabel(context, picture, i, taken)) drawn++
  }
}

/** `taken`: only where nothing else is written; null: in any case. */
function drawLabel(
  context: CanvasRenderingContext2D,
  picture: Picture,
  i: number,
  taken: Box[] | null,
): boolean {
  const { nodes, colours, size } = picture
  const node = nodes[i]
  if (node === undefined) return false
  const text = taken === null ? labelOf(node, LABEL_CHARS * 2) : labelOf(node, LABEL_CHARS)
  context.font = taken === null ? `600 ${FONT}` : FONT
  const { x, y } = placeOf(picture, i)
  const width = context.measureText(text).width
  const offset = radiusOf(picture, i) + 5
  const isAtEdge = x + offset + width > size.width - 4
  const left = isAtEdge ? Math.max(4, x - offset - width) : x + offset
  const box = { left: left - 3, right: left + width + 3, top: y - 9, bottom: y + 9 }
  if (taken !== null) {
    if (taken.some((other) => overlap(other, box))) return false
    taken.push(box)
  }
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = taken === null ? 5 : 3.5
  context.strokeStyle = colours.paper
  context.strokeText(text, left, y)
  context.fillStyle = colours.ink
  context.fillText(text, left, y)
  return true
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Controls of direction would turn the letters that follow: a canvas has no isolation. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function labelOf({ title, year }: GraphNode, chars: number): string {
  const clean = title.replace(DIRECTION, '')
  const short = clean.length > chars ? `${clean.slice(0, chars).trimEnd()}…` : clean
  return year === null ? short : `${short} ${year}`
}
