import { existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { Block } from '../vectors/block.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const

function bytesOnDisk(file: string): Buffer {
  const names = [file, `${file}-wal`].filter((name) => existsSync(name))
  return Buffer.concat(names.map((name) => readFileSync(name)))
}

test('[M12] a purge reaches revisions, facts, recalls, session links and summaries, down to the bytes', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf([], { file, ...FAKE })
  const { id: kept } = await cairn.add({
    body: 'The gate stays open all night long.',
    session: 'talk',
  })
  const { id } = await cairn.add({
    body: 'The firstsecret lies in the cellar.',
    title: 'titlesecret',
    session: 'talk',
  })
  const { id: heir } = await cairn.add({ body: 'Something else took over.' })
  await cairn.sessions.start({ id: 'recall' })
  await cairn.facts.add({
    record: id,
    subject: 'subjectsecret',
    predicate: 'lies in',
    object: 'objectsecret',
    quote: 'quotesecret',
  })
  await cairn.links.add({ from: id, to: kept, note: 'notesecret' })
  await cairn.search('querysecret cellar', {
    recallSession: 'recall',
    mode: 'keyword',
    match: 'any',
    ids: { in: [id] },
  })
  await cairn.edit(id, {
    body: 'The secondsecret lies in the attic.',
    tags: ['tagsecret'],
    session: 'recall',
  })
  await cairn.reinforce([id], { session: 'recall' })
  await cairn.sessions.end('talk')
  expect((await cairn.sessions.show('talk')).summary).toContain('secondsecret')
  await cairn.supersede(id, heir)
  await cairn.delete([id])
  await cairn.restore([id])
  expect(bytesOnDisk(file).includes('secondsecret')).toBe(true)

  expect(await cairn.purge([id])).toEqual({ purged: [id], bytesGone: true })
  const raw = new Database(file, { readonly: true })
  const count = (table: string) => raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect(count('revisions')).toBe(0)
  expect(count('facts')).toBe(0)
  expect(count('recalls')).toBe(0)
  expect(count('recalled_queries')).toBe(0)
  expect(count('links')).toBe(0)
  expect(raw.prepare('SELECT count(*) FROM session_records').pluck().get()).toBe(1)
  raw.close()
  expect((await cairn.sessions.show('talk')).summary).toBe('The gate stays open all night long.')
  expect((await cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  await cairn.close()
  const bytes = bytesOnDisk(file)
  for (const secret of [
    'first',
    'second',
    'title',
    'subject',
    'object',
    'quote',
    'note',
    'query',
    'tag',
  ]) {
    expect(bytes.includes(`${secret}secret`), secret).toBe(false)
  }
})

test('[M12, N9] a purge does not wait for those who read as long as a write may wait, and the bytes go later', async () => {
  const file = temporaryFile()
  const hour = 3_600_000
  const cairn = await libraryOf([], { file, ...FAKE, busyTimeoutMs: hour })
  const { id } = await cairn.add({ body: 'The firstsecret lies in the cellar.' })
  const reader = new Database(file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM records').get()
  // Whoever waited for the reader would wait for an hour, and nobody could write meanwhile.
  expect(await cairn.purge([id])).toEqual({ purged: [id], bytesGone: false })
  reader.exec('COMMIT')
  reader.close()
  const { id: other } = await cairn.add({ body: 'Nothing of interest.' })
  expect((await cairn.purge([other])).bytesGone).toBe(true)
  expect(bytesOnDisk(file).includes('firstsecret')).toBe(false)
})

test('[M12] a purge reaches the vector blocks and the embedding cache', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf(
    Array.from({ length: 200 }, (_, i) => `kept note number ${i} with words`),
    { file, vectors: { provider: 'fake', dimensions: 48 } },
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
