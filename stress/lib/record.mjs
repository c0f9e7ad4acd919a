/** What the latest recorded run of each fault saw is in results.json, and the table of docs/faults.md says just that. */

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'

export const RESULTS = new URL('../results.json', import.meta.url)
export const PAGE = new URL('../../docs/faults.md', import.meta.url)
const TABLE =
  /(<!-- figures: written by `npm run stress -- --record` -->\n)[\s\S]*?(<!-- end of figures -->)/

/** By fault: `{ clock: { date, machine, seed, seconds, figures, problems } }`; `problems` is how many there were, `postgres` the same of a run on a server. */
export function readResults() {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

/** The result of one fault takes the place of the one before it, and the page is drawn anew. */
export function record({ name, seed, seconds, figures, problems }, faults, isPostgres = false) {
  const date = new Date().toISOString().slice(0, 10)
  const machine = { cores: availableParallelism(), node: process.version }
  const result = { date, machine, seed, seconds, figures, problems: problems.length }
  const before = readResults()
  const { postgres } = before[name] ?? {}
  const merged = isPostgres
    ? { ...before[name], postgres: result }
    : { ...result, ...(postgres && { postgres }) }
  const all = Object.entries({ ...before, [name]: merged })
  const sorted = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RESULTS, `${JSON.stringify(sorted, null, 2)}\n`)
  writeFileSync(PAGE, drawTable(readFileSync(PAGE, 'utf8'), sorted, faults))
}

/**
 * The page with its table written anew.
 * @param faults modules by name: each tells its figures in words
 */
export function drawTable(page, results, faults) {
  if (!TABLE.test(page)) throw new Error('docs/faults.md has lost the place of its table')
  const runs = Object.entries(faults).flatMap(([name, { tell }]) => {
    const { postgres, ...own } = results[name] ?? {}
    const onServer = { label: `\`${name}\` on PostgreSQL`, tell, result: postgres }
    return [{ label: `\`${name}\``, tell, result: own }, ...(postgres ? [onServer] : [])]
  })
  const rows = runs.map(({ label, tell, result }) => {
    if (result.date === undefined) return [label, '', 'not recorded yet', '', '']
    const { date, machine, seed, seconds, figures, problems } = result
    const seen = 'skipped' in figures ? `skipped: ${figures.skipped}` : tell(inWords(figures))
    const where = `${date}, ${machine.cores} cores, Node ${machine.node.replace('v', '')}, seed ${seed}`
    const wrong = problems === 0 ? 'nothing' : `**${problems}**`
    return [label, `${Math.round(seconds)} s`, seen, wrong, where]
  })
  const head = ['fault', 'lasted', 'seen', 'found wrong', 'when']
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return page.replace(TABLE, (_, start, end) => `${start}${lines.join('\n')}\n${end}`)
}

/** Numbers as they are read: 12,345. */
function inWords(figures) {
  const written = Object.entries(figures).map(([key, value]) => [
    key,
    typeof value === 'number' ? value.toLocaleString('en-GB') : value,
  ])
  return Object.fromEntries(written)
}
