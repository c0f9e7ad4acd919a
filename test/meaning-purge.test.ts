import { existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { Block } from '../src/vectors/block.js'
import { libraryOf, temporaryFile } from './support/library.js'

const FAKE = { provider: 'fake', dimensions: 48 } as const

function bytesOnDisk(file: string): Buffer {
  const parts = [file, `${file}-wal`]
    .filter((name) => existsSync(name))
    .map((name) => readFileSync(name))
  return Buffer.concat(parts)
}

test('[M12] a purge reaches the vector blocks and the embedding cache', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf(
    Array.from({ length: 200 }, (_, i) => `kept note number ${i} with words`),
    { file, vectors: FAKE },
  )
  const { id } = await cairn.add({ body: 'a quite singular xylophone secret', title: 'Secret' })

  const raw = new Database(file)
  const [place] = raw
    .prepare(`SELECT b.data, c.slot FROM chunks c JOIN vector_blocks b ON b.row = c.block
      JOIN records r ON r.row = c.record WHERE r.id = ?`)
    .all(id) as { data: Uint8Array; slot: number }[]
  const codes = new Block(place?.data ?? new Uint8Array()).read(place?.slot ?? 0)?.codes.bytes
  const fine = raw
    .prepare(`SELECT v.codes FROM chunks c JOIN vectors v ON v.place = c.block * 128 + c.slot
      JOIN records r ON r.row = c.record WHERE r.id = ?`)
    .pluck()
    .get(id) as Buffer
  const cached = raw
    .prepare('SELECT vector FROM embedding_cache ORDER BY row DESC LIMIT 1')
    .pluck()
    .get() as Buffer
  const cachedCount = raw.prepare('SELECT count(*) FROM embedding_cache').pluck()
  const before = Number(cachedCount.get())
  raw.pragma('wal_checkpoint(TRUNCATE)')
  if (codes === undefined) throw new Error('no vector was stored')
  const codeBytes = Buffer.from(codes.buffer, codes.byteOffset, 48)
  expect(bytesOnDisk(file).includes(codeBytes)).toBe(true)
  expect(bytesOnDisk(file).includes(cached)).toBe(true)
  expect(bytesOnDisk(file).includes(fine)).toBe(true)

  const outcome = await cairn.purge([id])
  expect(Number(cachedCount.get())).toBe(before - 1)
  raw.close()
  expect(outcome.purged).toEqual([id])
  await cairn.close()
  expect(bytesOnDisk(file).includes(codeBytes)).toBe(false)
  expect(bytesOnDisk(file).includes(cached)).toBe(false)
  expect(bytesOnDisk(file).includes(fine)).toBe(false)
  expect(bytesOnDisk(file).includes('xylophon')).toBe(false)
})

test('[L9] a text that was read before is not read again', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf(['the same passage'], { file, vectors: FAKE })
  await cairn.addMany(
    Array.from({ length: 5 }, (_, i) => ({ body: 'the same passage', namespace: `n${i}` })),
  )
  const raw = new Database(file, { readonly: true })
  expect(raw.prepare('SELECT count(*) FROM embedding_cache').pluck().get()).toBe(1)
  expect(raw.prepare('SELECT count(*) FROM chunks').pluck().get()).toBe(6)
  raw.close()
})
