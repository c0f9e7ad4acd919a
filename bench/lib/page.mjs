/** Writes docs/benchmarks.md, the pages below it and their charts from results.json; a missed bar is shown as missed. */

import { ABOUT } from './about.mjs'
import { drawBars, drawGrowth } from './charts.mjs'
import { labelOf } from './measure.mjs'
import { sizeOf } from './results.mjs'

const OURS = 'Cairn'

/** The pages of sections, in their order, and what each is about. */
const PAGES = {
  engines: 'Cairn beside other embedded engines',
  search: 'Searching a file',
  adding: 'Adding records, and the model',
  servers: 'PostgreSQL and servers',
  starting: 'Commands, agents and the web page',
}

/**
 * @param folder of the charts, as the pages of sections refer to it
 * @returns pages by their path in docs/, and charts by their file name in `folder`
 */
export function writePages(results, folder) {
  const images = {}
  const picture = (name, alt, svg) => {
    images[`${name}.svg`] = svg
    return `![${alt}](${folder}/${name}.svg)`
  }
  const measured = Object.entries(ABOUT).filter(([name]) => (results[name] ?? []).length > 0)
  const sectionsOf = (page) =>
    measured
      .filter(([, about]) => about.page === page)
      .map(([name, about]) => writeSection({ name, about, cases: results[name], picture }))
  const pages = Object.entries(PAGES).map(([page, title]) => {
    const head = `# Benchmarks: ${title}\n\n[All benchmarks](../benchmarks.md), and how to run them.`
    return [`benchmarks/${page}.md`, `${[head, ...sectionsOf(page)].join('\n\n')}\n`]
  })
  const list = Object.entries(PAGES).map(([page, title]) => `- [${title}](benchmarks/${page}.md)`)
  const index = [HEAD, writeGlance(results), `All figures:\n\n${list.join('\n')}`].join('\n\n')
  return { pages: { 'benchmarks.md': `${index}\n`, ...Object.fromEntries(pages) }, images }
}

const HEAD = `# Benchmarks

How fast Cairn is, compared with what people use today. Every benchmark runs Cairn and its peer on the same machine, in the same run, on the same
data, in turn. Load on the machine affects both, so ratios are more reliable than times. Some cases have a *bar*, a limit that they
should meet. A missed bar is shown as missed.

\`npm run bench\` runs all benchmarks, \`npm run bench -- NAME\` runs one, and \`--quick\` runs a small version that is not recorded. Results are stored in
\`bench/results.json\`; \`npm run bench -- --draw\` makes these pages and their charts from that file. The judged collections that some benchmarks use are not
part of the project; without them those cases are left out. [performance.md](performance.md) explains the results.

Median and p95 are of single searches, commands or whole imports: half of them took no longer than the median, and nineteen of twenty no longer
than the p95.`

function writeGlance(results) {
  const rows = Object.entries(ABOUT).flatMap(([name, about]) => {
    const one = (results[name] ?? []).findLast(about.headline)
    if (one === undefined) return []
    const { bars, met } = countBars(results[name])
    return [
      [
        `[${about.title}](benchmarks/${about.page}.md#${anchorOf(about.title)})`,
        one.case,
        formatMs(one.ours.medianMs),
        one.peer === null ? '' : `${formatMs(one.peer.medianMs)}, ${one.peer.name}`,
        formatRatio(one, about),
        bars === 0 ? '' : `${met} of ${bars} met`,
      ],
    ]
  })
  return `## At a glance\n\n${table(['', 'case', OURS, 'peer', 'ratio', 'bars'], rows)}`
}

function countBars(cases) {
  const bars = cases.flatMap(({ bar }) => bar ?? [])
  return { bars: bars.length, met: bars.filter(({ met }) => met).length }
}

