/** Imports of conversations, JSONL and works, and what a second import of them does. */

import { randomBytes } from 'node:crypto'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixture } from '../../test/support/import.js'
import { libraryOf, temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { OWNER } from '../core/caller.js'
import { badInput } from '../core/errors.js'
import { REAL_TIMERS } from '../core/http-client.js'
import { createIdGenerator } from '../core/ids.js'
import { silentLog } from '../core/log.js'
import { Indexer } from '../embedding/indexer.js'
import { createOutages } from '../embedding/outages.js'
import type { Cairn } from '../index.js'
import { openSqlite } from '../storage/sqlite/open-sqlite.js'
import { createArchive } from './archive.js'
import { createImport } from './import.js'
import { createRecalls } from './recalls.js'
import { createScope } from './scope.js'

describe('conversations', () => {
  test.each([
    'chatgpt.json',
    'claude.json',
    'claude-code.jsonl',
    'codex',
    'gemini',
    'chat.json',
    'chat.jsonl',
  ])('%s keeps its turns in order in their sessions, the second time as well', async (name) => {
    const cairn = await libraryOf([])
    const first = await cairn.import(fixture(name))
    expect(first.created).toBe(first.read)
    const { sessions } = await cairn.sessions.list()
    expect(sessions).toHaveLength(first.sessions)
    expect(sessions.map(({ state }) => state)).toEqual(sessions.map(() => 'ended'))
    const told = await Promise.all(sessions.map(({ id }) => turnsOf(cairn, id)))
    expect(await cairn.import(fixture(name))).toMatchObject({ created: 0, unchanged: first.read })
    expect(await Promise.all(sessions.map(({ id }) => turnsOf(cairn, id)))).toEqual(told)
  })

  const turnsOf = async (cairn: Cairn, session: string): Promise<string[]> => {
    const { entries } = await cairn.timeline({ limit: 1000 })
    return entries.filter((entry) => entry.session === session).map(({ summary }) => summary)
  }

  test('a session has the title, start and end of the export', async () => {
    const cairn = await libraryOf([])
    await cairn.import(fixture('claude.json'))
    expect(await cairn.sessions.find('c0ffee-01')).toMatchObject({
      title: 'Naming a boat',
      startedAt: '2026-01-10T08:00:00.000Z',
      endedAt: '2026-01-10T08:05:00.000Z',
    })
    expect(await turnsOf(cairn, 'c0ffee-01')).toEqual([
      expect.stringContaining('Help me name a boat.'),
      'How about Bluebell?',
      'ok',
    ])
  })

  test('turns without times keep the order of the file, and equal turns stay two', async () => {
    const cairn = await libraryOf([])
    const { sessions } = await cairn.import(fixture('chat.json'))
    expect(sessions).toBe(1)
    const [session] = (await cairn.sessions.list()).sessions
    expect(await turnsOf(cairn, session!.id)).toEqual([
      'Which knot for a hammock?',
      'A bowline.',
      'ok',
      'ok',
    ])
  })

  test('a conversation that went on gets its new turns behind the old ones', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'talk.jsonl')
    const line = (text: string) => `${JSON.stringify({ role: 'user', content: text })}\n`
    writeFileSync(file, line('one') + line('two'))
    await cairn.import(file, { format: 'chat' })
    writeFileSync(file, line('one') + line('two, corrected') + line('three'))
    expect(await cairn.import(file, { format: 'chat' })).toMatchObject({ updated: 1, created: 1 })
    const [session] = (await cairn.sessions.list()).sessions
    expect(await turnsOf(cairn, session!.id)).toEqual(['one', 'two, corrected', 'three'])
  })

  test('a turn is found by the words of its neighbours', async () => {
    const cairn = await libraryOf([])
    await cairn.import(fixture('chat.json'))
    const { hits } = await cairn.search('hammock', { mode: 'keyword', context: 1 })
    expect(hits.map(({ record }) => record.body)).toContain('A bowline.')
  })

  test('the same export in another place adds nothing', async () => {
    const cairn = await libraryOf([])
    await cairn.import(fixture('chatgpt.json'))
    const elsewhere = join(temporaryFolder(), 'conversations.json')
    cpSync(fixture('chatgpt.json'), elsewhere)
    expect(await cairn.import(elsewhere)).toMatchObject({ created: 0, duplicates: 3 })
  })

  test('mail is in its threads, and a repeated message is one', async () => {
    const cairn = await libraryOf([])
    expect(await cairn.import(fixture('mail.mbox'))).toMatchObject({ created: 3, sessions: 1 })
    expect(await turnsOf(cairn, 'one@example.org')).toEqual([
      'Grüße – new year',
      'Re: Grüße – new year',
    ])
  })
})

