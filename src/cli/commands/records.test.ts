import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { NOW, terminal } from '../../../test/support/terminal.js'

describe('get, edit, delete, restore, purge', () => {
  test('a record goes through its whole life under a short id', async () => {
    const cairn = terminal(temporaryFile())
    const added = await cairn('add', 'apple', '--meta', 'a=1', '--meta', 'kept=yes', '--json')
    const { id } = JSON.parse(added.out) as { id: string }
    const short = id.slice(0, 10).toLowerCase()
    expect((await cairn('get', short)).out).toContain('apple')
    const edited = await cairn(
      'edit',
      short,
      'pear',
      '--tag',
      'x',
      '--meta',
      'b=2',
      '--meta',
      'a=',
      '--json',
    )
    const { body, tags, metadata } = JSON.parse(edited.out)
    expect({ body, tags, metadata }).toEqual({
      body: 'pear',
      tags: ['x'],
      metadata: { b: 2, kept: 'yes' },
    })
    expect(JSON.parse((await cairn('edit', short, '--tag', '', '--json')).out)).toMatchObject({
      tags: [],
      body: 'pear',
    })
    expect(JSON.parse((await cairn('delete', short, '--json')).out)).toEqual({ deleted: [id] })
    const gone = await cairn('get', short, '--json')
    expect(gone.code).toBe(1)
    expect(JSON.parse(gone.out)).toEqual({ records: [], missing: [short] })
    expect((await cairn('list', '--deleted')).out).toContain('pear')
    expect(JSON.parse((await cairn('restore', short, '--json')).out)).toEqual({ restored: [id] })
    await cairn('delete', short)
    expect(JSON.parse((await cairn('purge', '--deleted', '--json')).out)).toMatchObject({
      purged: [id],
    })
    expect((await cairn('restore', short)).code).toBe(1)
  })

  test('one wrong id changes nothing', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = JSON.parse((await cairn('add', 'apple', '--json')).out) as { id: string }
    expect((await cairn('delete', id, '7ZZZZZZZZZZ')).code).toBe(1)
    expect((await cairn('get', id)).code).toBe(0)
  })

  test('get prints what is there and names what is not', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = JSON.parse((await cairn('add', 'apple', '--json')).out) as { id: string }
    const { code, out, err } = await cairn('get', id, '7ZZZZZZZZZZ')
    expect(code).toBe(1)
    expect(out).toContain('apple')
    expect(err).toContain('"7ZZZZZZZZZZ"')
  })
})

test('list, stats and doctor have the shapes that scripts rely on', async () => {
  let time = NOW
  const cairn = terminal(temporaryFile(), { now: () => time++ })
  await cairn('add', 'apple', '--namespace', 'a')
  await cairn('add', 'pear', '--kind', 'document')
  const list = JSON.parse((await cairn('list', '--limit', '1', '--json')).out) as {
    records: unknown[]
    next: string
  }
  expect(list.records).toHaveLength(1)
  const rest = JSON.parse((await cairn('list', '--cursor', list.next, '--json')).out) as unknown
  expect(rest).toMatchObject({ records: [{ body: 'apple' }], next: null })
  const stats = JSON.parse((await cairn('stats', '--json')).out) as unknown
  expect(stats).toMatchObject({
    records: { memory: 1, document: 1, work: 0 },
    chunks: 2,
    vectors: { 'cairn/static@2': 2 },
    waiting: 0,
    namespaces: { a: 1, default: 1 },
    bytes: expect.any(Number),
  })
  const doctor = JSON.parse((await cairn('doctor', '--json')).out) as {
    ok: boolean
    checks: unknown[]
  }
  expect(doctor.ok).toBe(true)
  expect(doctor.checks).toContainEqual({ name: 'fts', ok: true, detail: '' })
})
