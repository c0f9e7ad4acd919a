import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../../test/support/library.js'
import { createFakeEmbedder } from '../../../embedding/fake.js'
import { type Cairn, type OpenOptions, openCairn } from '../../../index.js'

const WORDS = 'cat bread bank server ferry garden letter window pump river'.split(' ')
const BODIES = Array.from({ length: 200 }, (_, i) => {
  const [a, b, c] = [i % 10, (i * 3 + 1) % 10, Math.floor(i / 10) % 10].map((at) => WORDS[at])
  return `the ${a} and the ${b} near the ${c}, number ${i}`
})
const LONG = Array.from({ length: 60 }, (_, i) => `Sentence ${i} is about the ferry.`).join(' ')
const TEXTS = [...BODIES, `${LONG}\n\n${LONG.replaceAll('ferry', 'garden')}`]

/** An own embedder that counts the texts it embeds. */
function countTexts() {
  const fake = createFakeEmbedder(48)
  const counted = { passages: 0 }
  const embed = (texts: readonly string[], as: 'query' | 'passage') => {
    if (as === 'passage') counted.passages += texts.length
    return fake.embed(texts, { as })
  }
  return { counted, embedder: { id: 'counting', dimensions: 48, embed } }
}

async function openLibrary(options: Partial<OpenOptions> = {}) {
  const file = temporaryFile()
  const open = async () => {
    const cairn = await openCairn({ file, cache: false, ...options })
    onTestFinished(() => cairn.close())
    return cairn
  }
  const cairn = await open()
  await cairn.addMany(TEXTS.map((body) => ({ body })))
  const { id } = await cairn.add({ body: 'the pump in the garden, before' })
  await cairn.edit(id, { body: 'the pump in the garden, after' })
  const raw = new Database(file)
  onTestFinished(() => void raw.close())
  return { cairn, open, raw }
}

const findAll = async (cairn: Cairn): Promise<unknown> => {
  const found: unknown[] = []
  for (const query of ['a letter about the ferry', 'bread near the window', 'the pump']) {
    for (const options of [{}, { asOf: '2100-01-01', includeSuperseded: true }]) {
      const { hits } = await cairn.search(query, { mode: 'semantic', limit: 20, ...options })
      found.push(hits.map((hit) => [hit.id, hit.similarity?.toFixed(2)]))
    }
  }
  return found
}

const failedChecks = async (cairn: Cairn) =>
  (await cairn.doctor()).checks.flatMap(({ name, ok, detail }) =>
    ok ? [] : [`${name}: ${detail}`],
  )

/** Flips one bit of a stored value; `at` is the position as a share of its length. */
function flipBit(raw: Database.Database, from: string, column: string, at: number): void {
  const [key, table] = from.split(' OF ')
  const sql = `SELECT ${key} AS key, ${column} AS bytes FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`
  const row = raw.prepare<[], { key: number; bytes: Buffer }>(sql).get()
  if (row === undefined) throw new Error(`no ${column} in ${table}`)
  const byte = Math.floor(row.bytes.length * at)
  row.bytes.writeUInt8((row.bytes[byte] ?? 0) ^ 1, byte)
  raw.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(row.bytes, row.key)
}

