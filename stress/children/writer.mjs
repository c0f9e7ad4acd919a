/**
 * Writes of every kind, without end, each announced before it begins and acknowledged in a file when it is done.
 *
 * A line of the log is `{ at, kind: 'begin' | 'done', op, … }`; `at` is a clock that all processes of a machine share.
 */

import { appendFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { createChance } from '../lib/chance.mjs'

const { library, file, log, name, seed, folder, limit = Infinity } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const chance = createChance(seed)
const WORDS = 'harbour ledger orchard signal quartz willow engine meadow copper lantern'.split(' ')

const cairn = await openCairn({ file, busyTimeoutMs: 30_000 })
/** The records that this process has written and may change: id → body. */
const own = new Map()
let count = 0

/** A word that no other text has, and that is found as a whole. */
const token = () => `${name}n${count++}`
const text = (word) => `${word} ${chance.pick(WORDS)} ${chance.pick(WORDS)} ${chance.pick(WORDS)}`

function note(kind, op, details) {
  appendFileSync(
    log,
    `${JSON.stringify({ at: String(process.hrtime.bigint()), kind, op, ...details })}\n`,
  )
}

async function acknowledged(op, about, write) {
  note('begin', op, about)
  note('done', op, { ...about, ...(await write()) })
}

const bodies = (records) => ({ records: records.map(({ id, body }) => [id, body]) })

async function add(extra = {}) {
  const body = text(token())
  await acknowledged('add', { bodies: [body] }, async () => {
    const { id } = await cairn.add({ body, ...extra })
    own.set(id, body)
    return bodies([{ id, body }])
  })
}

async function addMany() {
  const added = Array.from({ length: 2 + chance.below(8) }, () => text(token()))
  await acknowledged('add', { bodies: added }, async () => {
    const outcomes = await cairn.addMany(added.map((body) => ({ body, tags: [name] })))
    for (const [i, { id }] of outcomes.entries()) own.set(id, added[i])
    return bodies(outcomes.map(({ id }, i) => ({ id, body: added[i] })))
  })
}

async function importFile() {
  const path = `${folder}/${name}-${count}.jsonl`
  const added = Array.from({ length: 5 + chance.below(20) }, () => text(token()))
  writeFileSync(path, added.map((body) => JSON.stringify({ body })).join('\n'))
  await acknowledged('import', { bodies: added }, async () => {
    const { created } = await cairn.import(path, { format: 'jsonl', batch: 7 })
    if (created !== added.length) throw new Error(`${created} of ${added.length} were imported`)
  })
}

async function edit(id) {
  const body = text(token())
  await acknowledged('edit', { id, was: own.get(id), bodies: [body] }, async () => {
    await cairn.edit(id, { body })
    own.set(id, body)
    return bodies([{ id, body }])
  })
}

/** A third of what is deleted is put back, a third purged, and a third stays where it is. */
async function remove(id) {
  const was = own.get(id)
  own.delete(id)
  await acknowledged('delete', { id, was }, async () => void (await cairn.delete([id])))
  const roll = chance.share()
  if (roll < 1 / 3) {
    await acknowledged('restore', { id, was }, async () => void (await cairn.restore([id])))
    own.set(id, was)
  } else if (roll < 2 / 3) {
    await acknowledged('purge', { id, was }, async () => void (await cairn.purge([id])))
  }
}

async function link(from, to) {
  if (from === to) return
  await acknowledged('link', { from, to }, async () => void (await cairn.links.add({ from, to })))
}

async function fact(record) {
  const subject = token()
  await acknowledged('fact', { record, subject }, async () => {
    const { id } = await cairn.facts.add({ record, subject, predicate: 'is', object: 'kept' })
    return { fact: id }
  })
}

async function converse() {
  const id = `talk-${token()}`
  await acknowledged('session', { id }, async () => void (await cairn.sessions.start({ id })))
  await add({ session: id })
  await add({ session: id })
  await cairn.search(chance.pick(WORDS), { recallSession: id, limit: 3 })
}

for (let i = 0; i < limit; i++) {
  const known = [...own.keys()]
  const roll = chance.share()
  if (known.length < 5 || roll < 0.35) await add()
  else if (roll < 0.5) await addMany()
  else if (roll < 0.65) await edit(chance.pick(known))
  else if (roll < 0.75) await remove(chance.pick(known))
  else if (roll < 0.83) await link(chance.pick(known), chance.pick(known))
  else if (roll < 0.91) await fact(chance.pick(known))
  else if (roll < 0.96) await converse()
  else await importFile()
}
await cairn.close()
