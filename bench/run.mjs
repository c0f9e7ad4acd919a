/**
 * Runs the benchmarks of this folder by name, stores results in results.json, and writes docs/benchmarks.md and docs/benchmarks from it.
 *
 *   npm run bench                       all of them, each in its own process
 *   npm run bench -- keyword --quick    one, small; printed and not recorded
 *   npm run bench -- keyword --json     one JSON document on standard output
 *   npm run bench -- hybrid --records 1000000 [--file F]   with that many records, stored in F for the next run
 *   npm run bench -- --draw             writes the pages and their charts again, from results.json
 */

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drawPages } from './lib/draw.mjs'
import { say } from './lib/measure.mjs'
import { keepResult } from './lib/results.mjs'

const HERE = new URL('./', import.meta.url)
/** Metrics that the table shows in their own columns. */
const COLUMNS = ['case', 'ours', 'peer', 'ratio', 'bar', 'metrics']

process.exitCode = await main()

async function main() {
  const asked = readArguments()
  if (typeof asked === 'string') return refuse(asked)
  if (asked.draw) {
    for (const file of drawPages()) say(file)
    return 0
  }
  const { names, json, given } = asked
  const known = listBenchmarks()
  const unknown = names.find((name) => !known.includes(name))
  const isOneNeeded = given.records !== undefined || given.file !== undefined
  if (unknown !== undefined || names.length > 1 || (isOneNeeded && names.length === 0)) {
    const problem =
      unknown === undefined ? 'Name one benchmark' : `There is no benchmark "${unknown}"`
    return refuse(`${problem}; there are: ${known.join(', ')}.`)
  }
  const [name] = names
  const results = name === undefined ? runAll(known, given.quick) : await runOne(name, given)
  const shown = name === undefined ? { benchmarks: results } : results
  process.stdout.write(
    json ? `${JSON.stringify(shown, null, 2)}\n` : [results].flat().map(renderTable).join('\n'),
  )
  return 0
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        quick: { type: 'boolean' },
        draw: { type: 'boolean' },
        records: { type: 'string' },
        file: { type: 'string' },
      },
    })
    const { json = false, quick = false, draw = false, records, file } = values
    if (records !== undefined && !(Number.isInteger(Number(records)) && Number(records) > 0)) {
      return '--records takes a whole number above 0.'
    }
    const given = { quick, ...(records && { records: Number(records) }), ...(file && { file }) }
    return { names: positionals, json, draw, given }
  } catch (error) {
    return `${error.message.split('. ')[0]}.`
  }
}

function refuse(sentence) {
  say(sentence)
  return 2
}

function listBenchmarks() {
  return readdirSync(HERE)
    .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
    .map((file) => file.slice(0, -'.mjs'.length))
    .sort()
}

/** One process each: the memory of one must not count for the next. */
function runAll(names, quick) {
  return names.map((name) => {
    const command = [fileURLToPath(import.meta.url), name, '--json', ...(quick ? ['--quick'] : [])]
    const output = execFileSync(process.execPath, command, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return JSON.parse(output)
  })
}

/** A quick run is not recorded, nor one that was left out: neither must replace figures of a full run. */
async function runOne(name, given) {
  const { run } = await import(new URL(`${name}.mjs`, HERE).href)
  const result = await run({ ...given, say })
  if (given.quick || result.cases.length === 0) return result
  keepResult(result, given.records === undefined ? name : `${name} --records ${given.records}`)
  drawPages()
  return result
}

function renderTable({ name, cases }) {
  const head = ['case', 'ours median/p95 ms', 'peer', 'peer median/p95 ms', 'ratio', 'metrics']
  const rows = cases.map((one) => [
    one.case,
    renderTimes(one.ours),
    one.peer?.name ?? '',
    renderTimes(one.peer),
    one.ratio === null || one.ratio === undefined ? '' : String(one.ratio),
    renderMetrics(one),
  ])
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)))
  const line = (cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd()
  return `${name}\n${[head, ...rows].map(line).join('\n')}\n`
}

function renderTimes(times) {
  if (times?.medianMs === null || times?.medianMs === undefined) return ''
  return `${times.medianMs} / ${times.p95Ms}`
}

function renderMetrics(one) {
  const others = Object.entries(one).filter(([key]) => !COLUMNS.includes(key))
  const bar = one.bar === undefined ? [] : [`${one.bar.met ? 'met' : 'MISSED'}: ${one.bar.says}`]
  const metrics = [...others, ...Object.entries(one.metrics ?? {})]
  return [...bar, ...metrics.map(([key, value]) => `${key} ${value}`)].join(', ')
}
