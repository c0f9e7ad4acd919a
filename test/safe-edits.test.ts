import { expect, test } from 'vitest'
import { openCairn } from '../src/cairn/open.js'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { terminal } from './support/terminal.js'

const OLD = { body: 'We deploy on Thursdays.' }
const NEW = 'We deploy on Fridays.'

async function addEdited(file = temporaryFile()) {
  const cairn = await libraryOf([], { file })
  const { id } = await cairn.add(OLD)
  const { revision } = await cairn.edit(id, { body: NEW, expectedRevision: 1 })
  expect(revision).toBe(2)
  return { cairn, id, file }
}

const isAsItWas = async ({ cairn, id }: Awaited<ReturnType<typeof addEdited>>) => {
  const { record, revisions } = await cairn.history(id)
  expect({ body: record.body, revision: record.revision }).toEqual({ body: NEW, revision: 2 })
  expect(revisions.map(({ number }) => number)).toEqual([1])
}

test('an edit that expects an earlier revision is refused with what is there now', async () => {
  const edited = await addEdited()
  const { cairn, id } = edited
  const late = cairn.edit(id, { body: 'We deploy on Mondays.', expectedRevision: 1 })
  await expect(late).rejects.toMatchObject({
    code: 'revision_changed',
    message: `The record "${id}" has revision 2, not 1; nothing was changed.`,
    hint: expect.stringContaining(NEW),
    current: { id, body: NEW, revision: 2 },
  })
  await isAsItWas(edited)
  expect(await cairn.edit(id, { tags: ['release'], expectedRevision: 2 })).toMatchObject({
    revision: 3,
  })
})

test('of two processes that edit the same revision one is refused', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf([OLD], { file })
  await using other = await openCairn({ file })
  const [record] = (await cairn.list()).records
  const edit = (one: typeof cairn, body: string) =>
    one.edit(record?.id ?? '', { body, expectedRevision: 1 })
  const outcomes = await Promise.allSettled([edit(cairn, 'Mondays.'), edit(other, 'Tuesdays.')])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('the revision of a record goes on when it is superseded, deleted and restored, and as of then', async () => {
  const { cairn, id } = await addEdited()
  const [hit] = (await cairn.search(NEW)).hits
  expect(hit?.record.revision).toBe(2)
  await cairn.delete([id])
  await cairn.restore([id])
  expect((await cairn.get([id])).records[0]?.revision).toBe(3)
  await cairn.undo(id)
  expect((await cairn.get([id])).records[0]?.revision).toBe(4)
})

test('HTTP answers 409 with the record, and refuses options in the wrong part of a request', async () => {
  const edited = await addEdited()
  const { cairn, id } = edited
  const { send } = await serve([], { cairn })
  const path = `/api/records/${id}`
  const body = { body: 'We deploy on Mondays.' }
  const late = await send(path, { method: 'PATCH', body: { ...body, expectedRevision: 1 } })
  expect(late).toMatchObject({
    status: 409,
    json: { error: { code: 'revision_changed', current: { body: NEW, revision: 2 } } },
  })
  const refused = { status: 400, json: { error: { code: 'bad_input' } } }
  const inAddress = await send(`${path}?expectedRevision=1`, { method: 'PATCH', body })
  expect(inAddress).toMatchObject(refused)
  const misspelt = await send(path, { method: 'PATCH', body: { ...body, expectRevision: 1 } })
  expect(misspelt).toMatchObject(refused)
  const inBody = { headers: { 'content-length': '11' }, body: '{"limit":1}' }
  expect(await send('/api/records', { method: 'GET', ...inBody })).toMatchObject(refused)
  await isAsItWas(edited)
})

test('the tool of an agent says what is there now, and takes no argument that it does not know', async () => {
  const edited = await addEdited()
  const { cairn, id } = edited
  const { call } = talkTo(cairn)
  expect((await call('get', { ids: [id] })).data.records[0]).toMatchObject({ revision: 2 })
  const change = { action: 'edit', id, text: 'We deploy on Mondays.' }
  const late = await call('update', { ...change, expectedRevision: 1 })
  expect(late).toMatchObject({ isError: true, text: expect.stringContaining(NEW) })
  expect((await call('update', { ...change, expectRev: 1 })).isError).toBe(true)
  await isAsItWas(edited)
})

test('the command shows the revision and takes it', async () => {
  const edited = await addEdited()
  const { id, file } = edited
  const run = terminal(file)
  expect((await run('get', id)).out).toMatch(/^revision +2$/m)
  expect((await run('history', id)).out).toMatch(/^now {2}revision 2,/m)
  const late = await run('edit', id, 'We deploy on Mondays.', '--expected-revision', '1')
  expect(late).toMatchObject({ code: 1, err: expect.stringContaining(NEW) })
  const asJson = await run('edit', id, 'Mondays.', '--expected-revision', '1', '--json')
  expect(JSON.parse(asJson.err)).toMatchObject({ error: { current: { revision: 2 } } })
  expect((await run('edit', id, 'Mondays.', '--expect-revision', '1')).code).toBe(2)
  await isAsItWas(edited)
})
