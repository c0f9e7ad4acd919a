import { expect, test } from 'vitest'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { terminal } from './support/terminal.js'

/** A session that used four records, each in its own way. */
async function useAll(file = temporaryFile()) {
  const cairn = await libraryOf([], { file })
  const ids: string[] = []
  for (const body of ['A recalled heron.', 'An updated otter.', 'A reinforced newt.']) {
    ids.push((await cairn.add({ body })).id)
  }
  const [, updated = '', reinforced = ''] = ids
  await cairn.sessions.start({ id: 'walk' })
  await cairn.add({ body: 'A created kingfisher.', createdIn: 'walk' })
  await cairn.search('heron', { recallSession: 'walk', mode: 'keyword' })
  await cairn.edit(updated, { tags: ['seen'], session: 'walk' })
  await cairn.reinforce([reinforced], { session: 'walk' })
  await cairn.sessions.show('walk')
  return { cairn, file }
}

const USES = {
  created: 'A created kingfisher.',
  recalled: 'A recalled heron.',
  updated: 'An updated otter.',
  reinforced: 'A reinforced newt.',
} as const

test('a session filter covers what the session created, recalled, updated or reinforced, as chosen', async () => {
  const { cairn } = await useAll()
  const list = async (more: object) =>
    (await cairn.list({ sessions: ['walk'], ...more })).records.map(({ body }) => body).toSorted()
  expect(await list({})).toEqual([USES.created])
  for (const [usage, body] of Object.entries(USES)) {
    expect(await list({ usages: [usage] })).toEqual([body])
    const { hits } = await cairn.search({ sessions: ['walk'], usages: [usage as 'created'] })
    expect(hits.map((hit) => hit.record.body)).toEqual([body])
  }
  expect(await list({ usages: Object.keys(USES) })).toEqual(Object.values(USES).toSorted())
  await expect(cairn.list({ usages: ['recalled'] })).rejects.toMatchObject({ code: 'bad_input' })
  await expect(list({ usages: ['seen'] })).rejects.toMatchObject({ code: 'bad_input' })
})

test('the filter is the same over HTTP, for an agent and in the terminal', async () => {
  const { cairn, file } = await useAll()
  const { send } = await serve([], { cairn })
  const { json } = await send('/api/records?sessions=walk&usages=recalled&usages=updated')
  expect(json.records).toHaveLength(2)
  const { data } = await talkTo(cairn).call('search', { sessions: ['walk'], usages: ['updated'] })
  expect(data.hits).toHaveLength(1)
  const run = terminal(file)
  const { out } = await run('list', '--session', 'walk', '--usage', 'reinforced')
  expect(out).toContain('newt')
  expect(out).not.toContain('heron')
})

test('a session of another namespace tells a pinned caller nothing', async () => {
  const file = temporaryFile()
  const all = await libraryOf(['A heron.'], { file })
  await all.sessions.start({ id: 'theirs', namespace: 'other' })
  await all.search('heron', { recallSession: 'theirs' })
  await all.sessions.show('theirs')
  const filter = { sessions: ['theirs'], usages: ['recalled' as const] }
  expect((await all.list(filter)).records).toHaveLength(1)
  const pinned = await libraryOf([], { file, pinned: true })
  expect((await pinned.list(filter)).records).toEqual([])
})

test('a session without a title has its first words, and a purged record leaves none of them', async () => {
  const cairn = await libraryOf([])
  const { id } = await cairn.sessions.start()
  expect((await cairn.sessions.find(id)).title).toBeNull()
  await cairn.search('when do we deploy?', { recallSession: id })
  await cairn.sessions.show(id)
  expect((await cairn.sessions.find(id)).title).toBe('when do we deploy?')
  const body = 'The quick brown fox  jumps over the lazy dog, and over the other dog too.'
  const first = await cairn.add({ body, session: id })
  await cairn.add({ body: 'A second turn.', session: id })
  const title = 'The quick brown fox jumps over the lazy dog, and over the…'
  expect((await cairn.sessions.list()).sessions[0]?.title).toBe(title)
  const [hit] = (await cairn.search('fox', { mode: 'keyword' })).hits
  expect(hit?.session?.title).toBe(title)
  await cairn.purge([first.id])
  expect((await cairn.sessions.end(id)).title).toBe('A second turn.')
  await cairn.sessions.start({ id: 'named', title: 'Planning' })
  await cairn.add({ body, session: 'named' })
  expect((await cairn.sessions.find('named')).title).toBe('Planning')
})
