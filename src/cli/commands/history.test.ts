import { expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { golden, jsonOf, NOW, steady, terminal } from '../../../test/support/terminal.js'
import type { RecordId } from '../../core/ids.js'
import { openSqlite } from '../../storage/sqlite/open-sqlite.js'

type Added = { id: string }

function open() {
  let time = NOW
  const cairn = terminal(temporaryFile(), { now: () => time++ })
  return { cairn, json: jsonOf(cairn) }
}

test('[M7] history shows what a record was, and undo brings it back', async () => {
  const { cairn, json } = open()
  const { id } = await json<Added>('add', 'We release on Tuesdays.', '--tag', 'release')
  await cairn('edit', id, 'We release on Thursdays.', '--tag', 'weekly', '--importance', '0.9')
  const { revisions, record } = await json<{ revisions: unknown[]; record: unknown }>('history', id)
  expect(revisions).toMatchObject([
    { number: 1, body: 'We release on Tuesdays.', tags: ['release'], endedBy: 'edit' },
  ])
  expect(record).toMatchObject({ body: 'We release on Thursdays.', importance: 0.9 })
  const { out } = await cairn('history', id)
  expect(out).toMatch(
    /\n {2}1 {2}.+, then edited\n {5}We release on Tuesdays\.\nnow {2}revision 2, since /,
  )
  expect(out).toContain('     tags: release → weekly\n     importance: 0.5 → 0.9\n')
  const undone = await json('undo', id)
  expect(undone).toMatchObject({ body: 'We release on Tuesdays.', tags: ['release'] })
  expect(await json('undo', id, '--to', '2')).toMatchObject({ body: 'We release on Thursdays.' })
})

test('[F8] why tells where a record came from and who recalled it, replay what moved since', async () => {
  const { cairn, json } = open()
  expect((await cairn('add', 'An unrelated note.')).code).toBe(0)
  expect((await cairn('replay')).out).toContain('no search was logged')
  await cairn('session', 'start', '--name', 'standup')
  const older = await json<Added>(
    ...['add', 'We release on Tuesdays.', '--session', 'standup', '--person', 'Priya'],
  )
  const newer = await json<Added>('add', 'We release on Thursdays.')
  await cairn('fact', 'add', older.id, 'release', 'is on', 'Tuesday')
  await cairn('search', 'release', '--recall', 'standup', '--lens', 'exact')
  await cairn('supersede', older.id, newer.id, '--note', 'moved')
  expect(await json('why', older.id)).toMatchObject({
    record: { id: older.id },
    session: { id: 'standup' },
    lastTouchedBy: { session: 'standup', usage: 'recalled' },
    supersededBy: { id: newer.id, text: 'We release on Thursdays.' },
    chain: [newer.id],
    links: [{ type: 'SUPERSEDES', direction: 'in' }],
    facts: [{ object: 'Tuesday' }],
    recalls: [{ query: 'release', lens: 'exact', sessionId: 'standup' }],
  })
  golden('why.txt', steady((await cairn('why', older.id)).out))
  const { queries } = await json<{ queries: { moved: unknown[] }[] }>('replay')
  expect(queries).toMatchObject([{ query: 'release', lens: 'exact', session: 'standup', hits: 1 }])
  expect(queries[0]?.moved).toContainEqual(expect.objectContaining({ id: older.id, after: null }))
  expect((await cairn('replay', '--session', 'standup')).out).toMatch(
    /^“release” {2}exact · standup · .+ · 1 hit\n.*→ gone/s,
  )
})

test('[M9] a timeline shows what came before and after, oldest first, with its sessions', async () => {
  const { cairn, json } = open()
  await cairn('session', 'start', '--name', 'standup')
  const ids: string[] = []
  for (const [i, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
    const time = `2026-06-0${i < 3 ? 1 : 2}T0${i}:00`
    const where = i === 1 ? ['--session', 'standup'] : []
    ids.push((await json<Added>('add', text, '--occurred', time, ...where)).id)
  }
  type Line = { entries: { id: string; isAnchor: boolean }[]; next: string | null }
  const around = await json<Line>('timeline', ids[2]!, '--before', '1', '--after', '1')
  expect(around.entries.map(({ id }) => id)).toEqual(ids.slice(1, 4))
  expect(around).toMatchObject({ anchor: ids[2], sessions: [{ id: 'standup' }], next: null })
  const { out } = await cairn('timeline', ids[2]!)
  expect(steady(out)).toBe(
    [
      'Mon 1 Jun',
      '  00:00  ID1  one',
      '  in standup',
      '  01:00  ID2  two',
      '▸ 02:00  ID3  three',
      'Tue 2 Jun',
      '  03:00  ID4  four',
      '  04:00  ID5  five\n',
    ].join('\n'),
  )
  const first = await json<Line>('timeline', '--until', '2026-06-01', '--limit', '2')
  expect(first.entries.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  const rest = await json<Line>('timeline', '--cursor', String(first.next))
  expect(rest.entries.map(({ id }) => id)).toEqual(ids.slice(2))
  expect((await cairn('timeline', '--since', '2026-07-01')).out).toBe('nothing happened then\n')
})

test('[M5] records are reinforced and de-emphasised by hand, down to the least', async () => {
  const { json, cairn } = open()
  const { id } = await json<Added>('add', 'apple', '--salience', '0.5')
  type Strength = { records: { id: string; salience: number }[] }
  const { records } = await json<Strength>('reinforce', id, '--amount', '0.5')
  expect(records[0]?.salience).toBeCloseTo(0.75, 5)
  const less = await json<Strength>('deemphasize', id)
  expect(less.records[0]?.salience).toBeCloseTo(0.65, 5)
  expect((await cairn('deemphasize', id, '--amount', '1')).out).toBe(`${id}  salience 0.050\n`)
})

test('[M3] sector, tier, importance and salience can be given and changed', async () => {
  const { json } = open()
  const { id } = await json<Added>(
    ...['add', 'apple', '--sector', 'reflective', '--tier', 'global'],
    ...['--importance', '0.9', '--salience', '0.8'],
  )
  const given = { sector: 'reflective', tier: 'global', importance: 0.9, salience: 0.8 }
  expect(await json('get', id)).toMatchObject({ records: [given] })
  const changed = await json('edit', id, '--sector', 'episodic', '--salience', '0.3')
  expect(changed).toMatchObject({ ...given, sector: 'episodic', salience: 0.3 })
})

test('history, why, timeline and log say which token did it', async () => {
  const file = temporaryFile()
  let time = NOW
  const now = () => time++
  const cairn = terminal(file, { now })
  const { id } = await jsonOf(cairn)<Added>('add', 'We release on Tuesdays.')
  const other = await jsonOf(cairn)<Added>('add', 'We meet on Fridays.')
  const storage = openSqlite({
    ...{ file, programVersion: '0', create: false, readOnly: false, busyTimeoutMs: 1000 },
    ...{ trace: null, now, decay: 1, reinforcement: 0, makeId: () => '' as RecordId },
  })
  await storage.signed('ada', () => storage.update(id as RecordId, { body: 'On Thursdays.' }))
  await storage.signed('ben', () => storage.softDelete([other.id as RecordId]))
  await storage.close()
  const past = (await cairn('history', id)).out
  expect(past).toMatch(/, then edited by ada\n/)
  expect(past).toMatch(/now {2}revision 2, since .+ by ada\n/)
  expect((await cairn('history', other.id)).out).toMatch(/now {2}deleted .+ by ben\n/)
  expect((await cairn('why', id)).out).toMatch(/\nedited +by ada\n/)
  expect((await cairn('why', other.id)).out).toMatch(/\ndeleted +.+ by ben\n/)
  expect((await cairn('timeline')).out).toMatch(/On Thursdays\. by ada\n/)
  const { out } = await cairn('log')
  expect(steady(out.replaceAll(/^.+?\d\d:\d\d/gm, 'TIME')).split('\n')).toEqual([
    expect.stringMatching(/^TIME +ben +delete +default +\S+/),
    expect.stringMatching(/^TIME +ada +edit +default +ID\d +On Thursdays\.$/),
    expect.stringMatching(/^TIME +– +add +default +\S+/),
    expect.stringMatching(/^TIME +– +add +default +ID\d +On Thursdays\.$/),
    '',
  ])
  expect((await cairn('log', '--author', 'nobody')).out).toBe('nothing was written then\n')
})
