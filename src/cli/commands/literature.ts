/** Commands on works: cite, citations, explore and OpenAlex. */

import type { ExploreAnswer, ExploredNode } from '../../cairn/explore.js'
import type { OnlineAnswer } from '../../cairn/openalex.js'
import type { CitedWork, MergeAnswer } from '../../cairn/works.js'
import { readStyle } from '../files.js'
import type { CommandActions, Render } from '../operation-command.js'
import { alignRows, wrap } from '../render/layout.js'
import {
  cut,
  formatCount,
  listCounts,
  measureWidth,
  oneLine,
  type Style,
  safe,
} from '../render/style.js'
import { type ShortId, shortIds, withKnownSessions } from '../resolve-ids.js'

const DIRECTIONS = { references: 'cites', citations: 'cited by' } as const
const ENDS = {
  depth: 'the depth was reached',
  cap: 'the most works were reached',
  exhausted: 'there is nothing more around',
} as const

const renderOnline: Render<'openalex.get' | 'openalex.search' | 'openalex.expand'> = async (
  answer,
  { cairn, style },
) => {
  const { works, created, updated, unchanged, conflicts, asked } = answer
  const short = await shortIds(cairn, works)
  const rows = works.map(({ id, state, year, title }) => ({
    cells: [short(id), state, year],
    text: title,
  }))
  const counts = listCounts({ created, updated, unchanged, 'with conflicts': conflicts })
  const cached = asked.fromCache === 0 ? '' : `, ${asked.fromCache} from the cache`
  const requests = style.dim(`(${formatCount(asked.requests, 'request')}${cached})`)
  return `${alignRows(rows, style)}${counts || 'no works'} ${requests}\n`
}

const ONLINE = {
  render: renderOnline,
  problem: ({ missing }: OnlineAnswer): string => {
    const names = missing.map((name) => `"${name}"`).join(', ')
    return names === '' ? '' : `OpenAlex knows no work as ${names}.`
  },
}

export const ACTIONS: CommandActions = {
  cite: {
    prepare: readStyle,
    render: ({ references }, { input, flags }) => {
      const between = input.style === 'bibtex' ? '\n\n' : '\n'
      const shown = references.map(({ text, inText }) =>
        safe(flags['in-text'] === true ? (inText ?? text) : text),
      )
      return `${shown.join(between)}\n`
    },
  },
  citations: async ({ references, citedBy, unresolved }, { cairn, style }) => {
    const short = await shortIds(cairn, [...references, ...citedBy])
    const renderWorks = (works: readonly CitedWork[]): string => {
      const rows = works.map(({ id, year, title }) => ({ cells: [short(id), year], text: title }))
      return alignRows(rows, style, '  ')
    }
    const sections = [
      [`cites ${references.length + unresolved.length}`, renderWorks(references)],
      ['not stored', unresolved.map((name) => `  ${oneLine(name)}\n`).join('')],
      [`cited by ${citedBy.length}`, renderWorks(citedBy)],
    ] as const
    const shown = sections.filter(([, rows]) => rows !== '')
    const blocks = shown.map(([heading, rows]) => `${style.bold(heading)}\n${rows}`)
    return blocks.join('') || 'no citations\n'
  },
  explore: {
    resolve: withKnownSessions,
    render: async (answer, { cairn, flags, style }) =>
      flags.dot === true
        ? renderDot(answer)
        : renderTree(answer, await shortIds(cairn, answer.nodes), style),
  },
  'works.duplicates': async ({ duplicates }, { cairn, style }) => {
    if (duplicates.length === 0) return 'no duplicates\n'
    const short = await shortIds(
      cairn,
      duplicates.flatMap(({ keep, other }) => [keep, other]),
    )
    const showWork = ({ id, title, year }: CitedWork): string => {
      const start = `${short(id)}  ${year ?? '    '}  `
      const lines = wrap(oneLine(title ?? 'untitled'), style.columns - start.length)
      return `${start}${lines.join(`\n${' '.repeat(start.length)}`)}\n`
    }
    const blocks = duplicates.map(({ reason, keep, other, differs }) => {
      // The titles are shown whole.
      const lines = differs
        .filter(({ field }) => field !== 'title')
        .map(({ field, stored, incoming }) =>
          cut(`  ${field}: ${showField(stored)} | ${showField(incoming)}`, style.columns),
        )
      const isSame = !differs.some(({ field }) => field === 'title')
      const titles = isSame ? 'the same title' : 'nearly the same title'
      const why = reason === 'preprint' ? 'published and preprint' : titles
      const command = `  cairn works merge ${short(keep.id)} ${short(other.id)}`
      return `${style.dim(why)}\n${showWork(keep)}${showWork(other)}${[...lines, style.dim(command)].join('\n')}\n`
    })
    return blocks.join('\n')
  },
  'works.merge': ({ id, merged, changed, conflicts }, { style }) => {
    const what = changed.length === 0 ? '' : `: ${changed.join(', ')}`
    const kept = conflicts.map(
      ({ field, stored, incoming }) =>
        `  ${field}: ${showField(stored)} stays, not ${showField(incoming)}\n`,
    )
    return `${style.good('merged')} ${merged} into ${id}${what}\n${kept.join('')}`
  },
  'openalex.get': ONLINE,
  'openalex.search': ONLINE,
  'openalex.expand': ONLINE,
}

