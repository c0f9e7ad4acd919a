/** From a few works to those around them, hop by hop, never more than agreed, each with its way there. */

import type {
  CitationEdge,
  CitationGraph,
  Direction,
  Exploration,
  ExploredWork,
  ExploreOptions,
  Scored,
  Step,
} from './citation-graph.js'

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

/** The same graph, start and options always give the same answer: ties break by id. */
export async function explore(
  graph: CitationGraph,
  start: readonly Scored[],
  options: ExploreOptions = {},
): Promise<Exploration> {
  const settings: Settings = { ...EXPLORE_DEFAULTS, ...options }
  const directions = directionsOf(settings)
  const walk: Walk = { works: new Map(), edges: new Map() }
  const first = bestOf(start)
  let frontier: readonly Scored[] = first.slice(0, Math.max(settings.maxWorks, 0))
  let leftOut = first.length - frontier.length
  addWorks(walk, frontier, { hop: 0, decay: settings.decay })

  let hop = 1
  for (; hop <= settings.depth && frontier.length > 0 && leftOut === 0; hop++) {
    const room = settings.maxWorks - walk.works.size
    if (room <= 0) break
    const reached = await reachFrom(graph, frontier, { walk, directions })
    const kept = reached.slice(0, room)
    leftOut = reached.length - kept.length
    addWorks(walk, kept, { hop, decay: settings.decay })
    frontier = kept
  }
  const endedBy =
    leftOut > 0 || (hop <= settings.depth && frontier.length > 0)
      ? 'cap'
      : frontier.length === 0
        ? 'exhausted'
        : 'depth'
  await closeEdges(graph, frontier, { walk, directions })
  return {
    works: [...walk.works.values()].sort(bestScoreFirst),
    edges: innerEdges(walk),
    endedBy,
    leftOut,
  }
}

function directionsOf({ references, citations }: Settings): readonly Direction[] {
  return [
    ...(references ? ['references' as const] : []),
    ...(citations ? ['citations' as const] : []),
  ]
}

/** What the frontier leads to and nobody has seen yet, the most relevant first. */
async function reachFrom(
  graph: CitationGraph,
  frontier: readonly Scored[],
  { walk, directions }: { readonly walk: Walk; readonly directions: readonly Direction[] },
): Promise<readonly Reached[]> {
  const place = new Map(frontier.map(({ id }, i) => [id, i]))
  const ways = new Map<string, Step[]>()
  for (const direction of directions) {
    const edges = await graph.neighbours([...place.keys()], direction, 'expand')
    for (const edge of addEdges(walk, edges)) {
      const [from, to] = direction === 'references' ? [edge.from, edge.to] : [edge.to, edge.from]
      if (!place.has(from) || walk.works.has(to)) continue
      ways.set(to, [...(ways.get(to) ?? []), { from, direction }])
    }
  }
  if (ways.size === 0) return []
  const relevance = await graph.relevance([...ways.keys()].sort())
  const placeOf = ({ from }: Step): number => place.get(from) ?? 0
  const reached = [...ways].map(([id, via]) => ({
    id,
    relevance: finite(relevance.get(id)),
    via: via.sort((a, b) => placeOf(a) - placeOf(b)),
  }))
  return reached.sort(bestRelevanceFirst)
}

/**
 * The last works were never asked for their neighbours, so citations among them are still unknown. One direction is
 * enough: whatever it does not show was seen when its other end was asked.
 */
async function closeEdges(
  graph: CitationGraph,
  last: readonly Scored[],
  { walk, directions }: { readonly walk: Walk; readonly directions: readonly Direction[] },
): Promise<void> {
  const [direction] = directions
  if (direction === undefined || last.length === 0) return
  const ids = last.map(({ id }) => id)
  addEdges(walk, await graph.neighbours(ids, direction, 'close'))
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

/** Each edge once, though a graph may tell it twice. That a work cites itself says nothing. */
function addEdges({ edges }: Walk, told: readonly CitationEdge[]): readonly CitationEdge[] {
  const distinct = new Map<string, CitationEdge>()
  for (const { from, to } of told) {
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
function bestOf(start: readonly Scored[]): readonly Scored[] {
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
