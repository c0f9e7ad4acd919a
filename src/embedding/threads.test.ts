/** Many records get the same vectors, however they are added and whatever happens to the threads. */

import { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import workerThreads from 'node:worker_threads'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { work } from '../../test/support/works.js'
import { openCairn, type RecordInput } from '../index.js'

const WORDS =
  'the wind tunnel measured how a boundary layer separates from the wing of a ferry at nine'.split(
    ' ',
  )
const textOf = (i: number): string =>
  Array.from({ length: 200 + (i % 120) }, (_, k) => WORDS[(i * 5 + k * k) % WORDS.length]).join(' ')
const DOCUMENTS: RecordInput[] = Array.from({ length: 500 }, (_, i) => ({
  kind: 'document',
  title: `Report ${i}`,
  body: `${i}. ${textOf(i)}.`,
}))

/** Counts real threads, and terminates each after this many pieces. */
function watchThreads(piecesToLive = Number.POSITIVE_INFINITY) {
  const seen = { started: 0, pieces: 0 }
  const Real = workerThreads.Worker
  class Watched extends Real {
    #pieces = 0
    constructor(...given: ConstructorParameters<typeof Real>) {
      super(...given)
      seen.started++
    }
    override postMessage(...message: Parameters<InstanceType<typeof Real>['postMessage']>) {
      super.postMessage(...message)
      seen.pieces++
      if (++this.#pieces >= piecesToLive) setTimeout(() => void this.terminate(), 5)
    }
  }
  workerThreads.Worker = Watched
  syncBuiltinESMExports()
  onTestFinished(() => {
    workerThreads.Worker = Real
    syncBuiltinESMExports()
  })
  return seen
}

/** Reads all stored data of the vectors, keyed by the title of the record. */
function vectorsIn(file: string): unknown[] {
  const db = new Database(file, { readonly: true })
  try {
    return db
      .prepare(
        `SELECT r.title, c.ordinal, c."start", c."end", hex(v.codes), v.scale, hex(w.codes)
        FROM chunks c JOIN records r ON r.row = c.record JOIN vectors v ON v.place = c.block * 128 + c.slot
        JOIN embedded e ON e.record = c.record LEFT JOIN vectors w ON w.place = e.whole_block * 128 + e.whole_slot
        ORDER BY r.title, c.ordinal`,
      )
      .raw()
      .all()
  } finally {
    db.close()
  }
}

let expected: unknown[] = []
beforeEach(async () => {
  if (expected.length > 0) return
  const seen = watchThreads()
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  for (let i = 0; i < DOCUMENTS.length; i += 50) await cairn.addMany(DOCUMENTS.slice(i, i + 50))
  await cairn.add(DOCUMENTS[0] as RecordInput)
  await cairn.search('the wing of a ferry')
  await cairn.close()
  expect(seen.started).toBe(0)
  expected = vectorsIn(file)
  expect(expected.length).toBeGreaterThan(DOCUMENTS.length)
})

async function check(file: string): Promise<void> {
  expect(vectorsIn(file)).toEqual(expected)
  const cairn = await openCairn({ file })
  expect((await cairn.stats()).waiting).toBe(0)
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
}

test('many records in one call', async () => {
  const seen = watchThreads()
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany(DOCUMENTS)
  await cairn.close()
  expect(seen.started).toBeGreaterThan(0)
  await check(file)
})

test.each([1, 3])('an import whose threads are terminated after %d pieces', async (pieces) => {
  const seen = watchThreads(pieces)
  const file = temporaryFile()
  const source = join(temporaryFolder(), 'reports.jsonl')
  writeFileSync(source, DOCUMENTS.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const cairn = await openCairn({ file })
  expect(await cairn.import(source, { batch: 250 })).toMatchObject({ created: DOCUMENTS.length })
  await cairn.close()
  expect(seen.started).toBeGreaterThan(0)
  await check(file)
})

test('vectors that are built later', async () => {
  const file = temporaryFile()
  const without = await openCairn({ file, vectors: false })
  await without.addMany(DOCUMENTS)
  await without.close()
  const seen = watchThreads(4)
  const cairn = await openCairn({ file })
  await cairn.embed()
  await cairn.close()
  expect(seen.started).toBeGreaterThan(0)
  await check(file)
})

test('works', async () => {
  const seen = watchThreads()
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  const works = DOCUMENTS.map(({ title, body }) => work(title ?? '', { abstract: body }))
  const answer = await cairn.works.import(works)
  expect(answer.created).toBe(DOCUMENTS.length)
  await cairn.close()
  expect(seen.started).toBeGreaterThan(0)
  await check(file)
})
