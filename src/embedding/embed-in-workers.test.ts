/** Read by several threads, texts have the vectors that they have when one reads them, whatever becomes of a thread. */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import type { TextInContext } from '../core/passage.js'
import { findWorkerFile } from '../core/worker.js'
import type { MadeVector, RecordVectors } from '../storage/vectors.js'
import { type QuantisedVector, quantiseVector } from '../vectors/quantise.js'
import { ReadingTogether } from './embed-in-workers.js'
import { readRecords } from './embed-records.js'
import { packReadings, unpackReadings } from './packed-vectors.js'
import { StaticEmbedder } from './static/static-embedder.js'
import { createClaims, cut, isBulk, isMine } from './worker-messages.js'

const embedder = new StaticEmbedder()
const cache = { recall: async () => [], remember: async () => {} }
const readHere = (texts: readonly TextInContext[]) => readRecords(embedder, texts, cache)
const WORDS = 'the wind tunnel HTTPServer naïve 東京都 ferry leaves 3.14 harbour *** at nine'.split(
  ' ',
)

function textsOf(count: number, words: (i: number) => number): TextInContext[] {
  return Array.from({ length: count }, (_, i) => ({
    title: i % 3 === 0 ? `Title ${i}` : null,
    body: Array.from(
      { length: words(i) },
      (_, k) => `${WORDS[(i * 7 + k * k) % WORDS.length]}.`,
    ).join(' '),
    context: i % 5 === 0 ? 'what a neighbour said\u001ewhat another said' : null,
  }))
}

/** Quick to compare: an assertion on thousands of arrays takes longer than to fill them. */
function bitsOf(read: readonly RecordVectors[]) {
  const hash = createHash('sha256')
  for (const { chunks, whole } of read) {
    for (const { vector } of [...chunks, { vector: whole }]) {
      const { codes, fine } = keptOf(vector)
      hash.update(codes.bytes).update(fine.codes).update(`${codes.scale} ${fine.scale}`)
    }
  }
  const ranges = read.map(({ chunks }) => chunks.map(({ start, end }) => [start, end]))
  return { texts: read.map(({ of }) => of), ranges, hash: hash.digest('hex') }
}

const NOTHING = {
  codes: { bytes: new Int8Array(), scale: 0 },
  fine: { codes: new Int16Array(), scale: 0 },
}

/** A thread gives vectors as they are kept; whoever writes others makes that of them. */
function keptOf(vector: MadeVector | null): QuantisedVector {
  if (vector === null) return NOTHING
  if (!(vector instanceof Float32Array)) return vector
  const room = { bytes: new Int8Array(vector.length), fine: new Int16Array(vector.length) }
  return quantiseVector(vector, room) ?? NOTHING
}

/** As the thread's file, and then this: what runs before the first message. */
function workerThat(does: string): string {
  const file = join(temporaryFolder(), 'worker.mjs')
  writeFileSync(
    file,
    `import ${JSON.stringify(findWorkerFile('embedding-worker.js'))}\nimport { parentPort } from 'node:worker_threads'\n${does}`,
  )
  return file
}

/** A thread as it is, and a reader for this one that does not begin before the thread has its first piece. */
function afterTheThread() {
  const started = join(temporaryFolder(), 'started')
  const file = workerThat(`import { writeFileSync } from 'node:fs'
    parentPort.on('message', () => writeFileSync(${JSON.stringify(started)}, ''))`)
  const here = counted()
  const read = async (some: readonly TextInContext[]) => {
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 5))
    return here.read(some)
  }
  return { file, texts: here.texts, read }
}

function together(
  threads: number,
  file: string | null = findWorkerFile('embedding-worker.js'),
): ReadingTogether {
  const opened = new ReadingTogether(threads, file)
  onTestFinished(() => opened.close())
  return opened
}

/** Counts what this thread reads, and reads no quicker than others can take from it. */
function counted(pauseMs = 0) {
  let texts = 0
  return {
    texts: () => texts,
    read: async (some: readonly TextInContext[]) => {
      texts += some.length
      const read = await readHere(some)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      return read
    },
  }
}

test('the thread is built beside the sources and is found from them', () => {
  expect(findWorkerFile('embedding-worker.js')).toMatch(/dist.embedding-worker\.js$/)
  expect(findWorkerFile('embedding-worker.js', '/nowhere/at/all.js')).toBeNull()
})

test.each([1, 2])(
  '%i threads and this one give the same vectors, bit for bit, in the same order',
  async (threads) => {
    const texts = textsOf(300, (i) => [0, 5, 40, 90, 300][i % 5] ?? 0)
    const here = afterTheThread()
    const read = await together(threads, here.file).read(texts, here.read)
    expect(here.texts()).toBeLessThan(texts.length)
    expect(bitsOf(read)).toEqual(bitsOf(await readHere(texts)))
  },
)