describe('JSONL', () => {
  test('`supersedes` and links are stored', async () => {
    const cairn = await libraryOf([])
    const report = await cairn.import(fixture('records.jsonl'))
    expect(report).toMatchObject({ created: 6, links: 2, sessions: 1 })
    expect(report.unresolved).toHaveLength(1)
    expect(report.skippedCount).toBe(3)
    const { hits } = await cairn.search('database port', { mode: 'keyword' })
    expect(hits.map(({ record }) => record.body)).toEqual([
      'The database listens on port 6543 since the move.',
    ])
    const [old] = (await cairn.search('database 5432', { includeSuperseded: true })).hits.filter(
      ({ record }) => record.body.includes('5432'),
    )
    expect(old?.record.supersededAt).not.toBeNull()
    expect(await cairn.import(fixture('records.jsonl'))).toMatchObject({ unchanged: 6, links: 0 })
  })

  test('a superseded record whose line changes stays, and this is reported', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'a.jsonl')
    const lines = (text: string) =>
      `{"key":"a","body":"${text}"}\n{"key":"b","body":"new","supersedes":"a"}\n`
    writeFileSync(file, lines('old'))
    await cairn.import(file)
    writeFileSync(file, lines('changed'))
    const report = await cairn.import(file)
    expect(report).toMatchObject({ updated: 0, unchanged: 1 })
    expect(report.skipped[0]).toMatchObject({
      name: 'a',
      reason: expect.stringContaining('superseded'),
    })
  })

  test('a key that comes twice with another text counts once', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'a.jsonl')
    writeFileSync(
      file,
      '{"key":"a","body":"one"}\n{"key":"a","body":"two"}\n{"key":"a","body":"one"}\n',
    )
    const report = await cairn.import(file)
    expect(report).toMatchObject({ read: 1, created: 1, skippedCount: 1 })
    expect(await cairn.import(file)).toMatchObject({ unchanged: 1, updated: 0 })
  })

  test('a record outside of a pinned namespace is skipped, and an import into one is refused', async () => {
    const cairn = await libraryOf([], { namespace: 'a', pinned: true })
    const file = join(temporaryFolder(), 'a.jsonl')
    writeFileSync(file, '{"key":"in","body":"x"}\n{"key":"out","body":"y","namespace":"b"}\n')
    const report = await cairn.import(file)
    expect(report).toMatchObject({ created: 1, skipped: [{ name: 'out' }] })
    await expect(cairn.import(file, { namespace: 'b' })).rejects.toThrow(/not "b"/)
  })
})

