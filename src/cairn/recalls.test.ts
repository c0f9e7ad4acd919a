import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { type Cairn, openCairn, type SearchInput } from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const
const LIBRARY = JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))

/** Runs this with an open library in a process of its own, which may end as it likes. */
async function runElsewhere(file: string, body: string): Promise<string> {
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ file: ${JSON.stringify(file)}, vectors: { provider: 'fake', dimensions: 24 } })
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (out += part))
  await new Promise((resolve) => child.on('close', resolve))
  return out
}

function hashOf(file: string): string {
  const hash = createHash('sha256')
  for (const name of [file, `${file}-wal`]) if (existsSync(name)) hash.update(readFileSync(name))
  return hash.digest('hex')
}

const salienceOf = async (cairn: Cairn, id: string) =>
  (await cairn.get([id])).records[0]?.salience ?? 0

describe('a search in a session', () => {
  test('[M4, F8] the answer comes first, then links, log and reinforcement in one transaction', async () => {
    const seen: string[] = []
    const cairn = await openCairn({
      file: temporaryFile(),
      ...FAKE,
      trace: (sql) => seen.push(sql),
    })
    const { id } = await cairn.add({ body: 'the ferry leaves at noon' })
    await cairn.facts.add({
      record: id,
      subject: 'ferry',
      predicate: 'leaves',
      object: 'at noon',
      confidence: 0.5,
    })
    await cairn.sessions.start({ id: 'trip' })
    seen.length = 0
    const { hits } = await cairn.search('ferry', { recallSession: 'trip' })
    expect(hits.map((hit) => hit.id)).toEqual([id])
    const isWrite = (sql: string) =>
      /^\s*(INSERT|UPDATE|DELETE|WITH[^S]*DELETE|BEGIN IMMEDIATE)/i.test(sql)
    expect(seen.filter(isWrite)).toEqual([])
    await cairn.why(id)
    const from = seen.findIndex((sql) => /^BEGIN IMMEDIATE/i.test(sql))
    const to = seen.findIndex((sql, i) => i > from && /^COMMIT/i.test(sql))
    const written = seen.slice(from, to).filter(isWrite).join('\n')
    for (const table of ['recalled_queries', 'recalls', 'session_records', 'records', 'facts']) {
      expect(written).toMatch(new RegExp(`(INTO|UPDATE) ${table}\\b`))
    }
    expect(seen.filter((sql) => /^BEGIN IMMEDIATE/i.test(sql))).toHaveLength(1)
    await cairn.close()
  })

  test('[M4, F8, M5] shown hits are linked, logged with rank and score, and reinforced, and so are their facts', async () => {
    let now = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const { id } = await cairn.add({ body: 'the ferry leaves at noon' })
    const { id: other } = await cairn.add({ body: 'a ferry' })
    const fact = await cairn.facts.add({
      record: id,
      type: 'temporal',
      subject: 'ferry',
      predicate: 'leaves',
      object: 'at noon',
      confidence: 0.5,
    })
    await cairn.sessions.start({ id: 'trip' })
    now += 86_400_000
    const answer = await cairn.search('ferry noon', {
      recallSession: 'trip',
      lens: 'memory',
      limit: 2,
    })
    const why = await cairn.why(id)
    const hit = answer.hits.find((one) => one.id === id)
    expect(why.recalls).toMatchObject([
      {
        query: 'ferry noon',
        lens: 'memory',
        sessionId: 'trip',
        rank: answer.hits.findIndex((one) => one.id === id) + 1,
        score: hit?.score,
        at: '2026-01-02T00:00:00.000Z',
      },
    ])
    const faded = hit?.record.effectiveSalience ?? 0
    expect(faded).toBeLessThan(0.5)
    expect(why.record.salience).toBeCloseTo(faded + 0.02 * (1 - faded), 12)
    expect(why.record.accessedAt).toBe('2026-01-02T00:00:00.000Z')
    const believed = hit?.facts[0]?.effectiveConfidence ?? 0
    expect(believed).toBeCloseTo(0.5 * Math.exp(-0.1), 12)
    const [after] = (await cairn.facts.list({ records: id })).facts
    expect(after).toMatchObject({ id: fact.id, reinforcedAt: '2026-01-02T00:00:00.000Z' })
    expect(after?.confidence).toBeCloseTo(believed + 0.02 * (1 - believed), 12)
    const { recalled } = await cairn.sessions.show('trip')
    expect(new Set(recalled.map((record) => record.id))).toEqual(new Set([id, other]))
    expect(await cairn.sessionContext(id)).toMatchObject({
      session: { id: 'trip' },
      usage: 'recalled',
      records: 2,
    })
    await cairn.search('ferry', { recallSession: 'trip', includeFacts: false })
    await cairn.why(id)
    expect((await cairn.facts.list({ records: id })).facts[0]?.confidence).toBe(after?.confidence)
  })

  test('[M4] without a session fifty searches of every kind leave the bytes of the file as they are', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf([], { file, ...FAKE })
    const added = await cairn.addMany(
      Array.from({ length: 40 }, (_, i) => ({
        body: `osprey note ${i}`,
        tags: [`t${i % 3}`],
        session: i % 4 === 0 ? 'talk' : null,
      })),
    )
    const [a, b] = added.map(({ id }) => id)
    await cairn.edit(b ?? '', { body: 'osprey edited' })
    await cairn.supersede(a ?? '', b ?? '')
    await cairn.facts.add({ record: b ?? '', subject: 'a', predicate: 'is', object: 'b' })
    await cairn.lenses.save('mine', { tags: 't1', lens: 'rank' })
    await cairn.search('osprey')
    const before = hashOf(file)
    const kinds: SearchInput[] = [
      { mode: 'keyword' },
      { mode: 'semantic', threshold: -1 },
      { mode: 'hybrid' },
      { facets: true, explain: true, context: 2 },
      { includeSuperseded: true },
      { asOf: Date.now() },
      { lens: 'mine' },
      { lens: 'memory', boosts: [{ field: 'tag', value: 't2', factor: 2 }] },
      { sessions: 'talk' },
      { minConfidence: 0.9 },
    ]
    for (let i = 0; i < 50; i++) await cairn.search('osprey note', kinds[i % kinds.length])
    await cairn.searchDocuments('osprey')
    await cairn.similar(b ?? '')
    await cairn.timeline({ anchor: b ?? '' })
    await cairn.why(b ?? '')
    await cairn.replay()
    expect(hashOf(file)).toBe(before)
  })

  test('[M4] an unknown session is refused before anything is searched', async () => {
    const seen: string[] = []
    const cairn = await openCairn({
      file: temporaryFile(),
      ...FAKE,
      trace: (sql) => seen.push(sql),
    })
    await cairn.add({ body: 'something' })
    seen.length = 0
    await expect(cairn.search('something', { recallSession: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no session "nobody".',
    })
    expect(seen.filter((sql) => sql.includes('MATCH'))).toEqual([])
    await cairn.close()
  })

  test('[M4] a session that has ended can still be recalled in: a recall is a trace, not an event of it', async () => {
    const cairn = await libraryOf(['a kite'], FAKE)
    await cairn.sessions.start({ id: 'over' })
    await cairn.sessions.end('over')
    const { hits } = await cairn.search('kite', { recallSession: 'over' })
    expect((await cairn.why(hits[0]?.id ?? '')).recalls).toMatchObject([{ sessionId: 'over' }])
    expect((await cairn.sessions.show('over')).state).toBe('ended')
  })

  test('[M4] a reinforcement of 0 keeps the log and leaves salience alone', async () => {
    const cairn = await libraryOf(['a kite'], { ...FAKE, memory: { reinforcement: 0 } })
    await cairn.sessions.start({ id: 's' })
    const { hits } = await cairn.search('kite', { recallSession: 's' })
    const { recalls, record } = await cairn.why(hits[0]?.id ?? '')
    expect(recalls).toHaveLength(1)
    expect([record.salience, record.accessedAt]).toEqual([0.5, record.createdAt])
    await cairn.add({ body: 'a kite' })
    expect(await salienceOf(cairn, record.id)).toBeCloseTo(0.5, 6)
  })
})