test('a text too long to be held at once has the same vectors as well', async () => {
  const texts = [...textsOf(100, () => 20), ...textsOf(1, () => 36_000), ...textsOf(100, () => 20)]
  const here = afterTheThread()
  const read = await together(1, here.file).read(texts, here.read)
  expect(bitsOf(read)).toEqual(bitsOf(await readHere(texts)))
  expect(here.texts()).toBeLessThan(texts.length)
})

test('two calls at once each get their own', async () => {
  const reading = together(1)
  const [first, second] = [textsOf(200, () => 40), textsOf(150, (i) => i % 60)]
  const read = await Promise.all([reading.read(first, readHere), reading.read(second, readHere)])
  expect(read.map(bitsOf)).toEqual([await readHere(first), await readHere(second)].map(bitsOf))
})

describe('a thread that', () => {
  const texts = textsOf(300, () => 40)

  test.each([
    ['never starts', `throw new Error('no')`],
    ['ends with its first piece', `parentPort.on('message', () => process.exit(1))`],
    [
      'dies in the middle',
      `let n = 0; parentPort.on('message', () => { if (++n === 4) setTimeout(() => process.exit(1), 30) })`,
    ],
    ['runs into an error', `parentPort.on('message', () => { throw new Error('broken') })`],
  ])('%s loses nothing, and what comes next is read too', async (_, does) => {
    const reading = together(1, workerThat(does))
    const expected = await readHere(texts)
    expect(bitsOf(await reading.read(texts, readHere))).toEqual(bitsOf(expected))
    const some = await reading.read(texts.slice(0, 150), readHere)
    expect(bitsOf(some)).toEqual(bitsOf(expected.slice(0, 150)))
  })

  test('takes a piece and dies with it loses nothing', async () => {
    const takeAndDie = `parentPort.on('message', ({ claims, place }) => {
      Atomics.store(claims, place, 1)
      process.exit(1)
    })`
    const here = counted(100)
    const read = await together(1, workerThat(takeAndDie)).read(texts, here.read)
    expect(bitsOf(read)).toEqual(bitsOf(await readHere(texts)))
    expect(here.texts()).toBe(texts.length)
  })

  test('is closed while it reads gives back what it had', async () => {
    const reading = together(1)
    const answer = reading.read(texts, counted(5).read)
    await new Promise((resolve) => setTimeout(resolve, 30))
    await reading.close()
    expect(bitsOf(await answer)).toEqual(bitsOf(await readHere(texts)))
  })

  test('was not built is not missed', async () => {
    const read = await together(1, null).read(texts, readHere)
    expect(bitsOf(read)).toEqual(bitsOf(await readHere(texts)))
  })
})

test('a thread without work does not keep a program from ending', async () => {
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

test('one text, few texts and short texts start no thread', () => {
  expect(isBulk(textsOf(1, () => 400_000))).toBe(false)
  expect(isBulk(textsOf(99, () => 5000))).toBe(false)
  expect(isBulk(textsOf(1000, () => 2))).toBe(false)
  expect(isBulk(textsOf(300, () => 200))).toBe(true)
})

test('pieces hold all texts in their order, and none more than it may', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 })
  fc.assert(
    fc.property(
      lengths,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 9 }),
      (sizes, characters, most) => {
        const texts = sizes.map((size, i) => ({
          title: null,
          body: String(i % 10).repeat(size),
          context: null,
        }))
        const pieces = cut(texts, { characters, texts: most })
        expect(pieces.flat()).toEqual(texts)
        for (const piece of pieces) {
          expect(piece.length).toBeGreaterThan(0)
          expect(piece.length).toBeLessThanOrEqual(most)
          const together = piece.reduce((sum, { body }) => sum + body.length, 0)
          expect(piece.length === 1 || together <= characters).toBe(true)
        }
      },
    ),
  )
})

test('what was packed is unpacked as it would be kept', async () => {
  const texts = textsOf(40, (i) => [0, 3, 300, 900][i % 4] ?? 0)
  const read = await readHere(texts)
  const packed = packReadings(read, embedder.model.dimensions)
  expect(bitsOf(unpackReadings(texts, packed))).toEqual(bitsOf(read))
  expect(read.some(({ chunks }) => chunks.length === 0)).toBe(true)
  expect(read.some(({ whole }) => whole !== null)).toBe(true)
})

test('of two threads that ask for a piece one gets it', async () => {
  const claims = createClaims(2000)
  const code = `
    const { parentPort, workerData: claims } = require('node:worker_threads')
    let mine = 0
    for (let i = 0; i < claims.length; i++) if (Atomics.compareExchange(claims, i, 0, 1) === 0) mine++
    parentPort.postMessage(mine)`
  const theirs = new Promise<number>((resolve) =>
    new Worker(code, { eval: true, workerData: claims }).once('message', resolve),
  )
  let mine = 0
  for (let i = claims.length - 1; i >= 0; i--) {
    if (isMine(claims, i)) mine++
    if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(mine + (await theirs)).toBe(claims.length)
})
