/**
 * Promise: every fault beside this file can be brought about by its name, and what did not survive it is named.
 *
 *   npm run stress                               all of them, one after the other
 *   npm run stress -- processes --seconds 60     one, for as long as wanted
 *   npm run stress -- fuzz                       all whose names begin with "fuzz-"
 *   npm run stress -- fuzz-query --seed 42       the same inputs as the run that printed this seed
 *   npm run stress -- clock --json               one JSON document on standard output
 *
 * A fault is a module that exports `about` (a sentence), `seconds` (how long it usually takes) and
 * `run({ seconds, seed, folder, problem })`, which gives figures, or `{ skipped: 'why' }` where it cannot run here.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const HERE = new URL('./', import.meta.url)
/** More of the same kind tell nothing new. */
const MOST_PROBLEMS = 20

process.exitCode = await main()

async function main() {
  const asked = readArguments()
  if (typeof asked === 'string') return refuse(asked)
  const known = listFaults()
  const names = asked.names.length === 0 ? known : asked.names.flatMap((name) => fits(known, name))
  const unknown = asked.names.find((name) => fits(known, name).length === 0)
  if (unknown !== undefined) {
    return refuse(`There is no fault "${unknown}"; there are: ${known.join(', ')}.`)
  }
  const results = []
  for (const name of names) {
    const result = await bringAbout(name, asked)
    results.push(result)
    if (!asked.json) process.stdout.write(render(result))
  }
  if (asked.json) process.stdout.write(`${JSON.stringify({ faults: results }, null, 2)}\n`)
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean' }, seconds: { type: 'string' }, seed: { type: 'string' } },
    })
    const seconds = values.seconds === undefined ? null : Number(values.seconds)
    const seed = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed)
    if (seconds !== null && !(seconds > 0)) return '--seconds takes a number above 0.'
    if (!Number.isInteger(seed)) return '--seed takes a whole number.'
    return { names: positionals, json: values.json ?? false, seconds, seed }
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

async function bringAbout(name, { seconds, seed }) {
  const fault = await import(new URL(`${name}.mjs`, HERE))
  const folder = mkdtempSync(join(tmpdir(), `cairn-stress-${name}-`))
  const problems = []
  const problem = (sentence) => {
    if (problems.length < MOST_PROBLEMS) problems.push(sentence)
  }
  let figures = {}
  const start = performance.now()
  try {
    figures = await fault.run({ seconds: seconds ?? fault.seconds, seed, folder, problem })
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
