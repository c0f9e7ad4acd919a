import fc from 'fast-check'
import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { openCairn } from '../index.js'

const NOW = Date.UTC(2026, 10, 16, 12)

async function library() {
  return libraryOf([], { now: () => NOW, vectors: false })
}

test('a briefing lists open decisions, deadlines, corrections and used records with their ids', async () => {
  const cairn = await library()
  const add = async (body: string, more = {}) => (await cairn.add({ body, ...more })).id
  const decided = await add('We decided to use SQLite.', { extractFacts: true })
  const due = await add('The report is due on 2026-12-01.', { extractFacts: true })
  const past = await add('The contract ends on 2026-03-02.', { extractFacts: true })
  const tagged = await add('Who pays for the server?', { tags: ['open'] })
  const old = await add('The port is 5432.')
  const newer = await add('The port is 6543.')
  await cairn.supersede(old, newer)
  const used = await add('The kettle is blue.')
  await add('Nobody asked for this.')
  await cairn.sessions.start({ id: 'standup' })
  await cairn.search('kettle', { recallSession: 'standup' })

  const { lines, text, left } = await cairn.briefing()
  expect(lines.map(({ id, why }) => [id, why])).toEqual([
    [due, 'deadline'],
    [decided, 'decision'],
    [tagged, 'open'],
    [newer, 'correction'],
    [used, 'used'],
  ])
  expect(lines.map(({ id }) => id)).not.toContain(past)
  expect(left).toBe(0)
  const shown = text.split('\n')
  expect(shown).toHaveLength(lines.length)
  for (const [i, { id }] of lines.entries()) {
    expect(id.startsWith(shown[i]?.split(' ')[0] ?? ' ')).toBe(true)
  }
  expect(text).toContain('  deadline  2026-11-16  The report is due on 2026-12-01.')

  const [fact] = (await cairn.facts.list({ types: 'decision' })).facts
  await cairn.facts.remove(fact?.id ?? '')
  await cairn.delete([tagged])
  expect((await cairn.briefing()).lines.map(({ why }) => why)).toEqual([
    'deadline',
    'correction',
    'used',
  ])
})

test('a deadline without a year is listed until its day, and so is a decision on a line of its own', async () => {
  let time = NOW
  const cairn = await libraryOf([], { now: () => time, vectors: false })
  await cairn.add({ body: 'The deadline for the grant is 3rd March.', extractFacts: true })
  await cairn.add({ body: 'Submit the tax return by 20 November.', extractFacts: true })
  await cairn.add({ body: 'Call the bank by Friday.', extractFacts: true })
  await cairn.add({ body: 'Decided: we keep SQLite.', extractFacts: true })
  const tell = async () => (await cairn.briefing()).lines.map(({ why, text }) => `${why} ${text}`)
  const grant = 'deadline The deadline for the grant is 3rd March.'
  const decided = 'decision Decided: we keep SQLite.'
  const tax = 'deadline Submit the tax return by 20 November.'
  expect(await tell()).toEqual([decided, tax, grant])
  time = Date.UTC(2027, 2, 2)
  expect(await tell()).toEqual([decided, grant])
  time = Date.UTC(2027, 2, 5)
  expect(await tell()).toEqual([decided])
})

test('a briefing keeps to its budget and its namespace, and counts the omitted lines', async () => {
  const cairn = await library()
  const tags = ['todo']
  const inputs = Array.from({ length: 30 }, (_, i) => ({
    body: `Task ${i} of the day ${'and so on '.repeat(10)}`,
    namespace: i % 2 === 0 ? 'mine' : 'secret',
    tags,
  }))
  await cairn.addMany(inputs)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 400, max: 2000 }), async (budget) => {
      const { text, lines, left } = await cairn.briefing({ budget })
      expect(text.length / 4).toBeLessThanOrEqual(budget)
      expect(lines.length + left).toBe(20)
      if (left > 0) expect(text.length / 4).toBeGreaterThan(budget - 60)
    }),
    { numRuns: 20 },
  )
  expect((await cairn.briefing({ namespaces: 'mine' })).lines).toHaveLength(15)
  const { file } = cairn
  const pinned = await openCairn({ file, namespace: 'mine', pinned: true, vectors: false })
  expect((await pinned.briefing()).lines).toHaveLength(15)
  await expect(pinned.briefing({ namespaces: 'secret' })).rejects.toMatchObject({
    code: 'outside_namespace',
  })
  await pinned.close()
})