function writeSection({ name, about, cases, picture }) {
  const shown = cases.filter(({ case: label }) => !about.aside?.test(label))
  const aside = cases.filter(({ case: label }) => about.aside?.test(label))
  const parts = about.phases
    ? writePhases({ name, about, cases, picture })
    : [
        picture(name, `${about.title}: ${OURS} compared with its peer`, drawCases(about, shown)),
        ...writeGrowth({ name, about, cases, picture }),
        writeTimes(about, shown),
        ...writeFurther(about, shown),
        ...writeAside(about, aside),
      ]
  const command = `npm run bench -- ${name}${about.command ? `\nnpm run bench -- ${about.command}` : ''}`
  return [
    `## ${about.title}`,
    about.compared,
    `\`\`\`\n${command}\n\`\`\``,
    ...parts,
    writeWhere(cases),
  ].join('\n\n')
}

function drawCases(about, cases) {
  const peers = new Set(cases.flatMap(({ peer }) => peer?.name ?? []))
  const [peerName] = peers.size === 1 ? peers : ['its peer']
  const legend = [
    { kind: 'ours', name: OURS },
    { kind: 'peer', name: about.rows ? 'search' : peerName },
    ...(about.rows ? [] : [{ kind: null, name: 'solid: median, pale: up to p95' }]),
  ]
  const rows = cases.map((one) => about.rows?.(one) ?? rowOf(one, about, peers.size > 1))
  const note = about.rows ? 'Longer is better.' : 'Shorter is faster. Each row has its own scale.'
  return drawBars({ title: about.title, note, legend, rows })
}

function rowOf(one, about, isPeerNamed) {
  const barOf = (kind, { medianMs, p95Ms }) => ({
    kind,
    value: medianMs,
    late: p95Ms,
    text: `${formatMs(medianMs)}, p95 ${formatMs(p95Ms)}`,
  })
  return {
    title: one.case,
    aside: isPeerNamed && one.peer !== null ? one.peer.name : '',
    right: formatRatio(one, about),
    bars: [barOf('ours', one.ours), ...(one.peer === null ? [] : [barOf('peer', one.peer)])],
  }
}

/** The same case at several sizes, and how time grows with the number of records. */
function writeGrowth({ name, about, cases, picture }) {
  const sized =
    about.growth === undefined ? [] : cases.filter(({ case: label }) => about.growth.test(label))
  if (sized.length < 2) return []
  const recordsOf = (one) => one.metrics.records ?? sizeOf(one)
  const seriesOf = (kind, label) => ({
    kind,
    name: label,
    points: sized.map((one) => ({
      x: recordsOf(one),
      y: one[kind].medianMs,
      tick: one.case.split(/[ ,]/)[0],
      text: formatMs(one[kind].medianMs),
    })),
  })
  const series = [seriesOf('ours', OURS), seriesOf('peer', sized[0].peer.name)]
  const svg = drawGrowth({
    title: `${about.title} by number of records`,
    note: 'Median of a search. Both axes are logarithmic.',
    series,
    xTitle: 'records',
    labelOf: formatMs,
  })
  const rows = sized.slice(1).map((one, i) => {
    const before = sized[i]
    const more = recordsOf(one) / recordsOf(before)
    const grown = (kind) => one[kind].medianMs / before[kind].medianMs
    const cells = [grown('ours'), grown('peer')].flatMap((times) => [
      `${digits(times)} times`,
      digits(times / more),
    ])
    return [
      `${labelOf(recordsOf(before))} to ${labelOf(recordsOf(one))}`,
      `${digits(more)} times`,
      ...cells,
    ]
  })
  const head = ['growth', 'records', OURS, 'of linear', 'peer', 'of linear']
  return [
    picture(`${name}-growth`, `${about.title}: time by number of records`, svg),
    `${table(head, rows)}\n\n*Of linear* is the growth in time divided by the growth in records: 1 is linear.`,
  ]
}

/** A peer that is the same in all rows is named once, in the head. */
function writeTimes(about, cases) {
  const peers = new Set(cases.flatMap(({ peer }) => peer?.name ?? []))
  const [only] = peers.size === 1 ? peers : [null]
  const rows = cases.map((one) => [
    one.case,
    formatTimes(one.ours),
    only === null ? (one.peer?.name ?? '') : '',
    formatTimes(one.peer),
    one.ratio === null ? '' : digits(one.ratio),
    one.bar === undefined ? '' : `${one.bar.met ? 'met' : '**missed**'}: ${one.bar.says}`,
  ])
  const ratio = about.isFast ? 'times as fast' : 'times as long'
  const head = ['median / p95', OURS, 'peer', only ?? 'of the peer', ratio, 'bar']
  return table(...withoutEmpty(head, rows))
}

