/** Draws one frame of the graph. */

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
  readonly isDirected: boolean
  readonly x: Float64Array
  readonly y: Float64Array
  readonly camera: Camera
  readonly size: Size
  readonly colours: Colours
  /** The node under the pointer or the focus, and its neighbours. */
  readonly lit: number | null
  readonly neighbours: ReadonlySet<number>
  /** The nodes in the order in which their titles get room. */
  readonly byWeight: readonly number[]
}

const MOST_LABELS = 40
const LABEL_CHARS = 42
const LINE = 17
const FONT = "12px 'Inter Variable', system-ui, sans-serif"
const LIT_FONT = `600 ${FONT}`

export function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { size, lit } = picture
  context.clearRect(0, 0, size.width, size.height)
  drawEdges(context, picture)
  drawNodes(context, picture)
  drawLabels(context, picture)
  if (lit !== null) drawLit(context, picture, lit)
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
  if (!picture.isDirected) return
  for (const [from, to] of edges)
    if (from === lit || to === lit) drawArrow(context, picture, from, to)
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

/** Fills all circles of one colour in one call: 500 calls would take longer than everything else. */
function drawNodes(context: CanvasRenderingContext2D, picture: Picture): void {
  const { nodes, lit, neighbours, colours } = picture
  const isDim = (i: number): boolean => lit !== null && i !== lit && !neighbours.has(i)
  context.lineWidth = 1.5
  context.strokeStyle = colours.paper
  for (const dim of lit === null ? [false] : [true, false]) {
    context.globalAlpha = dim ? 0.3 : 1
    for (const [hop, colour] of colours.hops.entries()) {
      context.beginPath()
      for (const [i, node] of nodes.entries()) {
        const isOfHop = Math.min(node.hop, colours.hops.length - 1) === hop
        if (isOfHop && isDim(i) === dim) circle(context, picture, i)
      }
      context.fillStyle = colour
      context.fill()
      context.stroke()
    }
  }
  context.globalAlpha = 1
  if (lit === null) return
  context.beginPath()
  circle(context, picture, lit)
  context.lineWidth = 2.5
  context.strokeStyle = colours.ink
  context.stroke()
}

function circle(context: CanvasRenderingContext2D, picture: Picture, i: number): void {
  const { x, y } = placeOf(picture, i)
  const radius = radiusOf(picture, i)
  context.moveTo(x + radius, y)
  context.arc(x, y, radius, 0, 2 * Math.PI)
}

type Box = {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Titles where they cover nothing, the weightiest first; beside a lit node only those of its neighbours. */
function drawLabels(context: CanvasRenderingContext2D, picture: Picture): void {
  const { byWeight, neighbours, lit, size, nodes } = picture
  const order = lit === null ? byWeight : byWeight.filter((i) => neighbours.has(i))
  const taken = [...nodes.keys()].map((i) => boxOfNode(picture, i))
  if (lit !== null) {
    const box = placesFor(context, picture, lit)[0]
    if (box !== undefined) taken.push(box)
  }
  let drawn = 0
  context.font = FONT
  for (const i of order) {
    if (drawn >= MOST_LABELS) return
    const { x, y } = placeOf(picture, i)
    if (x < 0 || y < 0 || x > size.width || y > size.height) continue
    const own = taken[i]
    const free = placesFor(context, picture, i).find(
      (box) => !taken.some((other) => other !== own && overlap(other, box)),
    )
    if (free === undefined) continue
    taken.push(free)
    write(context, picture, i, free)
    drawn++
  }
}

/** The title of the lit node is always drawn. */
function drawLit(context: CanvasRenderingContext2D, picture: Picture, i: number): void {
  context.font = LIT_FONT
  const [box] = placesFor(context, picture, i)
  if (box !== undefined) write(context, picture, i, box)
}

function boxOfNode(picture: Picture, i: number): Box {
  const { x, y } = placeOf(picture, i)
  const reach = radiusOf(picture, i) + 1
  return { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach }
}

/** Beside, below and above the node, as far as that is in the picture. */
function placesFor(context: CanvasRenderingContext2D, picture: Picture, i: number): Box[] {
  const node = picture.nodes[i]
  if (node === undefined) return []
  const { x, y } = placeOf(picture, i)
  const width = widthOf(context, labelOf(node))
  const gap = radiusOf(picture, i) + 5
  const at = (left: number, middle: number): Box => ({
    left,
    right: left + width,
    top: middle - LINE / 2,
    bottom: middle + LINE / 2,
  })
  const all = [
    at(x + gap, y),
    at(x - gap - width, y),
    at(x - width / 2, y + gap + LINE / 2),
    at(x - width / 2, y - gap - LINE / 2),
  ]
  const inside = all.filter(({ left, right }) => left > 2 && right < picture.size.width - 2)
  return inside.length > 0 ? inside : [at(Math.max(2, x - width / 2), y + gap + LINE / 2)]
}

const widths = new Map<string, number>()

/** Measured once: a canvas measures slowly, and titles come again with every frame. */
function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const key = `${context.font} ${text}`
  const width = widths.get(key) ?? context.measureText(text).width
  // Until the font is there, another one is measured.
  if (document.fonts.status === 'loaded') widths.set(key, width)
  return width
}

function write(
  context: CanvasRenderingContext2D,
  { nodes, colours }: Picture,
  i: number,
  { left, top }: Box,
): void {
  const node = nodes[i]
  if (node === undefined) return
  const text = labelOf(node)
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 4
  context.strokeStyle = colours.paper
  context.strokeText(text, left, top + LINE / 2)
  context.fillStyle = colours.ink
  context.fillText(text, left, top + LINE / 2)
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Controls of direction would turn the letters that follow: a canvas has no isolation. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function labelOf({ title, year }: GraphNode): string {
  const clean = title.replace(DIRECTION, '')
  const short = clean.length > LABEL_CHARS ? `${clean.slice(0, LABEL_CHARS).trimEnd()}…` : clean
  return year === null ? short : `${short} ${year}`
}
