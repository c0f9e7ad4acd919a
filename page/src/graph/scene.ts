/** Moves, zooms, drags and opens the graph; draws only when something changed. */

import {
  type Camera,
  fitAll,
  moveBy,
  type Point,
  type Size,
  toGraph,
  toScreen,
  zoomAt,
} from './camera.js'
import { type Colours, draw, type GraphNode } from './draw.js'
import { type Edge, Layout } from './layout.js'

type SceneOptions = {
  readonly canvas: HTMLCanvasElement
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
  /** A citation has a direction, nearness has none. */
  readonly isDirected: boolean
  readonly onOpen: (id: string) => void
  readonly onLight: (id: string | null) => void
}

type Grip =
  | { readonly kind: 'none' }
  | { readonly kind: 'pan'; readonly at: Point }
  | { readonly kind: 'node'; readonly node: number; readonly start: Point; isMoved: boolean }
  | { readonly kind: 'pinch'; readonly distance: number }

const STEPS_A_FRAME = 2
/** A pointer that moves less than this has clicked. */
const CLICK_PX = 5
const REACH_PX = 9

export class Scene {
  readonly #options: SceneOptions
  readonly #context: CanvasRenderingContext2D | null
  readonly #layout: Layout
  readonly #neighbours: readonly ReadonlySet<number>[]
  readonly #byWeight: readonly number[]
  readonly #ends = new AbortController()
  readonly #resizing: ResizeObserver
  readonly #fingers = new Map<number, Point>()
  #camera: Camera = { scale: 1, x: 0, y: 0 }
  #size: Size = { width: 1, height: 1 }
  #colours: Colours
  #lit: number | null = null
  #grip: Grip = { kind: 'none' }
  /** The camera follows the layout until somebody takes hold of it. */
  #isFollowing = true
  #frame = 0

