/** Draws SVG charts that are readable in light and dark themes, without overlapping text. */

const WIDTH = 760
const MARGIN = 20
const FONT = 13
const SMALL = 12
/** The right end of the longest bar; values are written to the right of bars. */
const BAR_END = 540
const BAR_HEIGHT = 14
const LINE = 18
const ROW_GAP = 14
/** The shortest visible bar. */
const LEAST = 2
/** The gap between parts of a line. */
const GAP = 16
/** Padding around the points of a curve, for their labels. */
const ROOM = 36

const STYLE = `
  text { font: ${FONT}px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
  .small { font-size: ${SMALL}px } .faint { fill: #59636e } .strong { font-weight: 600 }
  .ground { fill: #ffffff } .ours { fill: #0f766e } .peer { fill: #8b949e } .late { opacity: .35 }
  .line { fill: none; stroke-width: 2.5 } .line.ours { stroke: #0f766e } .line.peer { stroke: #8b949e }
  .grid { stroke: #d1d9e0 } .guide { fill: none; stroke: #59636e; stroke-dasharray: 4 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .faint { fill: #9198a1 } .ground { fill: #0d1117 } .ours { fill: #2dd4bf }
    .peer { fill: #7d8590 } .line.ours { stroke: #2dd4bf; fill: none } .line.peer { stroke: #7d8590; fill: none }
    .grid { stroke: #3d444d } .guide { stroke: #9198a1 }
  }`

/**
 * A row has a title, a text at its right end, and bars from the same zero. Each row has its own scale, so that rows
 * of microseconds and of seconds fit into one chart; `isShared` gives all rows the same scale.
 * @param rows `[{ title, aside?, right?, bars: [{ kind: 'ours' | 'peer', value, late?, text }] }]`; `late` is the
 *   p95
 */
export function drawBars({ title, note, legend, rows, isShared = false }) {
  const lengthOf = ({ value, late }) => Math.max(value, late ?? 0)
  const longestOf = (bars) => Math.max(...bars.map(lengthOf), Number.MIN_VALUE)
  const longest = longestOf(rows.flatMap(({ bars }) => bars))
  const parts = [...drawHead(title, note), ...drawLegend(legend, headHeight(note))]
  let y = headHeight(note) + LINE + ROW_GAP
  for (const { title: name, aside = '', right = '', bars } of rows) {
    const scale = (BAR_END - MARGIN) / (isShared ? longest : longestOf(bars))
    const words = [['strong', name], ...(aside === '' ? [] : [['small faint', aside]])]
    parts.push(writeMany(MARGIN, y + FONT, words))
    if (right !== '') parts.push(write(WIDTH - MARGIN, y + FONT, right, 'strong', 'end'))
    y += LINE + 2
    for (const bar of bars) {
      parts.push(...drawBar(bar, y, scale))
      y += BAR_HEIGHT + 4
    }
    y += ROW_GAP
  }
  return wrap(title, y, parts)
}

function drawBar({ kind, value, late = 0, text }, y, scale) {
  const width = Math.max(LEAST, value * scale)
  const end = Math.max(width, late * scale)
  const tail = end > width ? [box(MARGIN + width, y, end - width, `${kind} late`)] : []
  return [
    box(MARGIN, y, width, kind),
    ...tail,
    write(MARGIN + end + 8, y + BAR_HEIGHT - 3, text, 'small'),
  ]
}

/**
 * How a figure grows with another: both axes are logarithmic, and a dashed line from the first point of each series
 * shows linear growth.
 * @param series `[{ kind, name, points: [{ x, y, tick, text }] }]`
 */
