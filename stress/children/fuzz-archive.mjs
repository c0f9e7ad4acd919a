/** Imports archives that were broken, until the time is up; what was taken is exported and imported again. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expectSound } from '../lib/checks.mjs'
import { createFreshLibraries } from '../lib/fresh-library.mjs'
import { tellFigures, tryInputs } from '../lib/fuzz.mjs'
import { mutateBytes, mutateValue } from '../lib/mutate.mjs'

const task = JSON.parse(process.argv[2])
const { seconds, seed, folder } = task
const libraries = await createFreshLibraries(task)
const copies = await createFreshLibraries(task)
/** A library takes so many archives, one over the other, before it is checked and another begins. */
const AT_ONCE = 20
const path = join(folder, 'broken.jsonl')

let cairn = await libraries.open({ vectors: false })
const LINES = await writeArchive()
let imported = 0

function inputs(chance) {
  const lines = [...LINES]
  for (let i = 1 + chance.below(3); i > 0; i--) {
    const at = chance.below(lines.length)
    const other = chance.below(lines.length)
    const change = chance.below(5)
    if (change === 0) lines.splice(at, 1)
    else if (change === 1) lines.splice(at, 0, lines[other])
    else if (change === 2) [lines[at], lines[other]] = [lines[other], lines[at]]
    else if (change === 3) lines[at] = JSON.stringify(mutateValue(readLine(lines[at]), chance))
    else lines[at] = mutateBytes(Buffer.from(lines[at] ?? ''), chance).toString('latin1')
  }
  return lines.map((line) => line ?? '').join('\n')
}

/** A line that was broken before is a text. */
function readLine(line) {
  try {
    return JSON.parse(line ?? '')
  } catch {
    return line ?? ''
  }
}

async function tryOne(archive) {
  if (++imported % AT_ONCE === 0) await assertWhole()
  writeFileSync(path, archive)
  await cairn.import(path, { format: 'archive' })
}

async function assertWhole() {
  const problems = []
  await expectSound(cairn, 'after archives', (sentence) => problems.push(sentence))
  const lines = []
  for await (const line of cairn.exportAll()) lines.push(line)
  const copy = join(folder, 'whole.jsonl')
  writeFileSync(copy, lines.join(''))
  const { skipped } = await (await copies.open({ vectors: false })).import(copy)
  for (const { reason } of skipped) problems.push(`its own archive is not taken whole: ${reason}`)
  cairn = await libraries.open({ vectors: false })
  if (problems.length > 0) throw new Error(problems.join('; '))
}

async function writeArchive() {
  const session = await cairn.sessions.start({ title: 'kept' })
  const [one, two] = await cairn.addMany([
    { body: 'first', tags: ['a'], session: session.id, metadata: { a: [1] } },
    { body: 'second', people: ['Ada'], namespace: 'shop', occurredAt: '2026-03-01' },
  ])
  await cairn.edit(one.id, { body: 'changed' })
  await cairn.links.add({ from: one.id, to: two.id })
  await cairn.facts.add({ record: one.id, subject: 'a', predicate: 'b', object: 'c' })
  await cairn.works.import([{ title: 'A work', doi: '10.1000/1', authors: [{ family: 'Stone' }] }])
  await cairn.search({ query: 'changed', recallSession: session.id })
  await cairn.delete([two.id])
  const lines = []
  for await (const line of cairn.exportAll()) lines.push(line.trimEnd())
  return lines
}

await tellFigures((telling) => tryInputs({ seconds, seed, inputs, tryOne, ...telling }))
await libraries.close()
await copies.close()
