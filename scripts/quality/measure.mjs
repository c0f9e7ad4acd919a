/** Every figure comes from `cairn eval` as a user runs it, with nothing set but the model. */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { bundleParts } from '../../bench/lib/bundle.mjs'
import { writeLongMessages } from './long-messages.mjs'
import { countFound, writeNotes } from './notes.mjs'
import { AGAINST, SYSTEMS } from './sets.mjs'

const CLI = join(import.meta.dirname, '../../dist/cairn.cjs')

/**
 * One set with one model: the report of `cairn eval`, hybrid mode against the others, and how long it all took.
 * @param {{ sets: string, minilm: string, among: string, work: string }} folders
 */
export async function measure(set, model, folders) {
  const lines = join(folders.work, `${set.name}.${model}.jsonl`)
  const given = join(folders.sets, set.folder)
  const folder = set.joined ? join(folders.work, set.name) : given
  if (set.joined) writeLongMessages(given, folder)
  const args = [
    'eval',
    folder,
    ...(set.among ? ['--among', folders.among] : []),
    ...(set.corpus === undefined ? [] : ['--corpus', set.corpus, '--qrels', set.qrels]),
    ...(model === 'static' ? [] : ['--model', `onnx:${folders.minilm}`]),
    ...['--per-query', lines, '--json'],
  ]
  const started = performance.now()
  const report = JSON.parse(await runCairn(args))
  const seconds = Math.round((performance.now() - started) / 1000)
  return { report, seconds, against: await compareModes(readLines(lines), folders.work) }
}

/** The questions to a folder of notes, with the bundled model. */
export async function measureNotes(work) {
  const { folder, notes, questions, version } = writeNotes(CLI, work)
  const lines = join(work, 'notes.jsonl')
  await runCairn(['eval', folder, '--per-query', lines, '--json'])
  const found = countFound(readLines(lines), questions)
  return { version, notes, questions: questions.length, found }
}

/** A person's own settings must not count. */
function runCairn(args) {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('CAIRN_'))
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: Object.fromEntries(env),
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`cairn ${args.join(' ')} ended with ${code}.`)),
    )
  })
}

function readLines(file) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Wins and losses of hybrid mode, as `--compare` counts them between two runs: here the runs are two modes. */
export async function compareModes(lines, work) {
  const { compareRuns } = await bundleParts(work, ['evaluation/compare'], { name: 'compare' })
  const hybrid = lines.filter(({ mode }) => mode === 'hybrid')
  return Object.fromEntries(
    AGAINST.map((other) => {
      const before = lines.filter(({ mode }) => mode === other)
      const renamed = before.map((line) => ({ ...line, mode: 'hybrid' }))
      const [{ wins, losses, ties, p }] = compareRuns(renamed, hybrid)
      return [other, { wins, losses, ties, p: Number(p.toPrecision(2)) }]
    }),
  )
}

/** What is kept of a set: what was known of it, with the figures of this model put in or replaced. */
export function mergeSet(known, { report, seconds, against }, model) {
  const members = Object.entries(report.sets)
  const systems = SYSTEMS.filter((one) => one.model === model)
  const figuresOf = (modes) => Object.fromEntries(systems.map(({ id, mode }) => [id, modes[mode]]))
  const merged = {
    docs: members.reduce((sum, [, { docs }]) => sum + docs, 0),
    queries: members.reduce((sum, [, { queries }]) => sum + queries, 0),
    seconds: { ...known?.seconds, [model]: seconds },
    systems: { ...known?.systems, ...figuresOf(report.mean) },
    against: { ...known?.against, [model]: against },
  }
  if (members.length === 1) return merged
  const parts = members.map(([path, { docs, queries, modes }]) => {
    const name = path.split('/').at(-1)
    const systems = { ...known?.members?.[name]?.systems, ...figuresOf(modes) }
    return [name, { docs, queries, systems }]
  })
  return { ...merged, members: Object.fromEntries(parts) }
}
