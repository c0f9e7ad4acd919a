/**
 * Every fault beside this file can be brought about by its name, and what did not survive it is named.
 *
 *   npm run stress                               all of them, one after the other
 *   npm run stress -- processes --seconds 60     one, for as long as wanted
 *   npm run stress -- fuzz                       all whose names begin with "fuzz-"
 *   npm run fuzz -- --minutes 10                 the same, ten minutes each
 *   npm run fuzz -- --url postgres://…           those that can, in schemas of their own on this server
 *   npm run stress -- fuzz-query --seed 42       the same inputs as the run that printed this seed
 *   npm run stress -- clock --json               one JSON document on standard output
 *   npm run stress -- --seconds 600 --record     what was seen goes to results.json and into docs/faults.md
 *   npm run stress -- --draw                     that table once more
 *
 * A fault is a module that exports `about` (a sentence), `seconds` (how long it usually takes),
 * `run({ seconds, seed, folder, problem })`, which gives figures, or `{ skipped: 'why' }` where it cannot run here, and
 * `tell(figures)`, which says them in words. One that exports `isPostgresToo` takes a `url` as well.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { drawTable, PAGE, readResults, record } from './lib/record.mjs'

const HERE = new URL('./', import.meta.url)
/** More of the same kind tell nothing new. */
const MOST_PROBLEMS = 20

process.exitCode = await main()

async function main() {
  const asked = readArguments()
  if (typeof asked === 'string') return refuse(asked)
  const known = listFaults()
  const faults = await loadFaults(known)
  if (asked.draw) {
    writeFileSync(PAGE, drawTable(readFileSync(PAGE, 'utf8'), readResults(), faults))
    return 0
  }
  const names = asked.names.length === 0 ? known : asked.names.flatMap((name) => fits(known, name))
  const unknown = asked.names.find((name) => fits(known, name).length === 0)
  if (unknown !== undefined) {
    return refuse(`There is no fault "${unknown}"; there are: ${known.join(', ')}.`)
  }
  const isWanted = (name) => asked.url === null || faults[name].isPostgresToo === true
  const results = []
  for (const name of names.filter(isWanted)) {
    const result = await bringAbout(name, faults[name], asked)
    results.push(result)
    if (asked.isRecorded) record(result, faults, asked.url !== null)
    if (!asked.json) process.stdout.write(render(result))
  }
  if (asked.json) process.stdout.write(`${JSON.stringify({ faults: results }, null, 2)}\n`)
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        record: { type: 'boolean' },
        draw: { type: 'boolean' },
        seconds: { type: 'string' },
        minutes: { type: 'string' },
        url: { type: 'string' },
        seed: { type: 'string' },
      },
    })
    const { minutes, url = null } = values
    const given = minutes === undefined ? values.seconds : Number(minutes) * 60
    const seconds = given === undefined ? null : Number(given)
    const seed = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed)
    if (seconds !== null && !(seconds > 0)) return '--seconds and --minutes take a number above 0.'
    if (!Number.isInteger(seed)) return '--seed takes a whole number.'
    const { json = false, record: isRecorded = false, draw = false } = values
    return { names: positionals, json, isRecorded, draw, seconds, seed, url }
  } catch (error) {
    return `${error.message.split('. ')[0]}.`
  }
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`)
  return 2
}

function listFaults() {
  return readdirSync(HERE, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.mjs') && entry.name !== 'run.mjs')
    .map((entry) => entry.name.slice(0, -'.mjs'.length))
    .sort()
}

function fits(known, name) {
  return known.filter((one) => one === name || one.startsWith(`${name}-`))
}

async function loadFaults(names) {
  const entries = names.map(async (name) => [name, await import(new URL(`${name}.mjs`, HERE))])
  return Object.fromEntries(await Promise.all(entries))
}

async function bringAbout(name, fault, { seconds, seed, url }) {
  const folder = mkdtempSync(join(tmpdir(), `cairn-stress-${name}-`))
  const problems = []
  const problem = (sentence) => {
    if (problems.length < MOST_PROBLEMS) problems.push(sentence)
  }
  let figures = {}
  const start = performance.now()
  try {
    figures = await fault.run({ seconds: seconds ?? fault.seconds, seed, folder, problem, url })
  } catch (error) {
    problem(`It ended with ${error.stack ?? error}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const took = Math.round((performance.now() - start) / 100) / 10
  return { name, about: fault.about, seed, seconds: took, figures, problems }
}

function render({ name, about, seed, seconds, figures, problems }) {
  const shown = Object.entries(figures).map(([key, value]) => `${key} ${value}`)
  const lines = [
    `${problems.length === 0 ? ('skipped' in figures ? 'skip' : 'ok  ') : 'FAIL'} ${name}: ${about}`,
    `     ${shown.join(', ')} (${seconds} s, seed ${seed})`,
    ...problems.map((sentence) => `     - ${sentence}`),
  ]
  return `${lines.join('\n')}\n`
}