describe('at the end of a process', () => {
  const SETUP = `const { id } = await cairn.add({ body: 'a heron' }); await cairn.sessions.start({ id: 's' });`

  test.each([
    ['close() right after the search', 'await cairn.close()'],
    ['a natural end', ''],
    ['process.exit()', 'process.exit(0)'],
    ['an error that nobody catches', 'throw new Error("expected")'],
  ])('[M4, F8] %s loses no recall, and another process sees it', async (_, ending) => {
    const file = temporaryFile()
    await runElsewhere(
      file,
      `${SETUP} await cairn.search('heron', { recallSession: 's' }); await cairn.search('heron', { recallSession: 's' }); ${ending}`,
    )
    const cairn = await openCairn({ file, ...FAKE })
    const { hits } = await cairn.search('heron')
    const { recalls, record } = await cairn.why(hits[0]?.id ?? '')
    expect(recalls).toHaveLength(2)
    expect(record.salience).toBeCloseTo(0.5198, 4)
    await cairn.close()
  })

  test('[F8] process.exit() inside another search loses no recall', async () => {
    const file = temporaryFile()
    const out = await runElsewhere(
      file,
      `${SETUP}
      let isArmed = false
      const trace = (sql) => isArmed && sql === 'BEGIN' && queueMicrotask(() => process.exit(0))
      const other = await openCairn({ file: cairn.file, vectors: false, trace })
      await other.search('heron', { recallSession: 's' })
      isArmed = true
      await other.search('a heron')
      console.log('did not exit')`,
    )
    expect(out).toBe('')
    const cairn = await openCairn({ file, ...FAKE })
    const { hits } = await cairn.search('heron')
    expect((await cairn.why(hits[0]?.id ?? '')).recalls).toHaveLength(1)
    await cairn.close()
  })

  test('[M8] a session whose process died is abandoned, and can be ended', async () => {
    const file = temporaryFile()
    await runElsewhere(
      file,
      `await cairn.sessions.start({ id: 'held', attached: true }); process.kill(process.pid, 'SIGKILL')`,
    )
    const cairn = await openCairn({ file, ...FAKE })
    await cairn.sessions.start({ id: 'mine', attached: true })
    await cairn.sessions.start({ id: 'free' })
    const states = async () =>
      Object.fromEntries((await cairn.sessions.list()).sessions.map(({ id, state }) => [id, state]))
    expect(await states()).toEqual({ held: 'abandoned', mine: 'open', free: 'open' })
    const listed = await cairn.sessions.list({ state: 'abandoned' })
    expect(listed.sessions.map(({ id }) => id)).toEqual(['held'])
    await cairn.sessions.end('held')
    expect((await states()).held).toBe('ended')
    await cairn.close()
  })
})