function showField(value: MergeAnswer['conflicts'][number]['stored']): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.map((one) =>
    // Names of people; all else is text or a number.
    typeof one === 'object' && one !== null
      ? Object.values(one).reverse().join(' ')
      : String(one ?? ''),
  )
  return cut(oneLine(texts.join(', ')), 40)
}

function renderTree(answer: ExploreAnswer, short: ShortId, style: Style): string {
  const { nodes, degraded } = answer
  if (nodes.length === 0) return 'no works were found\n'
  const lines: string[] = []
  const add = (node: ExploredNode, before: string, branch: string): void => {
    lines.push(renderNode(node, before + branch, short, style))
    const inner = branch.startsWith('└') ? '   ' : '│  '
    const within = before + (branch === '' ? '' : inner)
    const below = nodes.filter(({ via }) => via?.[0]?.from === node.id)
    for (const [i, child] of below.entries()) {
      add(child, within, i === below.length - 1 ? '└─ ' : '├─ ')
    }
  }
  for (const node of nodes) if (node.via === null) add(node, '', '')
  const advice = degraded === null ? '' : `\n${style.dim(degraded.message)}\n`
  return `${renderSummary(answer, style)}\n\n${lines.join('\n')}\n${advice}`
}

function renderSummary(answer: ExploreAnswer, style: Style): string {
  const { nodes, edges, endedBy, leftOut, online, tookMs } = answer
  const hops = Math.max(...nodes.map(({ hop }) => hop))
  const parts = [
    formatCount(nodes.length, 'work'),
    ...(hops === 0 ? [] : [`${formatCount(hops, 'hop')} away at most`]),
    formatCount(edges.length, 'citation'),
    ...(online === null ? [] : [`${online.created} new from OpenAlex`]),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ]
  return `${parts.join(', ')}; ${ENDS[endedBy]} ${style.dim(`(${tookMs.toFixed(1)} ms)`)}`
}

/** Score, direction, title, year, id; the title takes the rest of the line. */
function renderNode(node: ExploredNode, tree: string, short: ShortId, style: Style): string {
  const { score, title, year, hop, via, id } = node
  const step = via?.[0]
  const direction = step === undefined ? '' : `${DIRECTIONS[step.direction]} `
  const others = via === null || via.length < 2 ? '' : ` · ${via.length} ways`
  const data = `${year === null ? '' : `${year} · `}hop ${hop} · ${short(id)}${others}`
  const used = 6 + measureWidth(tree) + direction.length + 2 + data.length
  const shown = cut(oneLine(title ?? 'untitled'), Math.max(24, style.columns - used))
  const points = style.good(score.toFixed(2).padStart(5))
  const name = hop === 0 ? style.bold(shown) : shown
  return `${points} ${style.dim(tree + direction)}${name}  ${style.dim(data)}`
}

/** For Graphviz: an arrow leads from a work to a work that it cites. */
function renderDot({ nodes, edges }: ExploreAnswer): string {
  const quote = (text: string): string =>
    `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
  return [
    'digraph citations {',
    '  rankdir=LR',
    '  node [shape=box, style=rounded]',
    ...nodes.map(({ id, title, year, hop }) => {
      const label = [oneLine(title ?? 'untitled'), ...(year === null ? [] : [String(year)])]
      const start = hop === 0 ? ', penwidth=2' : ''
      return `  ${quote(id)} [label=${quote(label.join('\n'))}${start}]`
    }),
    ...edges.map(({ from, to }) => `  ${quote(from)} -> ${quote(to)}`),
    '}',
    '',
  ].join('\n')
}
