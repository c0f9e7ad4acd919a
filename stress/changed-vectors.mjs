/** Single bits of stored vectors change: doctor notices each, and after a repair every open process finds what it found. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createChance } from './lib/chance.mjs'
import { LIBRARY } from './lib/children.mjs'

export const about = 'bits of vectors and blocks change, rows of them disappear, and doctor repairs'
export const seconds = 20
export const tell = ({ changes, repairs, searches }) =>
  `${changes} changes, each noticed, ${repairs} repairs, ${searches} searches as before`

const WORDS = 'cat bread bank server ferry garden letter window pump river'.split(' ')
const QUERIES = ['a letter about the ferry', 'bread near the window', 'the pump by the river']
/** Table, key and a column of bytes. */
const BYTES = [
  ['vector_blocks', 'row', 'data'],
  ['vectors', 'place', 'codes'],
  ['revisions', 'row', 'codes'],
]
const STATEMENTS = [
  'UPDATE vector_blocks SET free = free + 1',
  'DELETE FROM vector_blocks WHERE row = (SELECT max(row) FROM vector_blocks)',
  'UPDATE vectors SET scale = scale * 1.5 WHERE place % 3 = 0',
  'DELETE FROM vectors WHERE place % 5 = 0',
  'DELETE FROM chunks WHERE record % 7 = 0',
  'DELETE FROM embedded WHERE record % 11 = 0',
  'UPDATE embedded SET chunks = chunks + 1 WHERE record % 13 = 0',
]

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  const figures = { changes: 0, repairs: 0, searches: 0 }
  const file = join(folder, 'vectors.cairn')
  const [cairn, other] = [
    await openCairn({ file, cache: false }),
    await openCairn({ file, cache: false }),
  ]
  const bodies = Array.from({ length: 200 }, (_, i) => {
    return `the ${chance.pick(WORDS)} and the ${chance.pick(WORDS)} near the ${chance.pick(WORDS)}, ${i}`
  })
  const long = bodies.slice(0, 60).join('. ')
  await cairn.addMany([...bodies, long].map((body) => ({ body })))
  const [{ id }] = (await cairn.list()).records
  await cairn.edit(id, { title: 'edited' })
  const raw = new Database(file)
  const expected = JSON.stringify(await findAll(cairn))
  const until = performance.now() + lasting * 1000
  do {
    const change = damage(raw, chance)
    figures.changes += 1
    const { checks } = await cairn.doctor()
    if (!checks.some(({ name, ok }) => name === 'vectors' && !ok)) problem(`not noticed: ${change}`)
    const repaired = await cairn.doctor({ repair: true })
    figures.repairs += 1
    for (const { name, ok, detail } of repaired.checks) {
      if (!ok) problem(`after a repair of "${change}" doctor says ${name}: ${detail}`)
    }
    for (const one of [cairn, other]) {
      const found = JSON.stringify(await findAll(one))
      figures.searches += QUERIES.length
      if (found !== expected) problem(`after a repair of "${change}" a search finds something else`)
    }
  } while (performance.now() < until)
  raw.close()
  for (const one of [cairn, other]) await one.close()
  return figures
}

function damage(raw, chance) {
  if (chance.below(2) === 0) {
    const sql = chance.pick(STATEMENTS)
    raw.exec(sql)
    return sql
  }
  const [table, key, column] = chance.pick(BYTES)
  const rows = raw
    .prepare(`SELECT ${key} AS key, ${column} AS bytes FROM ${table} WHERE ${column} IS NOT NULL`)
    .all()
  const row = chance.pick(rows)
  const [at, bit] = [chance.below(row.bytes.length), chance.below(8)]
  row.bytes[at] ^= 1 << bit
  raw.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(row.bytes, row.key)
  return `bit ${bit} of byte ${at} of ${table}.${column} ${row.key}`
}

async function findAll(cairn) {
  const answers = QUERIES.map((query) => cairn.search(query, { mode: 'semantic', limit: 20 }))
  return (await Promise.all(answers)).map(({ hits }) =>
    hits.map((hit) => [hit.id, hit.similarity.toFixed(3)]),
  )
}
