/**
 * The figures of docs/quality.md are those that `cairn eval` gives, and can be had again.
 *
 *   npm run quality                              every set, with both models; writes bench/quality.json and the page
 *   npm run quality -- --only cranfield          one set; the others stay as they are
 *   npm run quality -- --only notes              the questions to a folder of notes, which need no set and no MiniLM
 *   npm run quality -- --model static            one model: static or minilm
 *   npm run quality -- --draw                    the page alone, from bench/quality.json
 *   npm run quality -- --sets DIR --minilm DIR   where the judged sets and the ONNX model are
 *   npm run quality -- --among FILE              the bibliography for the mixed sets
 *   npm run quality -- --per-query DIR           keeps how each query was answered, a file for each set and model
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { drawChart } from './quality/chart.mjs'
import { measure, measureNotes, mergeSet } from './quality/measure.mjs'
import { drawPage } from './quality/page.mjs'
import { MODELS, SETS } from './quality/sets.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const RESULTS = join(ROOT, 'bench/quality.json')
const PAGE = join(ROOT, 'docs/quality.md')
const CHART = join(ROOT, 'docs/images/quality.svg')
const BYTES_PER_GB = 1_073_741_824

process.exitCode = await main()

async function main() {
  const asked = readArguments()
  const problem = typeof asked === 'string' ? asked : problemOf(asked)
  if (problem !== null) {
    console.error(problem)
    return 2
  }
  if (!asked.draw) await measureAll(asked)
  draw()
  return 0
}

function draw() {
  const results = JSON.parse(readFileSync(RESULTS, 'utf8'))
  writeFileSync(PAGE, drawPage(readFileSync(PAGE, 'utf8'), results))
  writeFileSync(CHART, drawChart(results))
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        model: { type: 'string' },
        draw: { type: 'boolean', default: false },
        sets: { type: 'string', default: join(ROOT, '../shared/eval') },
        minilm: { type: 'string', default: join(ROOT, '../shared/models/all-MiniLM-L6-v2') },
        among: { type: 'string', default: join(ROOT, '../shared/inputs/acl_2019.bib') },
        'per-query': { type: 'string' },
      },
    })
    return values
  } catch (error) {
    return `${error.message.split('. ')[0]}.`
  }
}

/** What keeps the run from starting, in a sentence; null where nothing does. */
function problemOf({ only, model, draw, sets, minilm, among }) {
  if (draw || only === 'notes') return null
  if (only !== undefined && !SETS.some(({ name }) => name === only)) {
    return `There is no set "${only}"; there are: notes, ${SETS.map(({ name }) => name).join(', ')}.`
  }
  if (model !== undefined && !MODELS.includes(model)) {
    return `There is no model "${model}"; there are: ${MODELS.join(', ')}.`
  }
  const missing = SETS.find(
    ({ name, folder }) => (only ?? name) === name && !existsSync(join(sets, folder)),
  )
  if (missing !== undefined) {
    return `The judged set ${missing.folder} is not in ${sets}; name the folder of the sets with --sets, or draw what was measured before with --draw.`
  }
  const isMixed = SETS.some((set) => set.among && (only ?? set.name) === set.name)
  if (isMixed && !existsSync(among)) {
    return `There is no bibliography ${among} for the mixed sets; name another with --among, or choose a set with --only.`
  }
  if (model !== 'static' && !existsSync(join(minilm, 'tokenizer.json'))) {
    return `There is no ONNX model in ${minilm}; name its folder with --minilm, or leave it out with --model static.`
  }
  return null
}

async function measureAll({ only, model, sets, minilm, among, 'per-query': kept }) {
  const work = kept ?? mkdtempSync(join(tmpdir(), 'cairn-quality-'))
  mkdirSync(work, { recursive: true })
  try {
    if ((only ?? 'notes') === 'notes') keep({ notes: await measureNotes(work) })
    for (const one of MODELS.filter((name) => (model ?? name) === name)) {
      for (const set of SETS.filter(({ name }) => (only ?? name) === name)) {
        const measured = await measure(set, one, { sets, minilm, among, work })
        keepSet(set, one, measured)
        console.error(`${set.name}, ${one}: ${measured.seconds} s`)
      }
    }
  } finally {
    if (kept === undefined) rmSync(work, { recursive: true, force: true })
  }
}

function keepSet(set, model, measured) {
  const { sets } = readResults()
  const known = { ...sets, [set.name]: mergeSet(sets?.[set.name], measured, model) }
  const inOrder = SETS.flatMap(({ name }) => (name in known ? [[name, known[name]]] : []))
  keep({ sets: Object.fromEntries(inOrder) })
}

function readResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
}

/** Written after every part: a run that is stopped keeps what it has. */
function keep(part) {
  const date = new Date().toISOString().slice(0, 10)
  const results = { ...readResults(), date, machine: describeMachine(), ...part }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
}

function describeMachine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / BYTES_PER_GB),
    node: process.version,
  }
}
