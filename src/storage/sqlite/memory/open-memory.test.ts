import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createIdGenerator, type RecordId } from '../../../core/ids.js'
import type { NewRecord } from '../../../core/record.js'
import type { Recall } from '../../memory.js'
import type { Storage } from '../../storage.js'
import { openSqlite } from '../open-sqlite.js'

const NOW = 1_780_000_000_000

function openCounted() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  let statements = 0
  const now = (): number => NOW
  const storage = openSqlite({
    file: join(folder, 'test.cairn'),
    programVersion: '0.0.0',
    create: true,
    readOnly: false,
    busyTimeoutMs: 1000,
    trace: () => {
      statements += 1
    },
    decay: 1,
    reinforcement: 0.02,
    now,
    makeId: createIdGenerator({ now, randomBytes }),
  })
  onTestFinished(async () => {
    await storage.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const count = async (run: () => Promise<unknown>): Promise<number> => {
    statements = 0
    await run()
    return statements
  }
  return { storage, folder, count }
}

const record = (body: string, sessionId: string | null = null): NewRecord => ({
  kind: 'memory',
  namespace: 'default',
  title: null,
  body,
  tags: [],
  people: [],
  source: null,
  metadata: {},
  importance: 0.5,
  sector: 'episodic',
  tier: 'project',
  salience: 0.5,
  sessionId,
  occurredAtMs: null,
})

const fact = (object: string, quote: string | null = null) =>
  ({ type: 'kv', subject: 'it', predicate: 'is', object, confidence: 0.5, quote }) as const

async function addMany(storage: Storage, count: number, sessionId: string | null = null) {
  const records = Array.from({ length: count }, (_, i) => record(`${sessionId} ${i}`, sessionId))
  return (await storage.add(records)).map(({ id }) => id)
}

const recallOf = (ids: readonly RecordId[], facts: readonly string[], query = 'q'): Recall => ({
  session: { row: 1, id: 's', namespace: 'default' },
  atMs: NOW,
  query,
  lens: 'balanced',
  request: { query },
  hits: ids.map((id) => ({ id, score: 1, facts })),
  reinforcement: 0.02,
  decay: 1,
})

test('[D2] what is kept of an answer takes as many statements for one hit as for hundreds', async () => {
  const { storage, count } = openCounted()
  const { memory } = storage
  const ids = await addMany(storage, 300, 's')
  const added = await memory.addFacts(ids[0] as RecordId, [fact('a'), fact('b')])
  const facts = added.map(({ id }) => id)
  const one = await count(() => memory.logRecall(recallOf(ids.slice(0, 1), facts)))
  const many = await count(() => memory.logRecall(recallOf(ids, facts)))
  expect(many).toBe(one)
  expect(many).toBeLessThanOrEqual(12)
  const how = { kind: 'reinforce', amount: 0.1, decay: 1, session: 1 } as const
  const strengthenOne = await count(() => memory.strengthen(ids.slice(0, 1), how))
  expect(await count(() => memory.strengthen(ids, how))).toBe(strengthenOne)
})

test('[D2] everything that is read takes one statement, or one more for what belongs to it', async () => {
  const { storage, count } = openCounted()
  const { memory } = storage
  const ids = await addMany(storage, 20, 's')
  const [first = '' as RecordId, ...rest] = ids
  for (let i = 0; i < 10; i++) await addMany(storage, 2, `other ${i}`)
  for (const target of rest) {
    const link = { type: 'PART_OF', source: first, target, targetRef: null }
    await memory.link({ ...link, author: null, note: null })
  }
  const facts = await memory.addFacts(first, [fact('a'), fact('b'), fact('c')])
  for (let i = 0; i < 10; i++) await memory.logRecall(recallOf(ids, []))
  const all = { namespaces: null, records: null, types: null, about: null, limit: 50 }
  const page = { namespaces: null, state: null, abandoned: [], limit: 50, cursor: null }
  const counts = [
    await count(() => memory.listSessionRecords(1)),
    await count(() => memory.lastTouch(first)),
    await count(() => memory.listLinks(first)),
    await count(() => memory.listFacts({ ...all, contradictingOnly: true })),
    await count(() => memory.contradicting(facts.map(({ id }) => id))),
    await count(() => memory.listRecalls(first, 50)),
    await count(() => memory.listSessions(page)),
    await count(() => memory.listQueries({ session: null, limit: 50 })),
  ]
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 2, 2])
})

test('[M8] the sessions of an import take two statements, however many turns it has', async () => {
  const { storage, count } = openCounted()
  const without = await count(() => addMany(storage, 500))
  const { storage: other, count: countOther } = openCounted()
  // Each turn also reads and writes what stands around it; long ones have no surroundings.
  const long = Array.from({ length: 500 }, (_, i) => record(`${'word '.repeat(120)}${i}`, 's'))
  const within = await countOther(() => other.add(long))
  expect(within - without).toBeLessThanOrEqual(3)
})

test('[M12] a purge leaves no byte of what was remembered with a record', async () => {
  const { storage, folder } = openCounted()
  const { memory } = storage
  const [gone = '' as RecordId, kept = '' as RecordId] = await addMany(storage, 2, 's')
  await memory.addFacts(gone, [fact('OBJECTSECRET', 'so QUOTESECRET was said')])
  const link = { type: 'PART_OF', source: kept, target: gone, targetRef: null, author: null }
  await memory.link({ ...link, note: 'NOTESECRET' })
  await memory.logRecall(recallOf([gone], [], 'QUERYSECRET'))
  await memory.logRecall(recallOf([gone, kept], [], 'KEPTQUERY'))
  expect((await storage.purge([gone])).bytesGone).toBe(true)
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  const found = ['OBJECTSECRET', 'QUOTESECRET', 'NOTESECRET', 'QUERYSECRET', 'KEPTQUERY'].filter(
    (text) => bytes.some((each) => each.toLowerCase().includes(text.toLowerCase())),
  )
  expect(found).toEqual(['KEPTQUERY'])
  expect((await storage.check()).filter(({ ok }) => !ok)).toEqual([])
})
