/** Writes the tables of docs/quality.md from bench/quality.json. */

import { PUBLISHED } from './published.mjs'
import { AGAINST, BARS, MEASURES, MODELS, SETS, SYSTEMS } from './sets.mjs'

/**
 * The page with everything between `<!-- NAME: … -->` and `<!-- end of NAME -->` drawn anew.
 * @param {string} page
 * @param {{ date: string, sets: Record<string, any> }} results what bench/quality.json holds
 */
export function drawPage(page, results) {
  const sets = measuredSets(results)
  const parts = {
    sets: sizesTable(sets),
    figures: MEASURES.map((measure) => figuresTable(measure, sets)).join('\n'),
    bars: barsTable(sets),
    conversations: conversationsTable(sets),
    published: publishedTable(sets),
    notes: notesTable(results.notes),
    'query by query': againstTable(sets),
    measured: measuredSentence(results),
  }
  return Object.entries(parts).reduce((drawn, [name, text]) => replacePart(drawn, name, text), page)
}

function replacePart(page, name, text) {
  const block = new RegExp(`(<!-- ${name}: .*-->\n)[\\s\\S]*?(<!-- end of ${name} -->)`)
  if (!block.test(page)) throw new Error(`docs/quality.md has no place for "${name}".`)
  return page.replace(block, (_, start, end) => `${start}\n${text}\n${end}`)
}

export function measuredSets(results) {
  return SETS.flatMap((set) => {
    const measured = results.sets[set.name]
    return measured === undefined ? [] : [{ ...set, ...measured }]
  })
}

export function withoutVariants(sets) {
  return sets.filter(({ variant }) => !variant)
}

/** Three digits without the zero, as such figures are usually written: .728. */
export function digits(value) {
  return value === undefined ? '' : value.toFixed(3).replace(/^0/, '')
}

function figuresTable({ id, title }, sets) {
  const head = [`**${title}**`, ...SYSTEMS.map(({ label }) => label)]
  const rows = sets.map(({ title: name, systems }) => {
    const cells = SYSTEMS.map((system) => digits(systems[system.id]?.[id]))
    const best = cells.toSorted().at(-1)
    const shown = cells.map((cell) => (cell === best ? `**${cell}**` : cell))
    return [name, ...shown]
  })
  return table(head, rows)
}

function sizesTable(sets) {
  const rows = sets.map(({ title, docs, queries, asked, found }) => [
    title,
    thousands(docs),
    thousands(queries),
    asked,
    found,
  ])
  return table(['set', 'documents', 'queries', 'what queries are', 'what is relevant'], rows, '---')
}

/** Sets that are several collections, each of them by itself: what a mean may hide. */
function conversationsTable(sets) {
  const columns = [
    { measure: 'ndcg@10', system: 'keyword', title: 'keyword nDCG@10' },
    { measure: 'ndcg@10', system: 'hybrid', title: 'hybrid nDCG@10' },
    { measure: 'recall@10', system: 'keyword', title: 'keyword recall@10' },
    { measure: 'recall@10', system: 'hybrid', title: 'hybrid recall@10' },
  ]
  const rows = withoutVariants(sets).flatMap(({ title, members = {} }) =>
    Object.entries(members).map(([name, { docs, queries, systems }]) => [
      `${title}, ${name}`,
      thousands(docs),
      thousands(queries),
      ...columns.map(({ system, measure }) => digits(systems[system]?.[measure])),
    ]),
  )
  return table(['', 'documents', 'queries', ...columns.map(({ title }) => title)], rows)
}

function barsTable(sets) {
  const rows = BARS.flatMap(({ set, measure, least }) => {
    const measured = sets.find(({ name }) => name === set)
    const figure = measured?.systems.hybrid?.[measure]
    if (figure === undefined) return []
    const { title } = MEASURES.find(({ id }) => id === measure)
    return [
      [measured.title, title, digits(least), digits(figure), figure >= least ? 'yes' : '**no**'],
    ]
  })
  return table(['set', 'figure', 'bar', 'measured', 'reached'], rows)
}

function publishedTable(sets) {
  const rows = PUBLISHED.flatMap(({ set, system, figures, beside, source }) => {
    const measured = sets.find(({ name }) => name === set)
    const ours = measured?.systems[beside]
    if (ours === undefined) return []
    const names = Object.keys(figures)
    const theirs = names.map((name) => `${name.replace('ndcg', 'nDCG')} ${digits(figures[name])}`)
    const { label } = SYSTEMS.find(({ id }) => id === beside)
    const cell = `${label}: ${names.map((name) => digits(ours[name])).join(', ')}`
    return [[measured.title, system, theirs.join(', '), cell, source]]
  })
  return table(['set', 'system', 'published', 'Cairn', 'source'], rows, '---')
}

/** How many of the questions have a right note among the first three. */
function notesTable({ questions, found }) {
  const forms = { question: 'as people type it', inOtherWords: 'in other words' }
  const modes = ['keyword', 'semantic', 'hybrid']
  const rows = Object.entries(forms).map(([form, title]) => [
    title,
    ...modes.map((mode) => `${found[form][mode]} of ${questions}`),
  ])
  return table(['a right note in the first three', ...modes], rows)
}

function againstTable(sets) {
  const pairs = MODELS.flatMap((model) => AGAINST.map((other) => ({ model, other })))
  const named = { static: 'hybrid', minilm: 'hybrid, MiniLM' }
  const rows = sets.map(({ title, against }) => [
    title,
    ...pairs.map(({ model, other }) => {
      const counted = against?.[model]?.[other]
      if (counted === undefined) return ''
      const { wins, losses, ties, p } = counted
      return `${wins} / ${losses} / ${ties}, ${p < 0.001 ? 'p < .001' : `p = ${digits(p)}`}`
    }),
  ])
  return table(['', ...pairs.map(({ model, other }) => `${named[model]} against ${other}`)], rows)
}

function measuredSentence({ date, machine }) {
  return `Measured on ${date} with Node ${machine.node.replace(/^v/, '')}.\n`
}

function thousands(count) {
  return count.toLocaleString('en')
}

function table([first, ...head], rows, alignment = '---:') {
  const line = (cells) => `| ${cells.join(' | ')} |\n`
  return (
    line([first, ...head]) +
    line(['---', ...head.map(() => alignment)]) +
    rows.map((row) => line(row)).join('')
  )
}
