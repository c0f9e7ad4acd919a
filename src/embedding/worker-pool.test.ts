import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import type { TextInContext } from '../core/passage.js'
import { embedRecords } from './embed-records.js'
import { packVectors, unpackVectors } from './packed-vectors.js'
import { StaticEmbedder } from './static/static-embedder.js'
import { findWorkerFile, isBulk, splitTexts, WorkerPool } from './worker-pool.js'

const embedder = new StaticEmbedder()
const embedHere = (texts: readonly TextInContext[]) => embedRecords(embedder, texts, null)
const WORDS = 'the wind tunnel HTTPServer naïve 東京都 ferry leaves 3.14 harbour *** at nine'.split(
  ' ',
)

function makeTexts(count: number, words: (i: number) => number): TextInContext[] {
  return Array.from({ length: count }, (_, i) => ({
    title: i % 3 === 0 ? `Title ${i}` : null,
    body: Array.from(
      { length: words(i) },
      (_, k) => `${WORDS[(i * 7 + k * k) % WORDS.length]}.`,
    ).join(' '),
    context: i % 5 === 0 ? 'what a neighbour said\u001ewhat another said' : null,
  }))
}

/** Writes a worker that imports the built one and then runs this code, before the first message. */
function writeWorker(code: string): string {
  const file = join(temporaryFolder(), 'worker.mjs')
  writeFileSync(
    file,
    `import ${JSON.stringify(findWorkerFile())}\nimport { parentPort } from 'node:worker_threads'\n${code}`,
  )
  return file
}

function openPool(count: number, file: string | null = findWorkerFile()): WorkerPool {
  const pool = new WorkerPool(count, file)
  onTestFinished(() => pool.close())
  return pool
}

test('the built worker is found from the sources', () => {
  expect(findWorkerFile()).toMatch(/dist.embedding-worker\.js$/)
  expect(findWorkerFile('/nowhere/at/all.js')).toBeNull()
})

test('two workers and the main thread give the same vectors in order', async () => {
  const long = makeTexts(1, () => 36_000)
  const texts = [...makeTexts(150, (i) => [0, 5, 40, 90, 300][i % 5] ?? 0), ...long]
  const started = join(temporaryFolder(), 'started')
  const file = writeWorker(`import { writeFileSync } from 'node:fs'
  parentPort.on('message', () => writeFileSync(${JSON.stringify(started)}, ''))`)
  let here = 0
  const embedded = await openPool(2, file).embed(texts, async (some) => {
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 5))
    here += some.length
    return embedHere(some)
  })
  expect(here).toBeLessThan(texts.length)
  expect(embedded).toEqual(await embedHere(texts))
})

test('two concurrent calls each get their own vectors', async () => {
  const pool = openPool(1)
  const [first, second] = [makeTexts(200, () => 40), makeTexts(150, (i) => i % 60)]
  const both = await Promise.all([pool.embed(first, embedHere), pool.embed(second, embedHere)])
  expect(both).toEqual([await embedHere(first), await embedHere(second)])
})

test('an error of the model reaches the caller, and the next call works', async () => {
  const pool = openPool(1, null)
  const texts = makeTexts(10, () => 5)
  const fail = async () => {
    throw new Error('broken model')
  }
  await expect(pool.embed(texts, fail)).rejects.toThrow('broken model')
  expect(await pool.embed(texts, embedHere)).toEqual(await embedHere(texts))
})

describe('a worker that', () => {
  const texts = makeTexts(300, () => 40)

  test.each([
    ['never starts', `throw new Error('no')`],
    ['ends with its first message', `parentPort.on('message', () => process.exit(1))`],
    [
      'dies in the middle',
      `let n = 0; parentPort.on('message', () => { if (++n === 4) setTimeout(() => process.exit(1), 30) })`,
    ],
    ['throws', `parentPort.on('message', () => { throw new Error('broken') })`],
  ])('%s loses nothing, and the next call works too', async (_, code) => {
    const pool = openPool(1, writeWorker(code))
    const expected = await embedHere(texts)
    expect(await pool.embed(texts, embedHere)).toEqual(expected)
    expect(await pool.embed(texts.slice(0, 150), embedHere)).toEqual(expected.slice(0, 150))
  })

  test('is closed while it embeds loses nothing', async () => {
    const pool = openPool(1)
    const answer = pool.embed(texts, embedHere)
    await new Promise((resolve) => setTimeout(resolve, 30))
    await pool.close()
    expect(await answer).toEqual(await embedHere(texts))
  })
})

test('an idle worker does not keep the process alive', () => {
  const script = `
    const { openCairn } = await import(${JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))})
    const cairn = await openCairn({ file: ':memory:' })
    await cairn.addMany(Array.from({ length: 500 }, (_, i) => ({ body: ('note ' + i + ' on the wind ').repeat(40) })))
    process.stdout.write('done')`
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect([stdout, status]).toEqual(['done', 0])
})

test('one text, few texts and short texts start no worker', () => {
  expect(isBulk(makeTexts(1, () => 400_000))).toBe(false)
  expect(isBulk(makeTexts(99, () => 5000))).toBe(false)
  expect(isBulk(makeTexts(1000, () => 2))).toBe(false)
  expect(isBulk(makeTexts(300, () => 200))).toBe(true)
})

test('pieces hold all texts in order, and none exceeds the limits', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 })
  const limits = fc.record({
    maxCharacters: fc.integer({ min: 1, max: 50 }),
    maxTexts: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(lengths, limits, (sizes, limit) => {
      const texts = sizes.map((size) => ({ title: null, body: 'x'.repeat(size), context: null }))
      const pieces = splitTexts(texts, limit)
      expect(pieces.flat()).toEqual(texts)
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0)
        expect(piece.length).toBeLessThanOrEqual(limit.maxTexts)
        const characters = piece.reduce((sum, { body }) => sum + body.length, 0)
        expect(piece.length === 1 || characters <= limit.maxCharacters).toBe(true)
      }
    }),
  )
})

test('unpacking returns the vectors that were packed', async () => {
  const texts = makeTexts(40, (i) => [0, 3, 300, 900][i % 4] ?? 0)
  const embedded = await embedHere(texts)
  expect(unpackVectors(texts, packVectors(embedded, 256))).toEqual(embedded)
  expect(embedded.some(({ chunks }) => chunks.length === 0)).toBe(true)
  expect(embedded.some(({ whole }) => whole !== null)).toBe(true)
})
