/** Imports real files that were broken, format by format, until the time is up. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { tellFigures, tryInputs } from '../lib/fuzz.mjs'
import { mutateBytes } from '../lib/mutate.mjs'

const { library, seconds, seed, folder } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
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
SAMPLES.push({ name: 'archive.jsonl', format: 'archive', bytes: await writeArchive() })

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
    await cairn?.close()
    cairn = await openCairn({ file: ':memory:', vectors: false })
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

async function writeArchive() {
  const source = await openCairn({ file: ':memory:', vectors: false })
  const session = await source.sessions.start({ title: 'kept' })
  const [one, two] = await source.addMany([
    { body: 'first', tags: ['a'], session: session.id },
    { body: 'second' },
  ])
  await source.edit(one.id, { body: 'changed' })
  await source.links.add({ from: one.id, to: two.id })
  await source.facts.add({ record: one.id, subject: 'a', predicate: 'b', object: 'c' })
  const lines = []
  for await (const line of source.exportAll()) lines.push(line)
  await source.close()
  return Buffer.from(lines.map((line) => line.trimEnd()).join('\n'))
}

await tellFigures((telling) => tryInputs({ seconds, seed, inputs, tryOne, ...telling }))
await cairn?.close()