  constructor(options: SceneOptions) {
    const { canvas, nodes, edges } = options
    this.#options = options
    this.#context = canvas.getContext('2d')
    this.#layout = new Layout(nodes.length, edges)
    this.#neighbours = neighboursOf(nodes.length, edges)
    this.#byWeight = [...nodes.keys()].sort(
      (a, b) =>
        Number(nodes[a]?.hop !== 0) - Number(nodes[b]?.hop !== 0) ||
        (nodes[b]?.radius ?? 0) - (nodes[a]?.radius ?? 0),
    )
    this.#colours = readColours(canvas)
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.#layout.settle()
    this.#listen()
    this.#resizing = new ResizeObserver(() => this.#measure())
    this.#resizing.observe(canvas)
    this.#measure()
  }

  close(): void {
    this.#ends.abort()
    this.#resizing.disconnect()
    cancelAnimationFrame(this.#frame)
  }

  recolour(): void {
    this.#colours = readColours(this.#options.canvas)
    this.#wake()
  }

  light(id: string | null): void {
    const place = this.#options.nodes.findIndex((node) => node.id === id)
    this.#lit = place === -1 ? null : place
    this.#wake()
  }

  zoom(factor: number): void {
    const { width, height } = this.#size
    this.#look(zoomAt(this.#camera, { x: width / 2, y: height / 2 }, factor))
  }

  showAll(): void {
    this.#isFollowing = true
    this.#camera = fitAll(this.#layout.x, this.#layout.y, this.#size)
    this.#wake()
  }

  #look(camera: Camera): void {
    this.#isFollowing = false
    this.#camera = camera
    this.#wake()
  }

  #measure(): void {
    const { canvas } = this.#options
    const { clientWidth: width, clientHeight: height } = canvas
    const sharpness = devicePixelRatio || 1
    this.#size = { width, height }
    canvas.width = Math.round(width * sharpness)
    canvas.height = Math.round(height * sharpness)
    this.#context?.setTransform(sharpness, 0, 0, sharpness, 0, 0)
    if (this.#isFollowing) this.#camera = fitAll(this.#layout.x, this.#layout.y, this.#size)
    this.#wake()
  }

  #wake(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#show())
  }

  #show(): void {
    this.#frame = 0
    const layout = this.#layout
    const isMoving = !layout.isAtRest
    if (isMoving) for (let i = 0; i < STEPS_A_FRAME; i++) layout.step()
    if (isMoving && this.#isFollowing) this.#camera = fitAll(layout.x, layout.y, this.#size)
    if (this.#context !== null) this.#draw(this.#context)
    if (isMoving) this.#wake()
  }

  #draw(context: CanvasRenderingContext2D): void {
    const { nodes, edges, isDirected } = this.#options
    draw(context, {
      nodes,
      edges,
      isDirected,
      x: this.#layout.x,
      y: this.#layout.y,
      camera: this.#camera,
      size: this.#size,
      colours: this.#colours,
      lit: this.#lit,
      neighbours: this.#lit === null ? new Set() : (this.#neighbours[this.#lit] ?? new Set()),
      byWeight: this.#layout.isCalm ? this.#byWeight : [],
    })
  }

  #listen(): void {
    const { canvas } = this.#options
    const { signal } = this.#ends
    canvas.addEventListener('pointerdown', (event) => this.#press(event), { signal })
    canvas.addEventListener('pointermove', (event) => this.#move(event), { signal })
    canvas.addEventListener('pointerup', (event) => this.#release(event, true), { signal })
    canvas.addEventListener('pointercancel', (event) => this.#release(event, false), { signal })
    canvas.addEventListener('pointerleave', () => this.#light(null), { signal })
    canvas.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault()
        const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015))
        this.#look(zoomAt(this.#camera, pointOf(event), factor))
      },
      { signal, passive: false },
    )
  }

  #press(event: PointerEvent): void {
    const at = pointOf(event)
    this.#options.canvas.setPointerCapture(event.pointerId)
    this.#fingers.set(event.pointerId, at)
    if (this.#fingers.size === 2) {
      this.#layout.release()
      this.#grip = { kind: 'pinch', distance: this.#spread() }
      return
    }
    const node = this.#nodeAt(at)
    if (node === null) this.#grip = { kind: 'pan', at }
    else this.#grip = { kind: 'node', node, start: at, isMoved: false }
  }

  #move(event: PointerEvent): void {
    const at = pointOf(event)
    if (this.#fingers.has(event.pointerId)) this.#fingers.set(event.pointerId, at)
    const grip = this.#grip
    switch (grip.kind) {
      case 'none':
        this.#light(this.#nodeAt(at))
        return
      case 'pan':
        this.#look(moveBy(this.#camera, at.x - grip.at.x, at.y - grip.at.y))
        this.#grip = { kind: 'pan', at }
        return
      case 'node':
        if (Math.hypot(at.x - grip.start.x, at.y - grip.start.y) > CLICK_PX) grip.isMoved = true
        if (grip.isMoved) this.#drag(grip.node, at)
        return
      case 'pinch': {
        const distance = this.#spread()
        this.#look(zoomAt(this.#camera, this.#middle(), distance / grip.distance))
        this.#grip = { kind: 'pinch', distance }
      }
    }
  }

  #drag(node: number, at: Point): void {
    const place = toGraph(this.#camera, at)
    this.#isFollowing = false
    this.#layout.hold(node, place.x, place.y)
    this.#wake()
  }

  #release(event: PointerEvent, isOpening: boolean): void {
    const grip = this.#grip
    this.#fingers.delete(event.pointerId)
    this.#layout.release()
    this.#grip = { kind: 'none' }
    if (grip.kind !== 'node' || grip.isMoved || !isOpening) return
    const node = this.#options.nodes[grip.node]
    if (node !== undefined) this.#options.onOpen(node.id)
  }

  #light(node: number | null): void {
    if (node === this.#lit) return
    this.#lit = node
    const { canvas, nodes, onLight } = this.#options
    canvas.style.cursor = node === null ? 'grab' : 'pointer'
    onLight(node === null ? null : (nodes[node]?.id ?? null))
    this.#wake()
  }

  /** The nearest within reach of a finger. */
  #nodeAt(at: Point): number | null {
    let nearest: number | null = null
    let least = Infinity
    for (const [i, { radius }] of this.#options.nodes.entries()) {
      const place = { x: this.#layout.x[i] ?? 0, y: this.#layout.y[i] ?? 0 }
      const { x, y } = toScreen(this.#camera, place)
      const distance = Math.hypot(x - at.x, y - at.y)
      if (distance < Math.max(REACH_PX, radius + 3) && distance < least) {
        nearest = i
        least = distance
      }
    }
    return nearest
  }

  #spread(): number {
    const [a, b] = [...this.#fingers.values()]
    return a === undefined || b === undefined ? 1 : Math.max(1, Math.hypot(a.x - b.x, a.y - b.y))
  }

  #middle(): Point {
    const [a, b] = [...this.#fingers.values()]
    if (a === undefined || b === undefined) return { x: 0, y: 0 }
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  }
}

const pointOf = ({ offsetX, offsetY }: MouseEvent): Point => ({ x: offsetX, y: offsetY })

function neighboursOf(count: number, edges: readonly Edge[]): ReadonlySet<number>[] {
  const neighbours = Array.from({ length: count }, () => new Set<number>())
  for (const [from, to] of edges) {
    neighbours[from]?.add(to)
    neighbours[to]?.add(from)
  }
  return neighbours
}

function readColours(canvas: HTMLCanvasElement): Colours {
  const style = getComputedStyle(canvas)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  return {
    ink: colour('--ink'),
    paper: colour('--paper'),
    edge: colour('--graph-edge'),
    edgeLit: colour('--accent'),
    hops: [colour('--graph-start'), colour('--graph-near'), colour('--graph-far')],
  }
}
