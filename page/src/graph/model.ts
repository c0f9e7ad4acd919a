/** Turns an exploration into numbered nodes and edges, sized by degree. */

import type { ExploreAnswer } from '../../../src/cairn/explore.js'
import type { GraphNode } from './draw.js'
import type { Edge } from './layout.js'

const LEAST_RADIUS = 4
const LEAST_AT_START = 7
const MOST_RADIUS = 13

/** By area, not by width; what one began from is never lost among the others. */
function radiusOf(isStart: boolean, share: number): number {
  const least = isStart ? LEAST_AT_START : LEAST_RADIUS
  return least + (MOST_RADIUS - least) * Math.sqrt(share)
}

export function toGraph({ nodes, edges }: Pick<ExploreAnswer, 'nodes' | 'edges'>): {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
} {
  const placeOf = new Map<string, number>(nodes.map(({ id }, i) => [id, i]))
  const numbered = edges.flatMap(({ from, to }): Edge[] => {
    const [a, b] = [placeOf.get(from), placeOf.get(to)]
    return a === undefined || b === undefined || a === b ? [] : [[a, b]]
  })
  const degree = new Map<number, number>()
  for (const place of numbered.flat()) degree.set(place, (degree.get(place) ?? 0) + 1)
  const most = Math.max(1, ...degree.values())
  return {
    nodes: nodes.map(({ id, title, year, hop }, i) => ({
      id,
      title: title ?? id,
      year,
      hop,
      radius: radiusOf(hop === 0, (degree.get(i) ?? 0) / most),
    })),
    edges: numbered,
  }
}
