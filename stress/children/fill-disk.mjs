/** Fills the disk that a folder is, twice, and tells what was acknowledged and what went wrong. */

import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { attempt, expectFailure, expectValue } from '../lib/attempt.mjs'
import { createChance } from '../lib/chance.mjs'
import { expectSound, expectStored } from '../lib/checks.mjs'

const { library, folder, seed, ballast } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const chance = createChance(seed)
const file = join(folder, 'notes.cairn')
const weight = join(folder, 'ballast')
const problems = []
const problem = (sentence) => problems.push(sentence)
const stored = new Map()
let refused = 0

writeFileSync(weight, Buffer.alloc(ballast))
const cairn = await openCairn({ file })

await addUntilFull()
await expectReading('while the disk is full')
await tryEveryWrite()
fillTheRest()
await tryEveryWrite()
await expectReading('while not a byte is left')
await openAnew()

rmSync(weight)
rmSync(join(folder, 'rest'), { force: true })
const before = stored.size
await addUntilFull()
if (stored.size < before + 3)
  problem(`only ${stored.size - before} records went in after room was made`)
await expectReading('after room was made')
await expectSound(cairn, 'at the end', problem)
await cairn.close()
process.stdout.write(JSON.stringify({ acknowledged: stored.size, refused, problems }))

async function addUntilFull() {
  for (;;) {
    const body = `apple ${stored.size} ${'word '.repeat(chance.below(800))}${chance.below(1e9)}`
    const outcome = await attempt(() => cairn.add({ body }))
    if ('value' in outcome) stored.set(outcome.value.id, body)
    else {
      refused += 1
      expectFailure(outcome, ['disk_full'], 'an addition that does not fit', problem)
      return
    }
  }
}

async function expectReading(when) {
  await expectStored(cairn, stored, when, problem)
  const found = expectValue(await attempt(() => cairn.search('apple', { limit: 5 })), when, problem)
  if (found?.hits.length !== Math.min(5, stored.size))
    problem(`${when}: ${found?.hits.length} hits`)
}

/** Small ones may still fit into what was set aside; those that do not, say so. */
async function tryEveryWrite() {
  const [first, second] = stored.keys()
  const long = 'x '.repeat(30_000)
  const path = join(tmpdir(), `cairn-fill-${process.pid}.jsonl`)
  writeFileSync(
    path,
    Array.from({ length: 300 }, (_, i) => `{"body":"plum ${i} ${long.slice(0, 900)}"}`).join('\n'),
  )
  const writes = {
    edit: () => cairn.edit(first, { body: long }),
    session: () => cairn.sessions.start({ title: 'kept' }),
    fact: () =>
      cairn.facts.add({ record: first, subject: 'disk', predicate: 'is', object: 'full' }),
    link: () => cairn.links.add({ from: first, to: second }),
    import: () => cairn.import(path, { format: 'jsonl', batch: 50 }),
    embed: () => cairn.embed({ provider: 'fake', dimensions: 64 }),
    backup: () => cairn.backup(join(folder, 'copy.cairn')),
    optimize: () => cairn.optimize({ vacuum: true }),
  }
  for (const [name, write] of Object.entries(writes)) {
    const outcome = await attempt(write)
    if ('value' in outcome) {
      if (name === 'edit') stored.set(first, long.trim())
      continue
    }
    refused += 1
    expectFailure(outcome, ['disk_full'], name, problem)
  }
  rmSync(path)
}

function fillTheRest() {
  try {
    for (;;) appendFileSync(join(folder, 'rest'), Buffer.alloc(4096))
  } catch {
    // Now it is full.
  }
}

/** Another connection, as a program that starts now. */
async function openAnew() {
  const opened = await attempt(() => openCairn({ file }))
  const other = expectValue(opened, 'opening on a full disk', problem)
  if (other === undefined) return
  expectValue(await attempt(() => other.search('apple')), 'searching on a full disk', problem)
  await other.close()
  const created = await attempt(() => openCairn({ file: join(folder, 'new.cairn') }))
  expectFailure(created, ['disk_full'], 'a new file on a full disk', problem)
}
