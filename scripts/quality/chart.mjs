/** The figures of the first table as bars, readable on a light and on a dark page. */

import { digits, measuredSets, withoutVariants } from './page.mjs'

const MEASURE = 'ndcg@10'
/** Each bar, and the system that a line across it stands for. */
const BARS = [
  { system: 'keyword', name: 'keyword' },
  { system: 'semantic', name: 'semantic', mark: 'semantic-minilm' },
  { system: 'hybrid', name: 'hybrid', mark: 'hybrid-minilm' },
]

const BAR = 30
const BETWEEN_BARS = 4
const GROUP = BARS.length * (BAR + BETWEEN_BARS) + 26
const PLOT = { left: 44, top: 56, height: 220 }
const HEIGHT = PLOT.top + PLOT.height + 40
const LINES = [0, 0.2, 0.4, 0.6, 0.8, 1]

/** Its own ground: whatever the page is, the letters stand on a colour that they can be read on. */
const STYLE = `
    svg { font: 12px system-ui, sans-serif }
    .ground { fill: #fff; stroke: #d0d7de }
    text { fill: #1f2328 } .quiet { fill: #59636e } .line { stroke: #d0d7de }
    .keyword { fill: #8c959f } .semantic { fill: #54aeff } .hybrid { fill: #0550ae }
    .mark { stroke: #1f2328; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #3d444d }
      text { fill: #f0f6fc } .quiet { fill: #9198a1 } .line { stroke: #3d444d }
      .keyword { fill: #656c76 } .semantic { fill: #1f6feb } .hybrid { fill: #a5d6ff }
      .mark { stroke: #f0f6fc }
    }
  `

/** @param {{ sets: Record<string, any> }} results what bench/quality.json holds */
export function drawChart(results) {
  const sets = withoutVariants(measuredSets(results))
  const width = PLOT.left + sets.length * GROUP + 16
  const described = sets
    .map(({ title, systems }) => {
      const values = BARS.map(({ system, name }) => `${name} ${digits(systems[system]?.[MEASURE])}`)
      return `${title}: ${values.join(', ')}`
    })
    .join('; ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img" aria-labelledby="title description">`,
    '  <title id="title">nDCG@10 of keyword, semantic and hybrid search on every judged set</title>',
    `  <desc id="description">${described}.</desc>`,
    `  <style>${STYLE}</style>`,
    `  <rect class="ground" x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="6"/>`,
    ...legend(),
    ...LINES.flatMap((value) => gridLine(value, width)),
    ...sets.flatMap((set, i) => group(set, PLOT.left + i * GROUP)),
    '</svg>',
    '',
  ].join('\n')
}

function legend() {
  const boxes = BARS.flatMap(({ name }, i) => [
    `  <rect class="${name}" x="${PLOT.left + i * 92}" y="18" width="12" height="12" rx="2"/>`,
    `  <text x="${PLOT.left + 18 + i * 92}" y="28">${name}</text>`,
  ])
  const x = PLOT.left + BARS.length * 92
  return [
    ...boxes,
    `  <line class="mark" x1="${x}" x2="${x + 14}" y1="24" y2="24"/>`,
    `  <text x="${x + 20}" y="28">the same with MiniLM</text>`,
    `  <text class="quiet" x="${x + 170}" y="28">nDCG@10, more is better</text>`,
  ]
}

function gridLine(value, width) {
  const y = heightOf(value)
  return [
    `  <line class="line" x1="${PLOT.left}" x2="${width - 16}" y1="${y}" y2="${y}"/>`,
    `  <text class="quiet" x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${value.toFixed(1)}</text>`,
  ]
}

function group({ title, systems }, left) {
  const middle = left + GROUP / 2
  const bars = BARS.flatMap(({ system, name, mark }, i) => {
    const value = systems[system]?.[MEASURE]
    if (value === undefined) return []
    const x = left + 13 + i * (BAR + BETWEEN_BARS)
    const y = heightOf(value)
    const other = systems[mark]?.[MEASURE]
    const label = Math.min(y, other === undefined ? y : heightOf(other)) - 5
    return [
      `  <rect class="${name}" x="${x}" y="${y}" width="${BAR}" height="${round(heightOf(0) - y)}" rx="2"/>`,
      ...(other === undefined
        ? []
        : [
            `  <line class="mark" x1="${x - 2}" x2="${x + BAR + 2}" y1="${heightOf(other)}" y2="${heightOf(other)}"/>`,
          ]),
      `  <text x="${x + BAR / 2}" y="${round(label)}" text-anchor="middle">${digits(value)}</text>`,
    ]
  })
  const below = PLOT.top + PLOT.height + 20
  return [...bars, `  <text x="${middle - 2}" y="${below}" text-anchor="middle">${title}</text>`]
}

function heightOf(value) {
  return round(PLOT.top + PLOT.height * (1 - value))
}

function round(value) {
  return Math.round(value * 10) / 10
}