const DAMAGES: Readonly<Record<string, readonly [(raw: Database.Database) => void, RegExp]>> = {
  'a code of a block': [
    (raw) => flipBit(raw, 'row OF vector_blocks', 'data', 0.7),
    /^vectors: 1 changed blocks, \d+ records with changed or missing vectors$/,
  ],
  'the header of a block': [
    (raw) => flipBit(raw, 'row OF vector_blocks', 'data', 0),
    /^vectors: 1 changed blocks/,
  ],
  'a block that is cut': [
    (raw) =>
      raw.exec(
        `UPDATE vector_blocks SET data = x'00' WHERE row = (SELECT min(row) FROM vector_blocks)`,
      ),
    /^vectors: 1 changed blocks/,
  ],
  'a block that is gone': [
    (raw) => raw.exec('DELETE FROM vector_blocks WHERE row = (SELECT min(row) FROM vector_blocks)'),
    /^vectors: \d+ records with changed or missing vectors$/,
  ],
  'the free slots of a block': [
    (raw) =>
      raw.exec(
        'UPDATE vector_blocks SET free = 9 WHERE row = (SELECT min(row) FROM vector_blocks)',
      ),
    /^vectors: 1 changed blocks/,
  ],
  'a finer code': [
    (raw) => flipBit(raw, 'place OF vectors', 'codes', 0.5),
    /^vectors: 1 records with changed or missing vectors$/,
  ],
  'a scale': [
    (raw) => raw.exec('UPDATE vectors SET scale = scale * 2 WHERE place % 7 = 0'),
    /^vectors: \d+ records/,
  ],
  'a vector that is gone': [
    (raw) => raw.exec('DELETE FROM vectors WHERE place % 50 = 0'),
    /^vectors: \d+ records/,
  ],
  'chunks that are gone': [(raw) => raw.exec('DELETE FROM chunks'), /^vectors: 20\d records/],
  'a queue that forgot': [
    (raw) => raw.exec('DELETE FROM embedded WHERE record < 4'),
    /^vectors: 3 records that have no vectors and are not pending$/,
  ],
  'the vector of an earlier state': [
    (raw) => flipBit(raw, 'row OF revisions', 'codes', 0.5),
    /^vectors: 1 earlier states with changed vectors$/,
  ],
}

test('[D1] doctor finds damaged vectors, and a repair restores them for every open process', async () => {
  const { cairn, open, raw } = await openLibrary()
  const other = await open()
  const before = await findAll(cairn)
  expect(await findAll(other)).toEqual(before)
  for (const [name, [damage, detail]] of Object.entries(DAMAGES)) {
    damage(raw)
    expect(await failedChecks(cairn), name).toEqual([expect.stringMatching(detail)])
    const { checks } = await cairn.doctor({ repair: true })
    expect(
      checks.filter(({ ok }) => !ok),
      name,
    ).toEqual([])
    for (const one of [cairn, other]) expect(await findAll(one), name).toEqual(before)
  }
})

test('[D1] a repair keeps the intact vectors of an expensive model', async () => {
  const { counted, embedder } = countTexts()
  const { cairn, raw } = await openLibrary({ embedder })
  const before = await findAll(cairn)
  raw.exec('DELETE FROM embedding_cache')
  counted.passages = 0
  expect((await cairn.doctor({ repair: true })).ok).toBe(true)
  expect(counted.passages).toBe(0)
  flipBit(raw, 'place OF vectors', 'codes', 0.5)
  expect((await cairn.doctor({ repair: true })).ok).toBe(true)
  expect(counted.passages).toBe(1)
  expect(await findAll(cairn)).toEqual(before)
  flipBit(raw, 'row OF embedding_cache', 'vector', 0.5)
  expect(await failedChecks(cairn)).toEqual(['vectors: 1 changed cached vectors'])
  expect((await cairn.doctor({ repair: true })).ok).toBe(true)
})

test('[D1] vectors of other weights are detected and rebuilt', async () => {
  const { cairn, raw } = await openLibrary()
  const before = await findAll(cairn)
  // Every record gets the intact vector of another one.
  raw.exec(`CREATE TEMP TABLE shifted AS SELECT a.place, b.scale, b.checksum, b.codes
    FROM vectors a JOIN vectors b ON b.place = a.place + 1;
    UPDATE vectors SET (scale, checksum, codes) =
      (SELECT s.scale, s.checksum, s.codes FROM shifted s WHERE s.place = vectors.place)
    WHERE place IN (SELECT place FROM shifted)`)
  expect(await failedChecks(cairn)).toEqual([
    expect.stringMatching(/^model: \d+ of 64 vectors are not those of this model$/),
  ])
  expect((await cairn.doctor({ repair: true })).ok).toBe(true)
  expect(await findAll(cairn)).toEqual(before)
})

test('[D1] a repair with vectors disabled keeps the stored vectors', async () => {
  const { cairn, open } = await openLibrary()
  const before = await findAll(cairn)
  const off = await openCairn({ file: cairn.file, vectors: false })
  onTestFinished(() => off.close())
  expect((await off.doctor({ repair: true })).ok).toBe(true)
  expect(await findAll(await open())).toEqual(before)
})