describe('what is known afterwards', () => {
  test('[F8] replay lists the hits that moved after an edit, a correction and a new record', async () => {
    const cairn = await libraryOf([], { vectors: false })
    const { id: a } = await cairn.add({ body: 'gannet gannet gannet' })
    const { id: b } = await cairn.add({ body: 'gannet over the sea' })
    await cairn.sessions.start({ id: 's' })
    await cairn.search('gannet', { recallSession: 's' })
    const moved = async () => (await cairn.replay({ session: 's' })).queries[0]?.moved
    expect(await moved()).toEqual([])
    await cairn.edit(b, { body: 'a puffin over the sea' })
    expect(await moved()).toEqual([{ id: b, before: 2, after: null }])
    await cairn.undo(b)
    const { id: c } = await cairn.add({ body: 'it was a puffin' })
    await cairn.supersede(a, c)
    expect(await moved()).toEqual([
      { id: a, before: 1, after: null },
      { id: c, before: null, after: 1 },
    ])
    const { id: d } = await cairn.add({ body: 'gannet gannet' })
    expect(await moved()).toContainEqual({ id: d, before: null, after: 2 })
    expect((await cairn.why(a)).recalls).toHaveLength(1)
  })

  test('[F8] a logged query that cannot run any more is reported, and the others run', async () => {
    const cairn = await libraryOf(['gannet'], { vectors: false })
    await cairn.sessions.start({ id: 's' })
    await cairn.lenses.save('mine', { limit: 3 })
    await cairn.search('gannet', { recallSession: 's' })
    await cairn.search('gannet', { recallSession: 's', lens: 'mine' })
    await cairn.lenses.remove('mine')
    const { queries } = await cairn.replay()
    expect(queries).toMatchObject([
      { lens: 'mine', failed: 'There is no lens "mine".', moved: [] },
      { lens: 'balanced', failed: null, moved: [], hits: 1 },
    ])
  })
})
