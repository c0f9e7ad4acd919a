import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { openCairn } from '../../index.js'

test('a file that is not SQLite is refused and left as it was', async () => {
  const file = temporaryFile()
  const bytes = 'This is a letter to my aunt. '.repeat(100)
  writeFileSync(file, bytes)
  await expect(openCairn({ file })).rejects.toMatchObject({
    code: 'not_a_database',
    message: `${file} is not a SQLite database.`,
  })
  expect(readFileSync(file, 'utf8')).toBe(bytes)
})

test('a database of another program is refused and left as it was', async () => {
  const file = temporaryFile()
  const other = new Database(file)
  other.exec('CREATE TABLE recipes (name TEXT)')
  other.close()
  const before = readFileSync(file)
  await expect(openCairn({ file })).rejects.toMatchObject({ code: 'not_a_cairn_file' })
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a file from a newer version is refused with the version that wrote it', async () => {
  const file = temporaryFile()
  await (await openCairn({ file })).close()
  const newer = new Database(file)
  newer.pragma('user_version = 99')
  newer.prepare(`UPDATE meta SET value = '7.1.0' WHERE key = 'writtenBy'`).run()
  newer.close()
  await expect(openCairn({ file })).rejects.toMatchObject({
    code: 'newer_format',
    message: expect.stringMatching(
      /was written by Cairn 7\.1\.0 in another format \(99\); this is Cairn /,
    ),
  })
})

test('a folder, a missing file and a missing parent are each named', async () => {
  const folder = temporaryFolder()
  await expect(openCairn({ file: folder })).rejects.toMatchObject({
    code: 'unreadable_file',
    message: `${folder} is a folder, not a file.`,
  })
  const missing = join(folder, 'nothing.cairn')
  await expect(openCairn({ file: missing, create: false })).rejects.toMatchObject({
    code: 'no_database',
  })
  expect(existsSync(missing)).toBe(false)
  const blocked = join(folder, 'file')
  writeFileSync(blocked, '')
  await expect(openCairn({ file: join(blocked, 'x.cairn') })).rejects.toMatchObject({
    code: 'unreadable_file',
  })
})

test('links in a circle and a name that is too long are refused in a sentence', async () => {
  const folder = temporaryFolder()
  const [one, two] = [join(folder, 'one.cairn'), join(folder, 'two.cairn')]
  symlinkSync(one, two)
  symlinkSync(two, one)
  const long = join(folder, `${'n'.repeat(300)}.cairn`)
  for (const file of [one, long]) {
    for (const options of [{}, { create: false }, { readOnly: true }]) {
      const failure = await openCairn({ file, ...options }).catch((error) => error)
      expect(failure.code).toMatch(/^(?:unreadable_file|no_database)$/)
    }
    await expect(openCairn({ file })).rejects.toMatchObject({
      code: 'unreadable_file',
      message: `${file} cannot be opened.`,
    })
  }
})

test('a read-only file can be searched and not written', async () => {
  const file = temporaryFile()
  const writer = await openCairn({ file })
  await writer.add({ body: 'kept apple' })
  await writer.close()
  const reader = await openCairn({ file, readOnly: true })
  expect((await reader.search('apple')).hits).toHaveLength(1)
  await expect(reader.add({ body: 'lost' })).rejects.toMatchObject({
    code: 'read_only',
    message: `${file} cannot be written to.`,
  })
  const { ok, checks } = await reader.doctor()
  expect({ ok, bad: checks.filter((one) => !one.ok) }).toEqual({ ok: true, bad: [] })
  await reader.close()
})

test('a damaged index is found in a file that cannot be written to', async () => {
  const file = temporaryFile()
  const writer = await openCairn({ file })
  await writer.add({ body: 'kept apple' })
  await writer.close()
  const other = new Database(file)
  other.exec("INSERT INTO records_ft (records_ft) VALUES ('delete-all')")
  other.close()
  const reader = await openCairn({ file, readOnly: true })
  const { ok, checks } = await reader.doctor()
  expect(ok).toBe(false)
  expect(checks).toContainEqual({ name: 'fts', ok: false, detail: 'it disagrees with the records' })
  await reader.close()
})