describe('works', () => {
  test('are stored as works, and found unchanged the next time', async () => {
    const cairn = await libraryOf([])
    const report = await cairn.import(fixture('library.bib'))
    expect(report).toMatchObject({
      format: 'bibtex',
      read: 1,
      created: 0,
      works: { created: 1, updated: 0, unchanged: 0 },
      conflicts: [],
      skipped: [{ name: 'library.bib/lost' }],
    })
    expect((await cairn.works.get('lind2020'))?.record.kind).toBe('work')
    expect(await cairn.import(fixture('library.bib'))).toMatchObject({ read: 1, unchanged: 1 })
    expect((await cairn.stats()).records.work).toBe(1)
  })

  test('a dry run reports the outcomes, also of a work that comes twice', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'a.bib')
    writeFileSync(file, '@misc{a, title={Stones}, doi={10.5555/a}}\n')
    await cairn.import(file)
    writeFileSync(
      file,
      '@misc{a, title={Stones}, doi={10.5555/a}, year={1999}}\n@misc{b, title={Rocks}, doi={10.5555/b}}\n@misc{c, title={Rocks}, doi={10.5555/b}}\n',
    )
    const before = await cairn.works.export()
    const dry = await cairn.import(file, { dryRun: true, batch: 1 })
    expect(dry).toMatchObject({ dryRun: true, works: { created: 1, updated: 1, unchanged: 1 } })
    expect(await cairn.works.export()).toEqual(before)
    expect((await cairn.import(file)).works).toEqual(dry.works)
  })

  test('fields that differ in the file are reported, and the stored values stay', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'a.bib')
    writeFileSync(file, '@article{a, title={Stones}, doi={10.5555/a}, volume={1}, pages={1-2}}\n')
    await cairn.import(file)
    writeFileSync(file, '@article{a, title={Stones}, doi={10.5555/a}, volume={7}, pages={3-4}}\n')
    const conflicts = [
      { name: 'a.bib/a', field: 'volume', stored: '1', incoming: '7' },
      { name: 'a.bib/a', field: 'pages', stored: '1-2', incoming: '3-4' },
    ]
    const dry = await cairn.import(file, { dryRun: true })
    expect(dry).toMatchObject({ conflicts, conflictCount: 2 })
    const { id } = (await cairn.works.get('10.5555/a'))?.record ?? {}
    const report = await cairn.import(file)
    expect(report).toMatchObject({ conflicts, works: { unchanged: 1 } })
    expect(report.conflicts[0]?.id).toBe(id)
    expect((await cairn.works.get('a'))?.work).toMatchObject({ volume: '1', pages: '1-2' })
  })

  test('an entry that cannot be read this time is not taken for one that is gone', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'a.bib')
    writeFileSync(file, '@misc{a, title={Stones}}\n@misc{b, title={Rocks}}\n')
    await cairn.import(file)
    writeFileSync(file, '@misc{a, note={Stones}}\n@misc{b, title={Rocks}}\n')
    const report = await cairn.import(file, { prune: true })
    expect(report).toMatchObject({ deleted: 0, skipped: [{ name: 'a.bib/a', line: 1 }] })
  })

  test('a work that is refused does not keep the others out', async () => {
    const now = (): number => 1_780_000_000_000
    const storage = openSqlite({
      file: temporaryFile(),
      programVersion: '0.0.0',
      create: true,
      readOnly: false,
      busyTimeoutMs: 1000,
      trace: null,
      now,
      decay: 1,
      reinforcement: 0.02,
      makeId: createIdGenerator({ now, randomBytes }),
    })
    const stored: string[] = []
    const parts = {
      storage,
      indexer: new Indexer({
        storage,
        config: null,
        embedder: null,
        env: {},
        timers: REAL_TIMERS,
        outages: createOutages({ file: '', folder: null, now }),
        log: silentLog,
      }),
      scope: createScope({ storage, now, decay: 1 }, { namespace: 'default', pinned: false }),
      log: silentLog,
    }
    const onExit = () => () => {}
    const recalls = createRecalls({ ...parts, now, decay: 1, reinforcement: 0, onExit })
    const { import: importPath } = createImport({
      caller: OWNER,
      ...parts,
      archive: createArchive({ ...parts, now, recalls }),
      now,
      timeLimitMs: null,
      importWorks: async (works) => {
        if (works.some(({ title }) => title === 'Bad')) throw badInput('It is refused.')
        stored.push(...works.map(({ title }) => title))
        return { created: works.length, updated: 0, unchanged: 0, conflicts: 0, outcomes: [] }
      },
    })
    const file = join(temporaryFolder(), 'a.bib')
    writeFileSync(file, '@misc{a, title={Good}}\n@misc{b, title={Bad}}\n@misc{c, title={Fine}}\n')
    const report = await importPath(file)
    expect(stored).toEqual(['Good', 'Fine'])
    expect(report.works).toEqual({ created: 2, updated: 0, unchanged: 0 })
    expect(report.skipped).toMatchObject([{ name: 'a.bib/b', reason: 'It is refused.' }])
    expect(await importPath(file)).toMatchObject({ unchanged: 2, works: { created: 0 } })
    await storage.close()
  })
})
