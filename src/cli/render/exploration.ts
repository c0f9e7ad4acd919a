/** An exploration is a tree that shows how each work was reached, or a graph that other programs draw. */

import type { ExploreAnswer, ExploredNode } from '../../cairn/explore.js'
import type { ShortId } from '../resolve-ids.js'
import { cut, oneLine, type Style, widthOf } from './style.js'

const SAYS = { references: 'cites', citations: 'cited by' } as const
const ENDS = {
  depth: 'the depth was reached',
  cap: 'the most works were reached',
  exhausted: 'there is nothing more around',
} as const

export function renderExploration(answer: ExploreAnswer, short: ShortId, style: Style): string {
  const { nodes, degraded } = answer
  if (nodes.length === 0) return 'no works were found\n'
  const below = new Map<string, ExploredNode[]>()
  for (const node of nodes) {
    const parent = node.via?.[0]?.from
    if (parent !== undefined) below.set(parent, [...(below.get(parent) ?? []), node])
  }
  const lines: string[] = []
  const add = (node: ExploredNode, before: string, branch: string): void => {
    lines.push(nodeLine(node, before + branch, short, style))
    const children = below.get(node.id) ?? []
    const within = before + (branch === '' ? '' : branch.startsWith('└') ? '   ' : '│  ')
    for (const [i, child] of children.entries()) {
      add(child, within, i === children.length - 1 ? '└─ ' : '├─ ')
    }
  }
  for (const node of nodes) if (node.via === null) add(node, '', '')
  const advice = degraded === null ? '' : `\n${style.dim(degraded.message)}\n`
  return `${summary(answer, style)}\n\n${lines.join('\n')}\n${advice}`
}

function summary({ nodes, edges, endedBy, leftOut, online, tookMs }: ExploreAnswer, style: Style) {
  const hops = Math.max(...nodes.map(({ hop }) => hop))
  const parts = [
    counted(nodes.length, 'work'),
    ...(hops === 0 ? [] : [`${counted(hops, 'hop')} away at most`]),
    counted(edges.length, 'citation'),
    ...(online === null ? [] : [`${online.created} new from OpenAlex`]),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ]
  return `${parts.join(', ')}; ${ENDS[endedBy]} ${style.dim(`(${tookMs.toFixed(1)} ms)`)}`
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/** Score, way, title, year, id; the title takes what is left of the line. */
function nodeLine(node: ExploredNode, tree: string, short: ShortId, style: Style): string {
  const { score, title, year, hop, via, id } = node
  const step = via?.[0]
  const way = step === undefined ? '' : `${SAYS[step.direction]} `
  const others = via === null || via.length < 2 ? '' : ` · ${via.length} ways`
  const data = `${year === null ? '' : `${year} · `}hop ${hop} · ${short(id)}${others}`
  const used = 6 + widthOf(tree) + way.length + 2 + data.length
  const shown = cut(oneLine(title ?? 'untitled'), Math.max(24, style.columns - used))
  const named = hop === 0 ? style.bold(shown) : shown
  const points = style.good(score.toFixed(2).padStart(5))
  return `${points} ${style.dim(tree + way)}${named}  ${style.dim(data)}`
}

/** For `dot`: an arrow leads from a work to what it cites. */
export function renderDot({ nodes, edges }: ExploreAnswer): string {
  return [
    'digraph citations {',
    '  rankdir=LR',
    '  node [shape=box, style=rounded]',
    ...nodes.map(({ id, title, year, hop }) => {
      const label = [oneLine(title ?? 'untitled'), ...(year === null ? [] : [String(year)])]
      const start = hop === 0 ? ', penwidth=2' : ''
      return `  ${quoted(id)} [label=${quoted(label.join('\n'))}${start}]`
    }),
    ...edges.map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)}`),
    '}',
    '',
  ].join('\n')
}

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}