// A super-user may write to everything, so the attempt is made as somebody else.
test.skipIf(process.getuid?.() !== 0)(
  'a file without write permission is named as such',
  async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'locked.cairn')
    await (await openCairn({ file })).close()
    chmodSync(file, 0o444)
    chmodSync(folder, 0o555)
    const script = `
    process.setgid(65534); process.setuid(65534)
    const { openCairn } = await import(${JSON.stringify(join(import.meta.dirname, '../../../dist/index.js'))})
    try { const c = await openCairn({ file: ${JSON.stringify(file)} }); await c.add({ body: 'x' }) }
    catch (error) { console.log(error.code + '|' + error.message) }`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    chmodSync(folder, 0o755)
    expect(stderr).toBe('')
    expect(stdout.trim()).toMatch(/^(read_only|unreadable_file)\|.*locked\.cairn/)
  },
)

test('a full disk changes nothing, and the file works again when there is space', async () => {
  const folder = temporaryFolder()
  const mount = join(folder, 'small')
  mkdirSync(mount)
  const isMounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', mount]).status === 0
  const target = join(isMounted ? mount : folder, 'small.cairn')
  try {
    const small = await openCairn({ file: target })
    await small.add({ body: 'kept apple' })
    if (isMounted) {
      await expect(small.add({ body: 'lost '.repeat(450_000) })).rejects.toMatchObject({
        code: 'disk_full',
      })
    }
    expect((await small.search('apple')).hits).toHaveLength(1)
    await small.add({ body: 'another apple' })
    expect((await small.doctor()).ok).toBe(true)
    await small.close()
  } finally {
    if (isMounted) spawnSync('umount', [mount])
  }
})

test('a locked file says that another program is writing', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file, busyTimeoutMs: 50 })
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  await expect(cairn.add({ body: 'x' })).rejects.toMatchObject({
    code: 'locked',
    message: `Another program is writing to ${file} and did not finish in time.`,
  })
  expect((await cairn.search('x')).hits).toEqual([])
  other.exec('COMMIT')
  other.close()
  expect((await cairn.add({ body: 'x' })).created).toBe(true)
  await cairn.close()
})

test('[D1] a broken index is found by the doctor and mended by a repair', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany([{ body: 'apple 東京', tags: ['fruit'] }, { body: 'pear' }])
  const raw = new Database(file)
  raw.exec(
    `INSERT INTO records_ft (records_ft, rowid, title, body, tags, people) VALUES ('delete', 1, NULL, 'apple', '', '')`,
  )
  raw.exec('DELETE FROM record_tags')
  raw.close()
  const broken = await cairn.doctor()
  expect(broken.ok).toBe(false)
  expect(broken.checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual([
    'counts',
    'tags',
    'fts',
  ])
  expect((await cairn.doctor({ repair: true })).ok).toBe(true)
  expect((await cairn.search('apple', { tags: ['fruit'] })).hits).toHaveLength(1)
  expect((await cairn.search('東京')).hits).toHaveLength(1)
  await cairn.close()
})

test('[D1, N9] what another process writes is no damage to a doctor that has looked before', async () => {
  const file = temporaryFile()
  const [one, other] = [await openCairn({ file }), await openCairn({ file })]
  for (let i = 0; i < 15; i++) {
    await one.search('note')
    await other.add({ body: `note ${i} about things` })
    expect((await one.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  }
  await one.close()
  await other.close()
})

test('[D1] another SQLite program may change and delete rows, and the index follows', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany([{ body: '東京 apple', tags: ['fruit'] }, { body: 'pear' }, { body: 'plum' }])
  const raw = new Database(file)
  raw.exec(`UPDATE records SET body = 'quince' WHERE body LIKE '%apple%'`)
  raw.exec(`UPDATE records SET tags = '["stone"]' WHERE body = 'plum'`)
  raw.exec(`DELETE FROM records WHERE body = 'pear'`)
  raw.close()
  const found = async (query: string) => (await cairn.search(query, { match: 'all' })).total.value
  expect(await found('apple')).toBe(0)
  expect(await found('東京')).toBe(0)
  expect(await found('quince')).toBe(1)
  expect(await found('pear')).toBe(0)
  expect((await cairn.search('plum', { tags: ['stone'] })).total.value).toBe(1)
  const { checks } = await cairn.doctor()
  expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['hashes'])
  await cairn.close()
})

