import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCairn } from '../src/index.js'
import { temporaryFile } from './support/library.js'
import { work } from './support/works.js'

const LIBRARY = JSON.stringify(join(import.meta.dirname, '../dist/index.js'))

/** A process of its own, as another agent would be. */
function start(file: string, body: string) {
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ file: ${JSON.stringify(file)}, busyTimeoutMs: 20000 })
    ${body}
    await cairn.close()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    out += part
  })
  const done = new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out }))
  })
  return { child, done, output: () => out }
}

test('[N9] several processes that open a new file at once all write to it, and nothing is lost', async () => {
  const file = temporaryFile()
  const writers = Array.from({ length: 3 }, (_, w) =>
    start(file, `for (let i = 0; i < 12; i++) await cairn.add({ body: 'writer ${w} note ' + i })`),
  )
  for (const { done } of writers) expect(await done).toEqual({ code: 0, out: '' })
  const cairn = await openCairn({ file })
  expect((await cairn.search('note', { limit: 1 })).total.value).toBe(36)
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})

test('[N9] what another process writes is found at once by words and by vectors, and what it deletes is gone', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  const find = async () =>
    (await cairn.search('kitten', { mode: 'semantic', threshold: -1 })).hits.map(
      ({ record }) => record.body,
    )
  await cairn.add({ body: 'The bank raised interest rates.' })
  expect(await find()).toHaveLength(1)
  expect((await cairn.search('purrs', { mode: 'keyword' })).hits).toEqual([])
  const added = await start(file, `await cairn.add({ body: 'The cat sleeps and purrs.' })`).done
  expect(added.code).toBe(0)
  expect((await find())[0]).toBe('The cat sleeps and purrs.')
  expect((await cairn.search('purrs', { mode: 'keyword' })).hits).toHaveLength(1)
  const deleted = await start(
    file,
    `const { hits } = await cairn.search('cat'); await cairn.delete([hits[0].id])`,
  ).done
  expect(deleted.code).toBe(0)
  expect(await find()).toEqual(['The bank raised interest rates.'])
  expect((await cairn.search('purrs', { mode: 'keyword' })).hits).toEqual([])
  await cairn.close()
})

test('[L8, N10] building another model goes on where a kill -9 stopped it', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany(
    Array.from({ length: 1500 }, (_, i) => ({ body: `note ${i} about the cat and the bank` })),
  )
  const config = `{ provider: 'fake', dimensions: 64 }`
  const builder = start(
    file,
    `await cairn.embed(${config}, ({ done }) => process.stdout.write(done + '\\n'))`,
  )
  while (Number(builder.output().trim().split('\n').at(-1)) < 512) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  builder.child.kill('SIGKILL')
  await builder.done
  const half = (await cairn.models()).models.find(({ id }) => id === 'fake/hash@64')
  expect(half?.state).toBe('building')
  expect(half?.records).toBeGreaterThanOrEqual(512)
  expect(half?.records).toBeLessThan(1500)
  expect(
    (await cairn.search('cat', { mode: 'semantic', threshold: 0 })).hits.length,
  ).toBeGreaterThan(0)

  const seen: number[] = []
  await cairn.embed({ provider: 'fake', dimensions: 64 }, ({ done }) => seen.push(done))
  expect(seen[0]).toBe(half?.records)
  const { models } = await cairn.models()
  expect(models.find(({ id }) => id === 'fake/hash@64')).toMatchObject({
    state: 'active',
    records: 1500,
  })
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})

test('[L8, N9] an import goes on where a kill -9 stopped it, and no work is there twice', async () => {
  const file = temporaryFile()
  const works = Array.from({ length: 800 }, (_, i) =>
    work(`Work ${i}`, {
      doi: `10.1000/${i}`,
      abstract: `About the cat and the bank, part ${i}`,
      authors: [{ family: 'Stone', given: 'Ada' }],
      year: 2000,
      references: [`doi:10.1000/${i + 1}`],
    }),
  )
  const source = `${file}.json`
  writeFileSync(source, JSON.stringify(works))
  const importer = start(
    file,
    `const { readFileSync } = await import('node:fs')
    const works = JSON.parse(readFileSync(${JSON.stringify(source)}, 'utf8'))
    await cairn.works.import(works, { batch: 50, onProgress: ({ done }) => process.stdout.write(done + '\\n') })`,
  )
  while (Number(importer.output().trim().split('\n').at(-1)) < 200) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  importer.child.kill('SIGKILL')
  await importer.done
  const cairn = await openCairn({ file })
  const half = (await cairn.stats()).records.work
  expect(half).toBeGreaterThanOrEqual(200)
  expect(half % 50).toBe(0)
  expect(half).toBeLessThan(800)

  const again = await cairn.works.import(works)
  expect(again).toMatchObject({ created: 800 - half, unchanged: half })
  expect((await cairn.stats()).records.work).toBe(800)
  const { references, citedBy, unresolved } = await cairn.works.citations('10.1000/799')
  expect([references.length, citedBy.length, unresolved]).toEqual([0, 1, ['doi:10.1000/800']])
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})

test('[L8, N9] two processes that import the same works at once store each of them once', async () => {
  const file = temporaryFile()
  const works = `Array.from({ length: 200 }, (_, i) => ({ title: 'Work ' + i, doi: '10.1000/' + i }))`
  const importers = [1, 2].map(() =>
    start(
      file,
      `const { created } = await cairn.works.import(${works}, { batch: 20 }); process.stdout.write('' + created)`,
    ),
  )
  const created = await Promise.all(importers.map(async ({ done }) => Number((await done).out)))
  expect(created.reduce((a, b) => a + b)).toBe(200)
  const cairn = await openCairn({ file })
  expect((await cairn.stats()).records.work).toBe(200)
  await cairn.close()
})
