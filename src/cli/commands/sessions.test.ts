import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { jsonOf, NOW, stdin, terminal } from '../../../test/support/terminal.js'

type Added = { id: string }

function open() {
  let time = NOW
  const file = temporaryFile()
  const cairn = terminal(file, { now: () => time++ })
  return { file, cairn, json: jsonOf(cairn) }
}

describe('[M8] sessions', () => {
  test('session start prints the id alone, for a pipe', async () => {
    const { cairn, file } = open()
    const { out } = await cairn('session', 'start', '--title', 'Planning', '--namespace', 'team')
    expect(out).toMatch(/^[0-9A-Z]{26}\n$/)
    const onTerminal = await terminal(file, { isTerminal: true })('session', 'start')
    expect(onTerminal.out.split('\n')[0]).toMatch(/^[0-9A-Z]{26}$/)
    expect((await cairn('session', 'start', '--name', 'standup')).out).toBe('standup\n')
  })

  test('a session is begun, filled, recalled in, summarised and ended', async () => {
    const { cairn, json, file } = open()
    expect(await json('session', 'start', '--name', 'standup')).toMatchObject({
      id: 'standup',
      namespace: 'default',
      state: 'open',
      summary: null,
    })
    const said = await json<Added>('add', 'We release on Thursdays.', '--session', 'standup')
    const other = await json<Added>('add', 'The cache is warm.')
    await cairn('search', 'release thursdays', '--recall', 'standup', '--limit', '1')
    await cairn('edit', other.id, 'The cache is cold.', '--session', 'standup')
    await cairn('reinforce', other.id, '--session', 'standup')

    const shown = await json('session', 'show', 'standup')
    expect(shown).toMatchObject({
      created: [{ id: said.id, summary: 'We release on Thursdays.', times: 1 }],
      recalled: [{ id: said.id }],
      updated: [{ id: other.id }],
      reinforced: [{ id: other.id }],
    })
    const { out } = await cairn('session', 'show', 'standup')
    expect(out).toMatch(/^standup {2}We release on Thursdays\.\nstate {6}open\n/)
    expect(out).toMatch(/\ncreated 1\n {2}\S+ {2}We release on Thursdays\.\n/)

    const summarised = await json('session', 'summarise', 'standup')
    expect(summarised).toMatchObject({ state: 'open', summary: 'We release on Thursdays.' })
    expect(await json('session', 'summarise', 'standup', 'About releases.')).toMatchObject({
      summary: 'About releases.',
    })
    const piped = terminal(file, { readStdin: stdin('From a pipe.\n') })
    const ended = await piped('session', 'end', 'standup', '--summary', '-', '--json')
    expect(JSON.parse(ended.out)).toMatchObject({ state: 'ended', summary: 'From a pipe.' })
  })

  test('sessions are listed newest first, by state and page', async () => {
    const { cairn, json } = open()
    for (const name of ['one', 'two', 'three']) await cairn('session', 'start', '--name', name)
    await cairn('session', 'end', 'two', '--summary', 'Done.')
    type Page = { sessions: { id: string; counts: unknown }[]; next: string | null }
    const idsOf = ({ sessions }: Page) => sessions.map(({ id }) => id)
    const page = await json<Page>('session', 'list', '--limit', '2')
    expect(idsOf(page)).toEqual(['three', 'two'])
    expect(page.sessions[0]?.counts).toEqual({
      created: 0,
      recalled: 0,
      updated: 0,
      reinforced: 0,
    })
    const rest = await json<Page>('session', 'list', '--cursor', String(page.next))
    expect(idsOf(rest)).toEqual(['one'])
    expect(idsOf(await json<Page>('session', 'list', '--state', 'ended'))).toEqual(['two'])
    expect((await cairn('session', 'list', '--state', 'ended')).out).toMatch(/^two {2}ended .+Done/)
    expect((await cairn('session', 'list', '--state', 'abandoned')).out).toBe('no sessions\n')
  })

  test('add names a session that is there: an unknown one is refused and nothing is stored', async () => {
    const { cairn, json } = open()
    await cairn('session', 'start', '--name', 'standup-of-monday', '--title', 'Monday')
    const { id } = await json<Added>('add', 'apple', '--session', 'Monday')
    expect(await json('get', id)).toMatchObject({ records: [{ sessionId: 'standup-of-monday' }] })
    const wrong = await cairn('add', 'pear', '--session', 'tuesday')
    expect(wrong).toMatchObject({ code: 1, out: '' })
    expect(wrong.err).toContain('There is no session "tuesday".')
    const { records } = await json<{ records: unknown[] }>('list')
    expect(records).toHaveLength(1)
  })

  test('a search may be kept to a session, under its name or a beginning of it', async () => {
    const { cairn, json } = open()
    await cairn('session', 'start', '--name', 'standup-of-monday')
    const { id } = await json<Added>('add', 'apple pie', '--session', 'standup-of-monday')
    await cairn('add', 'apple juice')
    const { hits } = await json<{ hits: Added[] }>('search', 'apple', '--session', 'standup-')
    expect(hits.map((hit) => hit.id)).toEqual([id])
    const { records } = await json<{ records: Added[] }>('list', '--session', 'standup-of-monday')
    expect(records.map((record) => record.id)).toEqual([id])
  })
})

test('a session can begin in the past with notes of its own, and records be noted down in it', async () => {
  const cairn = terminal(temporaryFile())
  const json = jsonOf(cairn)
  const started = ['--started', '2026-06-01', '--meta', 'room=4']
  expect(await json('session', 'start', '--name', 'past', ...started)).toMatchObject({
    id: 'past',
    startedAt: '2026-06-01T00:00:00.000Z',
    metadata: { room: 4 },
  })
  const { id } = await json<{ id: string }>(
    'add',
    'We deploy on Thursdays.',
    '--created-in',
    'past',
  )
  expect(await json('session', 'show', 'past')).toMatchObject({ created: [{ id }] })
  await json('deemphasize', id, '--session', 'past')
  expect((await cairn('add', 'x', '--created-in', 'nowhere')).err).toContain('There is no session')
})
