/**
 * Measures, in a new process, opening a file and its first search, and the memory after further searches.
 *
 *   node first-search.mjs ENGINE FILE BUNDLE MODEL QUESTIONS
 *
 * BUNDLE holds the model's code for the peers, QUESTIONS is a list in JSON. Prints `{ coldMs, memoryMB }`.
 */

import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadEngine } from './engines/engines.mjs'
import { median, memoryMB, round, time } from './measure.mjs'

const THIS_FILE = fileURLToPath(import.meta.url)

if (process.argv[1] === THIS_FILE) await main(process.argv.slice(2))

/**
 * Each engine in its own processes, in turn; all files are in the system's cache by then.
 * @param files paths by engine
 * @returns by engine `{ samples, coldMs, memoryMB }`, the last two medians
 */
export function measureFirst({ files, bundle, model, questions, starts }) {
  const runs = Object.fromEntries(Object.keys(files).map((engine) => [engine, []]))
  for (let i = 0; i < starts; i++) {
    for (const [engine, file] of Object.entries(files)) {
      const command = [THIS_FILE, engine, file, bundle, model, JSON.stringify(questions)]
      runs[engine].push(JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })))
    }
  }
  const summarise = (each) => ({
    samples: each.map(({ coldMs }) => coldMs),
    coldMs: round(median(each.map(({ coldMs }) => coldMs))),
    memoryMB: round(median(each.map((one) => one.memoryMB))),
  })
  return Object.fromEntries(Object.entries(runs).map(([name, each]) => [name, summarise(each)]))
}

async function main([engine, file, bundle, model, questions]) {
  // Imports are not counted: they do not depend on the file.
  const { open } = await loadEngine(engine)
  const { StaticEmbedder } = engine === 'cairn' ? {} : await import(pathToFileURL(bundle).href)
  const [first, ...others] = JSON.parse(questions)
  let opened = null
  const coldMs = await time(async () => {
    opened = await open(file, StaticEmbedder && new StaticEmbedder({ folder: model }))
    await opened.search(first)
  })
  for (const question of others) await opened.search(question)
  process.stdout.write(JSON.stringify({ coldMs: round(coldMs), memoryMB: memoryMB() }))
  await opened.close()
}