export function drawGrowth({ title, note, series, xTitle, labelOf }) {
  const top = headHeight(note) + LINE + ROW_GAP
  const frame = { left: 70, right: WIDTH - MARGIN, top, bottom: top + 260 }
  const points = series.flatMap((one) => one.points)
  const xs = spanOf(points.map(({ x }) => x))
  const ys = powersAround(points.map(({ y }) => y))
  const at = (share, from, to) => from + share * (to - from)
  const xAt = (x) => at(shareOf(x, xs), frame.left + ROOM, frame.right - ROOM)
  const yAt = (y) => at(shareOf(y, ys), frame.bottom, frame.top)
  const parts = [...drawHead(title, note), ...drawLegend(legendOf(series), headHeight(note))]
  for (const y of powersIn(ys)) {
    parts.push(segment(frame.left, yAt(y), frame.right, yAt(y), 'grid'))
    parts.push(write(frame.left - 8, yAt(y) + 4, labelOf(y), 'small faint', 'end'))
  }
  for (const x of new Set(points.map((point) => point.tick))) {
    const [one] = points.filter((point) => point.tick === x)
    parts.push(write(xAt(one.x), frame.bottom + ROOM, x, 'small faint', 'middle'))
  }
  parts.push(
    write((frame.left + frame.right) / 2, frame.bottom + ROOM + LINE, xTitle, 'small', 'middle'),
  )
  for (const { kind, points: drawn } of series) {
    const [first, last] = [drawn[0], drawn.at(-1)]
    const proportional = Math.min((first.y * last.x) / first.x, ys.most)
    const reached = (first.x * proportional) / first.y
    parts.push(segment(xAt(first.x), yAt(first.y), xAt(reached), yAt(proportional), 'guide'))
    const path = drawn.map(({ x, y }) => `${place(xAt(x))},${place(yAt(y))}`).join(' ')
    parts.push(`<polyline class="line ${kind}" points="${path}"/>`)
    for (const { x, y, text } of drawn) {
      parts.push(`<circle class="${kind}" cx="${place(xAt(x))}" cy="${place(yAt(y))}" r="4.5"/>`)
      parts.push(write(xAt(x), yAt(y) + (kind === 'ours' ? 20 : -12), text, 'small', 'middle'))
    }
  }
  return wrap(title, frame.bottom + ROOM + LINE + MARGIN, parts)
}

function legendOf(series) {
  const guide = { kind: null, name: 'dashed: linear growth' }
  return [...series.map(({ kind, name }) => ({ kind, name })), guide]
}

function spanOf(values) {
  return { least: Math.min(...values), most: Math.max(...values) }
}

function powersAround(values) {
  const least = 10 ** Math.floor(Math.log10(Math.min(...values)))
  const most = 10 ** Math.ceil(Math.log10(Math.max(...values)))
  return { least, most: most > least ? most : least * 10 }
}

function shareOf(value, { least, most }) {
  return Math.log10(value / least) / Math.log10(most / least)
}

function powersIn({ least, most }) {
  const steps = Math.round(Math.log10(most / least))
  return Array.from({ length: steps + 1 }, (_, i) => least * 10 ** i)
}

function headHeight(note) {
  return MARGIN + LINE + (note === undefined ? 0 : LINE)
}

function drawHead(title, note) {
  const head = write(MARGIN, MARGIN + FONT, title, 'strong')
  if (note === undefined) return [head]
  return [head, write(MARGIN, MARGIN + LINE + FONT, note, 'small faint')]
}

/** One line of text, so that no entry overlaps the next, whatever the font; entries without a kind have no colour. */
function drawLegend(entries, y) {
  const words = entries.flatMap(({ kind, name }) => [
    ...(kind === null ? [] : [[kind, '■']]),
    ['small', name, kind === null ? GAP : 5],
  ])
  return [writeMany(MARGIN, y + FONT, words)]
}

function wrap(title, height, parts) {
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escapeText(title)}">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>
${parts.join('\n')}
</svg>
`
}

function write(x, y, text, look, anchor) {
  const end = anchor === undefined ? '' : ` text-anchor="${anchor}"`
  return `<text x="${place(x)}" y="${place(y)}" class="${look}"${end}>${escapeText(text)}</text>`
}

/** Parts of one line: [class, text, gap before it]. */
function writeMany(x, y, words) {
  const spans = words.map(([look, text, gap = GAP], i) => {
    const apart = i === 0 ? '' : ` dx="${gap}"`
    return `<tspan class="${look}"${apart}>${escapeText(text)}</tspan>`
  })
  return `<text x="${place(x)}" y="${place(y)}">${spans.join('')}</text>`
}

function box(x, y, width, look, height = BAR_HEIGHT) {
  return `<rect x="${place(x)}" y="${place(y)}" width="${place(width)}" height="${height}" class="${look}"/>`
}

function segment(x1, y1, x2, y2, look) {
  return `<line x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}" class="${look}"/>`
}

const place = (number) => Math.round(number * 10) / 10

function escapeText(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