function writeFurther(about, cases) {
  const rows = cases
    .map((one) => [
      one.case,
      about.isPeerNamed ? (one.peer?.name ?? '') : '',
      ...(about.also ?? []).map(([, key, unit]) => formatMetric(one, key, unit)),
    ])
    .filter((cells) => cells.slice(2).some((cell) => cell !== ''))
  if (rows.length === 0) return []
  const head = ['also measured', 'peer', ...about.also.map(([title]) => title)]
  return [table(...withoutEmpty(head, rows))]
}

function writeAside(about, cases) {
  if (cases.length === 0) return []
  return [`<details><summary>More cases</summary>\n\n${writeTimes(about, cases)}\n\n</details>`]
}

/** One chart for each mode of search: every phase of it, with posting lists and with SQL alone. */
function writePhases({ name, about, cases, picture }) {
  const kinds = new Map()
  for (const { case: label, metrics } of cases) {
    const [, kind, when] = about.phases.exec(label) ?? []
    if (kind !== undefined) kinds.set(kind, { ...kinds.get(kind), [when]: metrics })
  }
  return [...kinds].map(([kind, { before, after }]) => {
    const phases = Object.keys(after).filter((phase) => (before[phase] || after[phase]) > 0)
    const titleOf = (phase) => (phase === 'totalMs' ? 'the whole search' : phase)
    const rows = phases.map((phase) => ({
      title: titleOf(phase),
      bars: [
        { kind: 'ours', value: after[phase], text: formatMs(after[phase]) },
        { kind: 'peer', value: before[phase], text: formatMs(before[phase]) },
      ],
    }))
    const legend = [
      { kind: 'ours', name: OURS },
      { kind: 'peer', name: 'with SQL alone' },
    ]
    const title = `${about.title}: ${kind}`
    const svg = drawBars({ title, note: 'Shorter is faster.', legend, rows, isShared: true })
    return picture(`${name}-${kind.replaceAll(' ', '-')}`, title, svg)
  })
}

/** When and on which machine; one line per run. */
function writeWhere(cases) {
  const runs = cases.map(({ command, date, machine: { cpu, cores, memoryGB, node } }) => {
    const where = `${cores} cores (${cpu}), ${memoryGB} GB, Node ${node.replace('v', '')}`
    return `\`${command}\` on ${date}: ${where}`
  })
  return `Measured:\n\n${[...new Set(runs)].map((run) => `- ${run}`).join('\n')}`
}

function formatMetric(one, key, unit) {
  const value = one.metrics[key] ?? one[key]
  if (value === undefined || value === null) return ''
  if (unit === 'ms') return formatMs(value)
  if (unit === '%') return `${digits(value * 100)} %`
  const number = digits(value)
  if (unit === '/s') return `${Math.round(value).toLocaleString('en-GB')} a second`
  return unit === undefined ? number : `${number} ${unit}`
}

function formatTimes(times) {
  return times ? `${formatMs(times.medianMs)} / ${formatMs(times.p95Ms)}` : ''
}

function formatRatio({ ratio }, { isFast }) {
  return ratio === null ? '' : `${digits(ratio)} × as ${isFast ? 'fast' : 'long'}`
}

export function formatMs(ms) {
  if (ms >= 1000) return `${digits(ms / 1000)} s`
  return ms < 1 ? `${digits(ms * 1000)} µs` : `${digits(ms)} ms`
}

/** Three significant digits, without zeros at the end. */
function digits(value) {
  return value >= 1000
    ? Math.round(value).toLocaleString('en-GB')
    : String(Number(value.toPrecision(3)))
}

function withoutEmpty(head, rows) {
  const isFilled = (i) => rows.some((row) => row[i] !== '')
  const keep = (cells) => cells.filter((_, i) => isFilled(i))
  return [keep(head), rows.map(keep)]
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function anchorOf(title) {
  return title.toLowerCase().replaceAll(' ', '-')
}