test('[D1] a text whose place another program took is stored when it is added again', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  const session = (await cairn.sessions.start({ id: 'talk' })).id
  const turn = { body: 'ok', session, occurredAt: '2026-01-01T00:00:00.000Z' }
  await cairn.addMany([{ body: 'apple' }, { body: 'pear', title: 'fruit' }, turn])
  const raw = new Database(file)
  raw.exec(`UPDATE records SET body = 'quince' WHERE body = 'apple'`)
  raw.exec(`UPDATE records SET title = NULL WHERE body = 'pear'`)
  raw.exec(`UPDATE records SET occurred_at = 0 WHERE body = 'ok'`)
  raw.exec(`INSERT INTO records (id, kind, namespace, body, created_at, updated_at)
    VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'memory', 'default', 'plum', 1, 1)`)
  raw.close()
  const { checks } = await cairn.doctor()
  expect(checks.filter(({ ok }) => !ok)).toEqual([
    { name: 'hashes', ok: false, detail: '3 records have the hash of another text' },
  ])
  for (const again of [{ body: 'apple' }, { body: 'pear', title: 'fruit' }, turn]) {
    expect((await cairn.add(again)).created).toBe(true)
    expect((await cairn.add(again)).created).toBe(false)
  }
  expect((await cairn.search('apple', { match: 'all' })).hits).toHaveLength(1)
  expect((await cairn.doctor({ repair: true })).ok).toBe(true)
  for (const body of ['quince', 'pear', 'plum']) {
    expect((await cairn.add({ body })).created).toBe(false)
  }
  await cairn.close()
})

test('[M12] after a purge the bytes of the text are no longer in the file', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  const secret = 'xylophonesecret'
  const padding = Array.from({ length: 400 }, (_, i) => ({
    body: `filler number ${i} with some words`,
  }))
  await cairn.addMany(padding)
  const { id } = await cairn.add({
    body: `the ${secret} body ${'long '.repeat(3000)}${secret}`,
    title: `${secret} title`,
    tags: [secret],
    people: [secret],
    metadata: { note: secret },
  })
  await cairn.edit(id, { body: `an edited ${secret} body` })
  await cairn.delete([id])
  const outcome = await cairn.purge([id])
  expect(outcome).toEqual({ purged: [id], bytesGone: true })
  for (const name of [file, `${file}-wal`]) {
    if (!existsSync(name) || statSync(name).size === 0) continue
    // Not from its beginning: the index leaves out what a word shares with the one before.
    expect(readFileSync(name).includes('phonesecr')).toBe(false)
  }
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})

test('[M12] a purge leaves nothing in pages that merges of the index have freed', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file, vectors: false })
  // Spread over the alphabet: wherever pages begin, some of these words stand in them nearly whole.
  const letters = [...'bcdfghjklmnpqrstvwxz']
  const secrets = letters.flatMap((a) => letters.map((b) => `${a}${b}ouvertesecret`))
  const { id } = await cairn.add({ body: secrets.join(' ') })
  for (let batch = 0; batch < 20; batch++) {
    const words = (i: number) =>
      letters.flatMap((a, k) => [`${a}${i}word${batch}`, `${a}o${batch}x${k}`])
    await cairn.addMany(Array.from({ length: 200 }, (_, i) => ({ body: words(i).join(' ') })))
  }
  expect((await cairn.purge([id])).bytesGone).toBe(true)
  expect(readFileSync(file).includes('vertesecr')).toBe(false)
  expect((await cairn.search('b7word0')).total.value).toBe(1)
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})
