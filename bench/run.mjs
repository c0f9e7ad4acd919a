/**
 * Promise: every benchmark beside this file runs by its name, and results.json keeps each run.
 *
 *   npm run bench                       all of them, each in a process of its own
 *   npm run bench -- keyword --quick    one, small
 *   npm run bench -- keyword --json     one JSON document on standard output
 *   npm run bench -- keyword --records 1000000 [--file F]   of so many records, or of a file that holds them
 */

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { say } from './lib/measure.mjs'

const HERE = new URL('./', import.meta.url)
const RESULTS = new URL('results.json', HERE)
const BYTES_PER_GB = 1_073_741_824
/** What the table shows in columns of their own. */
const COLUMNS = ['case', 'ours', 'peer', 'ratio', 'metrics']

process.exitCode = await main()

async function main() {
  const asked = readArguments()
  if (typeof asked === 'string') return refuse(asked)
  const { names, json, given } = asked
  const known = listFiles()
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined || names.length > 1) {
    const problem =
      unknown === undefined ? 'Name one benchmark' : `There is no benchmark "${unknown}"`
    return refuse(`${problem}; there are: ${(await listBenchmarks()).join(', ')}.`)
  }
  const [name] = names
  const results =
    name === undefined
      ? await runAll(await listBenchmarks(), given.quick)
      : await runOne(name, given)
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
        records: { type: 'string' },
        file: { type: 'string' },
      },
    })
    const { json = false, quick = false, records, file } = values
    const given = { quick, ...(records && { records: Number(records) }), ...(file && { file }) }
    return { names: positionals, json, given }
  } catch (error) {
    return `${error.message.split('. ')[0]}.`
  }
}

function refuse(sentence) {
  say(sentence)
  return 2
}

function listFiles() {
  return readdirSync(HERE)
    .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
    .map((file) => file.slice(0, -'.mjs'.length))
    .sort()
}

async function listBenchmarks() {
  const names = []
  for (const name of listFiles()) {
    if (typeof (await load(name)).run === 'function') names.push(name)
  }
  return names
}

function load(name) {
  return import(new URL(`${name}.mjs`, HERE).href)
}

/** A process each: what one leaves in memory must not be counted for the next. */
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

async function runOne(name, given) {
  const { run } = await load(name)
  if (typeof run !== 'function') throw new Error(`bench/${name}.mjs exports no function "run"`)
  const result = await run({ ...given, say })
  keep(result, given.quick)
  return result
}

/** A quick run is kept apart: it must not replace figures that others quote. */
function keep({ name, cases }, quick) {
  const all = readResults()
  all[quick ? `${name} --quick` : name] = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    cases,
  }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RESULTS, `${JSON.stringify(sorted, null, 2)}\n`)
}

function readResults() {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

function describeMachine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / BYTES_PER_GB),
    node: process.version,
  }
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
  return [...others, ...Object.entries(one.metrics ?? {})]
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')
}
