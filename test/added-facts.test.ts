/** What an added text states, and what it contradicts, is told on every interface. */

import { expect, test } from 'vitest'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { NOW, terminal } from './support/terminal.js'

const FLY = 'The shop is deployed to Fly.io.'
const HETZNER = 'The shop is deployed to Hetzner.'
const STATED = { subject: 'the shop', predicate: 'is deployed to', object: 'Hetzner' }

test('the facts that were extracted are in the answer, and the recent ones in a list', async () => {
  let time = NOW
  const cairn = await libraryOf([], { now: () => time })
  const { id, facts } = await cairn.add({ body: HETZNER, extractFacts: true })
  expect(facts).toMatchObject([{ ...STATED, type: 'location', recordId: id, quote: HETZNER }])
  const many = [{ body: 'Decided: we keep SQLite.', extractFacts: true }, { body: 'port: 5432' }]
  expect((await cairn.addMany(many)).map((one) => one.facts.length)).toEqual([1, 0])
  expect((await cairn.add({ body: 'port: 6543' })).facts).toEqual([])
  expect((await cairn.facts.list({ recent: true })).facts).toHaveLength(2)
  time += 8 * 86_400_000
  expect((await cairn.facts.list({ recent: true })).facts).toEqual([])
  expect((await cairn.facts.list()).facts).toHaveLength(2)
})

test('an earlier record that says something else is named, whether its facts are stored or not', async () => {
  const cairn = await libraryOf([])
  const plain = await cairn.add({ body: FLY })
  expect(plain.contradictions).toEqual([])
  const second = await cairn.add({ body: HETZNER, extractFacts: true })
  const supersede = { older: plain.id, newer: second.id }
  expect(second.contradictions).toEqual([
    { ...STATED, recordId: plain.id, instead: 'Fly.io', by: 'rules', supersede },
  ])
  await cairn.supersede(plain.id, second.id)
  const third = await cairn.add({ body: 'Since May the shop is hosted on Render, says Ana.' })
  expect(third.contradictions).toEqual([])
  const { contradictions } = await cairn.add({ body: 'The shop is hosted on Render.' })
  expect(contradictions).toMatchObject([
    { ...STATED, object: 'Render', recordId: second.id, instead: 'Hetzner' },
  ])
})

test('what agrees, what may be several, and other namespaces contradict nothing', async () => {
  const cairn = await libraryOf([
    FLY,
    'Ana likes tea.',
    'We decided to keep SQLite.',
    { body: 'Ana lives in Graz.', namespace: 'other' },
  ])
  for (const body of [
    'The Shop is hosted on Fly.io.',
    'Ana likes coffee.',
    'We decided to drop Windows.',
    'Ana lives in Linz.',
    'The shop was never deployed to Hetzner.',
  ]) {
    expect({ body, ...(await cairn.add({ body })) }).toMatchObject({ body, contradictions: [] })
  }
})

test('HTTP, the tool of an agent and the command tell it', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf([FLY], { file })
  const { send } = await serve([], { cairn })
  const sent = await send('/api/records', { body: { body: HETZNER, extractFacts: true } })
  expect(sent.json).toMatchObject({ facts: [STATED], contradictions: [{ instead: 'Fly.io' }] })
  const { call } = talkTo(cairn)
  const text = 'The shop is deployed to Render.'
  const told = await call('remember', { text, extractFacts: true })
  expect(told.data.records[0]).toMatchObject({ facts: 1, stated: [{ type: 'location' }] })
  expect(told.data.records[0].contradictions).toHaveLength(2)
  expect(told.text).toMatch(/contradicts .+: the shop is deployed to Render; there: Hetzner/)
  expect(told.text).toContain('"action": "supersede"')
  const run = terminal(file)
  const { out } = await run('add', 'The shop is deployed to Vercel.', '--extract-facts')
  expect(out).toMatch(/^fact 01\w+ {2}the shop · is deployed to · Vercel$/m)
  expect(out.match(/^⚠ the shop · is deployed to · Vercel: 01\w+ says /gm)).toHaveLength(3)
  expect(out.match(/^ {2}if it corrects that: cairn supersede 01\w+ 01\w+$/gm)).toHaveLength(3)
  expect((await run('add', 'Nothing of note.', '--extract-facts')).out).toContain('no facts')
  expect((await run('fact', 'list', '--recent')).out).toContain('Vercel')
})
