/** Explores the citations around a few works, hop by hop, up to a cap. */

export type Direction = 'references' | 'citations'

/** `from` cites `to`. */
export type CitationEdge = { readonly from: string; readonly to: string }

export interface CitationGraph {
  /**
   * The edges that leave these works (`references`) or arrive at them (`citations`). Called once per hop for the whole
   * frontier, the most relevant work first, to `expand` it; and at the end to `close` the edges among found works.
   */
  neighbours(
    ids: readonly string[],
    direction: Direction,
    purpose: 'expand' | 'close',
  ): Promise<readonly CitationEdge[]>
  /** How well each work fits the query, 0 to 1; a work that is missing in the map counts as 0. */
  relevance(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type Scored = { readonly id: string; readonly relevance: number }

export type ExploreOptions = Readonly<Record<Direction, boolean>> & {
  readonly depth: number
  /** A hard cap on all works, including the start. */
  readonly maxWorks: number
  /** The share of the relevance that remains with each hop. */
  readonly decay: number
}

/** The work it was reached from, and whether that one cites it (`references`) or is cited by it (`citations`). */
export type Step = { readonly from: string; readonly direction: Direction }

export type ExploredWork = Scored & {
  readonly hop: number
  /** relevance · decay^hop */
  readonly score: number
  /** Every step that led here at its first hop; null at the start. */
  readonly via: readonly Step[] | null
}

export type Exploration = {
  readonly works: readonly ExploredWork[]
  readonly edges: readonly CitationEdge[]
  /** `cap`: `maxWorks` was reached; `exhausted`: there were no more neighbours. */
  readonly endedBy: 'depth' | 'cap' | 'exhausted'
  /** How many works of the last hop the cap excluded. */
  readonly leftOut: number
}

type Reached = Scored & { readonly via: readonly Step[] | null }

/** Deterministic: ties break by id. */
export async function explore(
  graph: CitationGraph,
  start: readonly Scored[],
  settings: ExploreOptions,
): Promise<Exploration> {
  const directions = (['references', 'citations'] as const).filter((each) => settings[each])
  const works = new Map<string, ExploredWork>()
  const edges = new Map<string, CitationEdge>()

  /** Drops duplicates and works that cite themselves. */
  const addEdges = (found: readonly CitationEdge[]): readonly CitationEdge[] => {
    const other = found.filter(({ from, to }) => from !== to)
    const distinct = new Map(
      other.map(({ from, to }) => [JSON.stringify([from, to]), { from, to }]),
    )
    for (const [key, edge] of distinct) edges.set(key, edge)
    return [...distinct.values()]
  }
  const expand = async (frontier: readonly Scored[]): Promise<readonly Reached[]> => {
    const ranks = new Map(frontier.map(({ id }, i) => [id, i]))
    const steps = new Map<string, Step[]>()
    for (const direction of directions) {
      for (const edge of addEdges(await graph.neighbours([...ranks.keys()], direction, 'expand'))) {
        const [from, to] = direction === 'references' ? [edge.from, edge.to] : [edge.to, edge.from]
        if (!ranks.has(from) || works.has(to)) continue
        steps.set(to, [...(steps.get(to) ?? []), { from, direction }])
      }
    }
    if (steps.size === 0) return []
    const relevance = await graph.relevance([...steps.keys()].sort())
    const reached = [...steps].map(([id, via]) => ({
      id,
      relevance: finite(relevance.get(id)),
      via: via.sort((a, b) => (ranks.get(a.from) ?? 0) - (ranks.get(b.from) ?? 0)),
    }))
    return reached.sort(bestRelevanceFirst)
  }

  let frontier: readonly Scored[] = []
  let leftOut = 0
  let hop = 0
  for (; hop <= settings.depth && (hop === 0 || frontier.length > 0) && leftOut === 0; hop++) {
    const free = Math.max(settings.maxWorks - works.size, 0)
    if (hop > 0 && free === 0) break
    const reached = hop === 0 ? dedupe(start) : await expand(frontier)
    for (const { id, relevance, via } of reached.slice(0, free)) {
      works.set(id, { id, relevance, hop, score: relevance * settings.decay ** hop, via })
    }
    leftOut = Math.max(reached.length - free, 0)
    frontier = reached.slice(0, free)
  }
  const isCapped = leftOut > 0 || (hop <= settings.depth && frontier.length > 0)
  const endedBy = frontier.length === 0 ? 'exhausted' : 'depth'
  // The last works were never expanded, so the edges among them are unknown. One direction is enough: the other edges
  // were found when their other end was expanded.
  if (directions[0] !== undefined && frontier.length > 0) {
    const ids = frontier.map(({ id }) => id)
    addEdges(await graph.neighbours(ids, directions[0], 'close'))
  }
  return {
    works: [...works.values()].sort(
      (a, b) => b.score - a.score || a.hop - b.hop || byText(a.id, b.id),
    ),
    edges: [...edges.values()]
      .filter(({ from, to }) => works.has(from) && works.has(to))
      .sort((a, b) => byText(a.from, b.from) || byText(a.to, b.to)),
    endedBy: isCapped ? 'cap' : endedBy,
    leftOut,
  }
}

function dedupe(start: readonly Scored[]): readonly Reached[] {
  const best = new Map<string, Reached>()
  for (const { id, relevance } of start) {
    const known = best.get(id)?.relevance ?? Number.NEGATIVE_INFINITY
    best.set(id, { id, relevance: Math.max(known, finite(relevance)), via: null })
  }
  return [...best.values()].sort(bestRelevanceFirst)
}

function finite(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0
}

function bestRelevanceFirst(a: Scored, b: Scored): number {
  return b.relevance - a.relevance || byText(a.id, b.id)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
