/** Imports real files that were broken, format by format, until the time is up. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { createFreshLibraries } from '../lib/fresh-library.mjs'
import { tellFigures, tryInputs } from '../lib/fuzz.mjs'
import { mutateBytes } from '../lib/mutate.mjs'

const task = JSON.parse(process.argv[2])
const { seconds, seed, folder } = task
const libraries = await createFreshLibraries(task)
const FIXTURES = new URL('../../test/fixtures/', import.meta.url)
/** After so many a new library: an import is slower the more there is. */
const AT_ONCE = 100

const SAMPLES = [
  ['import/vault/Garden.md', 'markdown'],
  ['import/vault/Broken front.md', 'markdown'],
  ['import/text/latin.txt', 'text'],
  ['import/records.jsonl', 'jsonl'],
  ['import/chatgpt.json', 'chatgpt'],
  ['import/claude.json', 'claude'],
  ['import/claude-code.jsonl', 'claude-code'],
  ['import/codex/2026/02/03/rollout-2026-02-03T10-00-00-abc.jsonl', 'codex'],
  ['import/chat.json', 'chat'],
  ['import/chat.jsonl', 'chat'],
  ['import/beir/corpus.jsonl', 'beir'],
  ['import/mail.mbox', 'mbox'],
  ['citations/library.bib', 'bibtex'],
  ['citations/library.ris', 'ris'],
  ['citations/library.json', 'csl'],
].map(([path, format]) => ({
  name: basename(path),
  format,
  bytes: readFileSync(new URL(path.replaceAll(' ', '%20'), FIXTURES)),
}))

let cairn = null
let imported = 0

function inputs(chance) {
  const { name, format, bytes } = chance.pick(SAMPLES)
  return {
    name,
    format: chance.share() < 0.8 ? format : undefined,
    bytes: mutateBytes(bytes, chance),
  }
}

async function tryOne({ name, format, bytes }) {
  if (imported++ % AT_ONCE === 0) {
    cairn = await libraries.open({ vectors: false })
  }
  // A folder a file: a corpus is known by the folder it lies in.
  const place = join(folder, `${imported % 10}`)
  mkdirSync(place, { recursive: true })
  const path = join(place, name)
  writeFileSync(path, bytes)
  const report = await cairn.import(
    format === 'beir' ? place : path,
    format === undefined ? {} : { format },
  )
  if (report.skipped.some(({ reason }) => !/\S/.test(reason)))
    throw new Error('skipped without a reason')
}

await tellFigures((telling) => tryInputs({ seconds, seed, inputs, tryOne, ...telling }))
await libraries.close()
