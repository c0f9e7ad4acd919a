/** A force-directed layout that settles the same way every time. */

export type Edge = readonly [from: number, to: number]

const REPULSION = 1700
const SPRING_LENGTH = 70
const SPRING = 0.06
const GRAVITY = 0.016
/** A point without edges would drift away. */
const GRAVITY_ALONE = 0.045
/** What is left of a point's speed after each step. */
const FRICTION = 0.6
const COOLING = 0.985
const COLD = 0.02
const CALM = 0.25
/** Points that lie on each other would be thrown apart without end. */
const NEAREST = 16
/** The golden angle: points on a spiral lie evenly, and no two on one spot. */
const TURN = Math.PI * (3 - Math.sqrt(5))
const SPACING = 26

/**
 * Every pair repels, which is count² / 2 computations a step: below a millisecond for 500 points, and nothing
 * shows more than 1000.
 */
export class Layout {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly #vx: Float64Array
  readonly #vy: Float64Array
  readonly #edges: readonly Edge[]
  /** Edges of a point with many pull less each, or a hub would swallow its neighbours. */
  readonly #pull: Float64Array
  readonly #gravity: Float64Array
  #held: number | null = null
  #heat = 1

  constructor(count: number, edges: readonly Edge[]) {
    this.x = new Float64Array(count)
    this.y = new Float64Array(count)
    this.#vx = new Float64Array(count)
    this.#vy = new Float64Array(count)
    this.#edges = edges
    const degree = new Float64Array(count)
    for (const [from, to] of edges) {
      degree[from] = (degree[from] ?? 0) + 1
      degree[to] = (degree[to] ?? 0) + 1
    }
    this.#pull = Float64Array.from(edges, ([from, to]) =>
      Math.max(0.15, 1 / Math.sqrt(Math.min(degree[from] ?? 1, degree[to] ?? 1))),
    )
    this.#gravity = degree.map((edgesOf) => (edgesOf === 0 ? GRAVITY_ALONE : GRAVITY))
    for (let i = 0; i < count; i++) {
      const radius = SPACING * Math.sqrt(i + 0.5)
      this.x[i] = radius * Math.cos(i * TURN)
      this.y[i] = radius * Math.sin(i * TURN)
    }
  }

  /** The points move too slowly to be seen moving. */
  get isCalm(): boolean {
    return this.#heat < CALM
  }

  get isAtRest(): boolean {
    return this.#heat < COLD && this.#held === null
  }

  /** Holds a point where the hand is; the others follow. */
  hold(point: number, x: number, y: number): void {
    this.#held = point
    this.x[point] = x
    this.y[point] = y
    this.#heat = Math.max(this.#heat, 0.3)
  }

  release(): void {
    this.#held = null
  }

  step(): void {
    this.#repel()
    this.#draw()
    const { x, y } = this
    for (let i = 0; i < x.length; i++) {
      if (i === this.#held) {
        this.#vx[i] = 0
        this.#vy[i] = 0
        continue
      }
      const gravity = (this.#gravity[i] ?? 0) * this.#heat
      const vx = ((this.#vx[i] ?? 0) - (x[i] ?? 0) * gravity) * FRICTION
      const vy = ((this.#vy[i] ?? 0) - (y[i] ?? 0) * gravity) * FRICTION
      this.#vx[i] = vx
      this.#vy[i] = vy
      x[i] = (x[i] ?? 0) + vx
      y[i] = (y[i] ?? 0) + vy
    }
    this.#heat *= COOLING
  }

  /** Runs to the end at once, for people who want no motion. */
  settle(): void {
    while (this.#heat >= COLD) this.step()
  }

  #repel(): void {
    const { x, y } = this
    const count = x.length
    const force = REPULSION * this.#heat
    for (let i = 0; i < count; i++) {
      const xi = x[i] ?? 0
      const yi = y[i] ?? 0
      let fx = 0
      let fy = 0
      for (let j = i + 1; j < count; j++) {
        const dx = xi - (x[j] ?? 0)
        const dy = yi - (y[j] ?? 0)
        const push = force / Math.max(NEAREST, dx * dx + dy * dy)
        const px = (dx * push) / 10
        const py = (dy * push) / 10
        fx += px
        fy += py
        this.#vx[j] = (this.#vx[j] ?? 0) - px
        this.#vy[j] = (this.#vy[j] ?? 0) - py
      }
      this.#vx[i] = (this.#vx[i] ?? 0) + fx
      this.#vy[i] = (this.#vy[i] ?? 0) + fy
    }
  }

  #draw(): void {
    const { x, y } = this
    for (const [place, [from, to]] of this.#edges.entries()) {
      const dx = (x[to] ?? 0) - (x[from] ?? 0)
      const dy = (y[to] ?? 0) - (y[from] ?? 0)
      const distance = Math.sqrt(dx * dx + dy * dy) || 1
      const pull =
        ((distance - SPRING_LENGTH) / distance) * SPRING * this.#heat * (this.#pull[place] ?? 1)
      this.#vx[from] = (this.#vx[from] ?? 0) + dx * pull
      this.#vy[from] = (this.#vy[from] ?? 0) + dy * pull
      this.#vx[to] = (this.#vx[to] ?? 0) - dx * pull
      this.#vy[to] = (this.#vy[to] ?? 0) - dy * pull
    }
  }
}
