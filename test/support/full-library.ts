/** A file in which every table that can hold something does. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Cairn, openCairn } from '../../src/index.js'
import { temporaryFile, temporaryFolder } from './library.js'
import { people, work } from './works.js'

export type FullLibrary = {
  readonly cairn: Cairn
  readonly file: string
  /** What happens next happens later: a second at every look. */
  readonly now: () => number
}

/** Edits, undo, corrections, sessions with recalls, facts that disagree, lenses, works that cite, imports, deleted records. */
export async function fullLibrary(): Promise<FullLibrary> {
  let time = Date.UTC(2026, 2, 1, 9)
  const now = (): number => {
    time += 1000
    return time
  }
  const file = temporaryFile()
  const cairn = await openCairn({ file, now })
  onTestFinished(() => cairn.close())
  await fillMemories(cairn)
  await fillConversation(cairn)
  await fillWorks(cairn)
  await fillImports(cairn)
  await cairn.lenses.save('mine', { limit: 3, mode: 'keyword' }, 'what I like')
  return { cairn, file, now }
}

async function fillMemories(cairn: Cairn): Promise<void> {
  const port = await cairn.add({
    body: 'The database listens on port 5432.',
    title: 'Ports',
    tags: ['ops', 'Düsseldorf'],
    people: ['Anna'],
    metadata: { ticket: 17, nested: { list: [1.5, null, 'x'] }, '2': 'two' },
    importance: 0.8,
    source: 'wiki',
    occurredAt: '2025-12-24T18:00:00.000Z',
  })
  await cairn.edit(port.id, { body: 'The database listens on port 6543.', tags: ['ops'] })
  await cairn.edit(port.id, { body: '数据库在端口 7000 上监听。' })
  await cairn.undo(port.id)
  const old = await cairn.add({ body: 'We deploy on Fridays, always after lunch.' })
  const newer = await cairn.add({ body: 'We deploy on Thursdays, before lunch.' })
  await cairn.supersede(old.id, newer.id, { author: 'Ben', note: 'after the outage' })
  const gone = await cairn.add({ body: 'A rumour about the harbour.', namespace: 'gossip' })
  await cairn.delete([gone.id])
  const back = await cairn.add({ body: 'A rumour about the lighthouse.', namespace: 'gossip' })
  await cairn.delete([back.id])
  await cairn.restore([back.id])
  const about = { type: 'kv', predicate: 'listens on', confidence: 0.7 } as const
  const first = await cairn.facts.add({
    ...about,
    record: port.id,
    subject: 'the database',
    object: 'port 6543',
  })
  await cairn.facts.add({
    ...about,
    record: newer.id,
    subject: 'The Database',
    object: 'port 5432',
  })
  const ended = await cairn.facts.add({
    ...about,
    record: newer.id,
    subject: 'the cache',
    object: 'port 11211',
  })
  await cairn.facts.reinforce(first.id, 0.3)
  await cairn.facts.remove(ended.id)
  await cairn.links.add({
    from: newer.id,
    to: port.id,
    type: 'DEPENDS_ON',
    author: 'Ben',
    note: 'the port',
  })
  await cairn.reinforce([newer.id], { amount: 0.37 })
  await cairn.deemphasize([back.id], { amount: 0.123 })
}

async function fillConversation(cairn: Cairn): Promise<void> {
  const session = await cairn.sessions.start({ title: 'Harbour talk', metadata: { room: 'blue' } })
  for (const body of ['Shall we sail?', 'ok', 'When does the tide turn?', 'ok', 'At nine.']) {
    await cairn.add({ body, session: session.id })
  }
  await cairn.search('tide', { recallSession: session.id })
  await cairn.search('on which port does the database listen', { recallSession: session.id })
  await cairn.sessions.end(session.id, { summary: 'We sail at nine.' })
  await cairn.sessions.start({ title: 'Still open', attached: true })
}

async function fillWorks(cairn: Cairn): Promise<void> {
  await cairn.works.import(
    [
      work('Tides of the North', { authors: people('Ada Stone'), year: 2019, doi: '10.1000/one' }),
      work('Harbours and Light', {
        authors: people('Bo Berg', 'Émile Zola'),
        year: 2021,
        doi: '10.1000/two',
        abstract: 'How light finds harbours.',
        references: ['doi:10.1000/one', 'doi:10.1000/never-stored'],
      }),
    ],
    { namespace: 'papers' },
  )
}

async function fillImports(cairn: Cairn): Promise<void> {
  const notes = join(temporaryFolder(), 'notes')
  mkdirSync(notes)
  writeFileSync(join(notes, 'a.md'), '# Boats\n\nBoats need paint. [[b]]\n')
  writeFileSync(join(notes, 'b.md'), '# Paint\n\nPaint needs a dry day.\n')
  await cairn.import(notes, { namespace: 'notes', tags: ['vault'] })
}

/** All lines of an archive. */
export async function linesOf(cairn: Cairn): Promise<string[]> {
  const lines: string[] = []
  for await (const line of cairn.exportAll()) lines.push(line)
  return lines
}
