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

export type ExploreOptions = {
  readonly depth?: number
  /** A hard cap on all works, including the start. */
  readonly maxWorks?: number
  readonly references?: boolean
  readonly citations?: boolean
  /** The share of the relevance that remains with each hop. */
  readonly decay?: number
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
  /** The best score first. */
  readonly works: readonly ExploredWork[]
  /** The citations among these works. */
  readonly edges: readonly CitationEdge[]
  /** `cap`: `maxWorks` was reached; `exhausted`: there were no more neighbours. */
  readonly endedBy: 'depth' | 'cap' | 'exhausted'
  /** How many works of the last hop the cap excluded. */
  readonly leftOut: number
}

export const EXPLORE_DEFAULTS = {
  depth: 2,
  maxWorks: 100,
  references: true,
  citations: true,
  decay: 0.7,
} as const

type Settings = Required<ExploreOptions>
type Reached = Scored & { readonly via: readonly Step[] }
type Walk = {
  readonly works: Map<string, ExploredWork>
  readonly edges: Map<string, CitationEdge>
}

/** Deterministic: ties break by id. */
export async function explore(
  graph: CitationGraph,
  start: readonly Scored[],
  options: ExploreOptions = {},
): Promise<Exploration> {
  const settings: Settings = { ...EXPLORE_DEFAULTS, ...options }
  const directions = (['references', 'citations'] as const).filter((each) => settings[each])
  const walk: Walk = { works: new Map(), edges: new Map() }
  const first = dedupe(start)
  let frontier: readonly Scored[] = first.slice(0, Math.max(settings.maxWorks, 0))
  let leftOut = first.length - frontier.length
  addWorks(walk, frontier, { hop: 0, decay: settings.decay })

  let hop = 1
  for (; hop <= settings.depth && frontier.length > 0 && leftOut === 0; hop++) {
    const free = settings.maxWorks - walk.works.size
    if (free <= 0) break
    const reached = await expand(graph, frontier, { walk, directions })
    const kept = reached.slice(0, free)
    leftOut = reached.length - kept.length
    addWorks(walk, kept, { hop, decay: settings.decay })
    frontier = kept
  }
  const isCapped = leftOut > 0 || (hop <= settings.depth && frontier.length > 0)
  const endedBy = frontier.length === 0 ? 'exhausted' : 'depth'
  // The last works were never expanded, so the edges among them are unknown. One direction is enough: the other edges
  // were found when their other end was expanded.
  if (directions[0] !== undefined && frontier.length > 0) {
    const ids = frontier.map(({ id }) => id)
    addEdges(walk, await graph.neighbours(ids, directions[0], 'close'))
  }
  return {
    works: [...walk.works.values()].sort(bestScoreFirst),
    edges: innerEdges(walk),
    endedBy: isCapped ? 'cap' : endedBy,
    leftOut,
  }
}

/** The new works that the frontier leads to, the most relevant first. */
async function expand(
  graph: CitationGraph,
  frontier: readonly Scored[],
  { walk, directions }: { readonly walk: Walk; readonly directions: readonly Direction[] },
): Promise<readonly Reached[]> {
  const ranks = new Map(frontier.map(({ id }, i) => [id, i]))
  const steps = new Map<string, Step[]>()
  for (const direction of directions) {
    const edges = await graph.neighbours([...ranks.keys()], direction, 'expand')
    for (const edge of addEdges(walk, edges)) {
      const [from, to] = direction === 'references' ? [edge.from, edge.to] : [edge.to, edge.from]
      if (!ranks.has(from) || walk.works.has(to)) continue
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

function addWorks(
  { works }: Walk,
  found: readonly (Scored & { readonly via?: readonly Step[] })[],
  { hop, decay }: { readonly hop: number; readonly decay: number },
): void {
  for (const { id, relevance, via = null } of found) {
    works.set(id, { id, relevance, hop, score: relevance * decay ** hop, via })
  }
}

/** Drops duplicates and works that cite themselves. */
function addEdges({ edges }: Walk, found: readonly CitationEdge[]): readonly CitationEdge[] {
  const distinct = new Map<string, CitationEdge>()
  for (const { from, to } of found) {
    if (from !== to) distinct.set(JSON.stringify([from, to]), { from, to })
  }
  for (const [key, edge] of distinct) edges.set(key, edge)
  return [...distinct.values()]
}

function innerEdges({ works, edges }: Walk): readonly CitationEdge[] {
  return [...edges.values()]
    .filter(({ from, to }) => works.has(from) && works.has(to))
    .sort((a, b) => byText(a.from, b.from) || byText(a.to, b.to))
}

/** Each id once, with the best relevance it was given. */
function dedupe(start: readonly Scored[]): readonly Scored[] {
  const best = new Map<string, Scored>()
  for (const { id, relevance } of start) {
    const known = best.get(id)?.relevance ?? Number.NEGATIVE_INFINITY
    best.set(id, { id, relevance: Math.max(known, finite(relevance)) })
  }
  return [...best.values()].sort(bestRelevanceFirst)
}

function finite(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0
}

function bestRelevanceFirst(a: Scored, b: Scored): number {
  return b.relevance - a.relevance || byText(a.id, b.id)
}

function bestScoreFirst(a: ExploredWork, b: ExploredWork): number {
  return b.score - a.score || a.hop - b.hop || byText(a.id, b.id)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
