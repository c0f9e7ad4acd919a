/** What can be explored, what may be asked of it, and what comes back, each in one shape. */

export type Direction = 'references' | 'citations'

/** `from` cites `to`. */
export type CitationEdge = { readonly from: string; readonly to: string }

export interface CitationGraph {
  /**
   * The edges that leave these works (`references`) or arrive at them (`citations`), always written as `from` cites
   * `to`. Asked once a hop for the whole frontier, its most relevant work first: to `expand` it, or in the end to
   * `close` the edges among works that are there already.
   */
  neighbours(
    ids: readonly string[],
    direction: Direction,
    purpose: 'expand' | 'close',
  ): Promise<readonly CitationEdge[]>
  /** How well each work fits what is looked for, 0 to 1; a work that is not in the map counts as 0. */
  relevance(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type Scored = { readonly id: string; readonly relevance: number }

export type ExploreOptions = {
  readonly depth?: number
  /** A hard cap on all works, those at the start included. */
  readonly maxWorks?: number
  readonly references?: boolean
  readonly citations?: boolean
  /** What remains of the relevance for each hop away from the start. */
  readonly decay?: number
}

/** The work it was reached from, and whether that one cites it (`references`) or is cited by it (`citations`). */
export type Step = { readonly from: string; readonly direction: Direction }

export type ExploredWork = Scored & {
  readonly hop: number
  /** relevance · decay^hop */
  readonly score: number
  /** Every step that led here at its first hop; null for a work of the start. */
  readonly via: readonly Step[] | null
}

export type Exploration = {
  /** The best score first. */
  readonly works: readonly ExploredWork[]
  /** The citations among these works, each once. */
  readonly edges: readonly CitationEdge[]
  /** `cap`: it was full while there was still somewhere to look; `exhausted`: there was nowhere left. */
  readonly endedBy: 'depth' | 'cap' | 'exhausted'
  /** How many works of the last hop were found and left out because of the cap. */
  readonly leftOut: number
}
