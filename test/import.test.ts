import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createArchive } from '../src/cairn/archive.js'
import { createImport } from '../src/cairn/import.js'
import { createScope } from '../src/cairn/scope.js'
import { badInput } from '../src/core/errors.js'
import { REAL_TIMERS } from '../src/core/http-client.js'
import { createIdGenerator } from '../src/core/ids.js'
import { silentLog } from '../src/core/log.js'
import { Indexer } from '../src/embedding/indexer.js'
import { type Cairn, type ImportProgress, openCairn } from '../src/index.js'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.js'
import { libraryOf, temporaryFile, temporaryFolder } from './support/library.js'

const FIXTURES = join(import.meta.dirname, 'fixtures/import')
const fixture = (name: string): string => join(FIXTURES, name)

/** A copy of the vault that a test may change. */
function vault(): { folder: string; write: (name: string, text: string) => void } {
  const folder = join(temporaryFolder(), 'vault')
  cpSync(fixture('vault'), folder, { recursive: true })
  return {
    folder,
    write: (name, text) => {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    },
  }
}

async function titled(cairn: Cairn, title: string, deleted = false) {
  const { records } = await cairn.list({ limit: 1000, deleted })
  const found = records.filter((record) => record.title === title)
  expect(found).toHaveLength(1)
  return found[0]!
}

const linksOf = async (cairn: Cairn, title: string): Promise<string[]> => {
  const { links } = await cairn.links.of((await titled(cairn, title)).id)
  return links
    .filter(({ direction }) => direction === 'out')
    .map(({ type, other }) => `${type} ${other?.title}`)
    .sort()
}

describe('a folder of notes', () => {
  test('comes in with tags, links and what was skipped, and can be found', async () => {
    const cairn = await libraryOf([])
    const report = await cairn.import(fixture('vault'), { tags: ['vault'] })
    expect(report).toMatchObject({
      format: 'markdown',
      read: 4,
      created: 4,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      links: 3,
      unresolved: [{ from: 'projects/Compost.md', to: 'Worm farm' }],
      dryRun: false,
    })
    expect(report.source).toBe(`markdown:${fixture('vault')}`)
    expect(report.skipped.map(({ name }) => name)).toEqual([
      'Broken front.md (front matter)',
      'Empty.md',
    ])
    const [hit] = (await cairn.search('sow beans frost')).hits
    expect(hit?.record).toMatchObject({ title: 'The garden year', kind: 'document' })
    expect(hit?.record.tags).toContain('vault')
  })

  test('wiki links, relative links and aliases become links, also to notes that come later', async () => {
    const cairn = await libraryOf([])
    await cairn.import(fixture('vault'))
    expect(await linksOf(cairn, 'The garden year')).toEqual(['RELATED_TO Compost heap'])
    expect(await linksOf(cairn, 'Compost heap')).toEqual(['RELATED_TO The garden year'])
    expect(await linksOf(cairn, 'Without heading')).toEqual(['RELATED_TO The garden year'])
  })

  test('a second run writes nothing at all', async () => {
    const { folder } = vault()
    const statements: string[] = []
    const cairn = await libraryOf([], { trace: (sql) => statements.push(sql) })
    await cairn.import(folder)
    statements.length = 0
    const report = await cairn.import(folder)
    expect(report).toMatchObject({ read: 4, unchanged: 4, created: 0, updated: 0, links: 0 })
    expect(
      statements.filter((sql) => /^\s*(insert|update|delete|replace|begin)/i.test(sql)),
    ).toEqual([])
  })

  test('a changed note is an edit of the same record, with its past', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const before = await titled(cairn, 'Compost heap')
    write('projects/Compost.md', '# Compost heap\n\nTurn it every week now. [[Without heading]]\n')
    expect(await cairn.import(folder)).toMatchObject({
      updated: 1,
      unchanged: 3,
      created: 0,
      links: 1,
    })
    const after = await titled(cairn, 'Compost heap')
    expect(after.id).toBe(before.id)
    expect(after.body).toContain('every week now')
    expect((await cairn.history(after.id)).revisions.map(({ body }) => body)).toEqual([before.body])
    expect(await linksOf(cairn, 'Compost heap')).toEqual(['RELATED_TO Without heading'])
    expect(
      (await cairn.search('every second week', { match: 'all', mode: 'keyword' })).hits,
    ).toEqual([])
  })

  test('a note that is gone is deleted, and restored when it comes back', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const { id } = await titled(cairn, 'Compost heap')
    const away = join(temporaryFolder(), 'away.md')
    renameSync(join(folder, 'projects/Compost.md'), away)
    expect(await cairn.import(folder)).toMatchObject({ deleted: 1, unchanged: 3 })
    expect((await cairn.get([id])).missing).toEqual([id])
    expect(await linksOf(cairn, 'The garden year')).toEqual([])
    expect(await cairn.import(folder)).toMatchObject({ deleted: 0, unchanged: 3 })

    renameSync(away, join(folder, 'projects/Compost.md'))
    expect(await cairn.import(folder)).toMatchObject({
      restored: 1,
      created: 0,
      unchanged: 3,
      links: 1,
    })
    expect((await titled(cairn, 'Compost heap')).id).toBe(id)
    expect(await linksOf(cairn, 'The garden year')).toEqual(['RELATED_TO Compost heap'])
  })

  test('what one of two notes with the same text leaves is the other one’s, and goes with it', async () => {
    const folder = join(temporaryFolder(), 'notes')
    mkdirSync(folder)
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('a.md', '# Same\n\nThe same words.\n')
    write('b.md', '# Same\n\nThe same words.\n')
    const cairn = await libraryOf([])
    expect(await cairn.import(folder)).toMatchObject({ created: 1, duplicates: 1 })
    write('a.md', '# Other\n\nOther words.\n')
    write('b.md', '---\ntags: [kept]\n---\n# Same\n\nThe same words.\n')
    expect(await cairn.import(folder)).toMatchObject({ created: 1, duplicates: 1 })
    rmSync(join(folder, 'b.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 1 })
    expect((await cairn.stats()).records.document).toBe(1)
  })

  test('a note that comes back with another text is restored with it', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const { id } = await titled(cairn, 'Compost heap')
    rmSync(join(folder, 'projects/Compost.md'))
    await cairn.import(folder)
    write('projects/Compost.md', '# Compost heap\n\nA new heap.')
    expect(await cairn.import(folder)).toMatchObject({ restored: 1 })
    expect(await titled(cairn, 'Compost heap')).toMatchObject({
      id,
      body: '# Compost heap\n\nA new heap.',
    })
  })

  test('a folder that is suddenly empty deletes nothing unless that is asked for', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    rmSync(folder, { recursive: true })
    write('nothing.txt', 'x')
    const options = { format: 'markdown' }
    expect(await cairn.import(folder, options)).toMatchObject({ read: 0, deleted: 0 })
    expect(await cairn.import(folder, { ...options, prune: true })).toMatchObject({ deleted: 4 })
  })

  test('a file that cannot be read this time is not taken for gone', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    write('projects/Compost.md', 'binary \u0000 now')
    const report = await cairn.import(folder)
    expect(report).toMatchObject({ deleted: 0, unchanged: 3 })
    expect(report.skipped).toContainEqual({
      name: 'projects/Compost.md',
      line: null,
      reason: 'It is not text.',
    })
    expect((await titled(cairn, 'Compost heap')).body).toContain('second week')
  })

  test('without pruning what is gone stays', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    rmSync(join(folder, 'projects/Compost.md'))
    expect(await cairn.import(folder, { prune: false })).toMatchObject({ deleted: 0 })
    await titled(cairn, 'Compost heap')
  })

  test('what a person deleted stays deleted until its file changes', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const { id } = await titled(cairn, 'Compost heap')
    await cairn.delete([id])
    expect(await cairn.import(folder)).toMatchObject({ unchanged: 4, restored: 0 })
    expect((await cairn.get([id])).missing).toEqual([id])
    write('projects/Compost.md', '# Compost heap\n\nNews.')
    expect(await cairn.import(folder)).toMatchObject({ restored: 1 })
  })

  test('a purged note comes in again as a new record', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    await cairn.purge([(await titled(cairn, 'Compost heap')).id])
    expect(await cairn.import(folder)).toMatchObject({ created: 1, unchanged: 3 })
  })

  test('links that a person made are neither doubled nor taken away', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const [from, to] = [await titled(cairn, 'Without heading'), await titled(cairn, 'Compost heap')]
    await cairn.links.add({ from: from.id, to: to.id, author: 'Mara' })
    write('projects/Without heading.md', 'Now with [[Compost]] and no garden.')
    await cairn.import(folder)
    write('projects/Without heading.md', 'Now with nothing.')
    await cairn.import(folder)
    expect(await linksOf(cairn, 'Without heading')).toEqual(['RELATED_TO Compost heap'])
  })

  test('two files with the same text share a record, and each may change or go', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    write('a.md', '# Twin\n\nsame')
    write('b.md', '# Twin\n\nsame')
    expect(await cairn.import(folder)).toMatchObject({ created: 5, duplicates: 1 })
    rmSync(join(folder, 'a.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 0 })
    await titled(cairn, 'Twin')
    write('a.md', '# Twin\n\nsame')
    await cairn.import(folder)
    write('a.md', '# Twin, changed\n\nother')
    expect(await cairn.import(folder)).toMatchObject({ created: 1 })
    expect((await titled(cairn, 'Twin')).body).toContain('same')
    rmSync(join(folder, 'b.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 1 })
  })

  test('a record that was there before an import is not deleted by it', async () => {
    const { folder, write } = vault()
    write('own.md', '# Own\n\nmine')
    const cairn = await libraryOf([{ body: '# Own\n\nmine', title: 'Own', kind: 'document' }])
    expect(await cairn.import(folder)).toMatchObject({ created: 4, duplicates: 1 })
    rmSync(join(folder, 'own.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 0 })
    await titled(cairn, 'Own')
  })

  test('other tags or another namespace touch every record once', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    expect(await cairn.import(folder, { namespace: 'notes', tags: 'x' })).toMatchObject({
      updated: 4,
    })
    expect(await titled(cairn, 'Compost heap')).toMatchObject({ namespace: 'notes', tags: ['x'] })
    expect(await cairn.import(folder, { namespace: 'notes', tags: 'x' })).toMatchObject({
      unchanged: 4,
    })
  })
})

describe('a dry run', () => {
  test('tells the same and changes nothing', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    expect(await cairn.import(folder, { dryRun: true })).toMatchObject({
      created: 4,
      links: 3,
      unresolved: [{ to: 'Worm farm' }],
      dryRun: true,
    })
    expect((await cairn.stats()).records.document).toBe(0)
    await cairn.import(folder)
    rmSync(join(folder, 'Garden.md'))
    write('projects/Compost.md', 'changed')
    write('new.md', 'new')
    const planned = await cairn.import(folder, { dryRun: true })
    expect(planned).toMatchObject({ created: 1, updated: 1, unchanged: 2, deleted: 1 })
    const { dryRun: _, ...done } = await cairn.import(folder)
    expect(done).toMatchObject({ created: 1, updated: 1, unchanged: 2, deleted: 1 })
  })
})

describe('conversations', () => {
  test.each([
    'chatgpt.json',
    'claude.json',
    'claude-code.jsonl',
    'codex',
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

  test('where no times are told the order of the file stands, and the same words twice are two turns', async () => {
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

  test('a turn is found by what was said around it', async () => {
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
  test('what supersedes takes the place of the other, and links lead where they say', async () => {
    const cairn = await libraryOf([])
    const report = await cairn.import(fixture('records.jsonl'))
    expect(report).toMatchObject({ created: 5, links: 2, sessions: 1 })
    expect(report.unresolved).toHaveLength(1)
    expect(report.skippedCount).toBe(4)
    const { hits } = await cairn.search('database port', { mode: 'keyword' })
    expect(hits.map(({ record }) => record.body)).toEqual([
      'The database listens on port 6543 since the move.',
    ])
    const [old] = (await cairn.search('database 5432', { includeSuperseded: true })).hits.filter(
      ({ record }) => record.body.includes('5432'),
    )
    expect(old?.record.supersededAt).not.toBeNull()
    expect(await cairn.import(fixture('records.jsonl'))).toMatchObject({ unchanged: 5, links: 0 })
  })

  test('a superseded record whose line changes stays, and says so', async () => {
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
    await expect(cairn.import(file, { namespace: 'b' })).rejects.toThrow(/cannot reach "b"/)
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

  test('a dry run says what would become of them, also of one that comes twice', async () => {
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

  test('what the file tells otherwise is reported field by field, and what is stored stays', async () => {
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
      indexer: new Indexer({ storage, config: null, env: {}, timers: REAL_TIMERS, log: silentLog }),
      scope: createScope({
        storage,
        namespace: 'default',
        pinned: false,
        now,
        decay: 1,
      }),
      log: silentLog,
    }
    const { import: importPath } = createImport({
      ...parts,
      archive: createArchive({ ...parts, settled: async () => {} }),
      now,
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

describe('while it runs', () => {
  test('progress counts items and bytes, batch by batch', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'many.jsonl')
    const lines = Array.from({ length: 250 }, (_, i) => `{"key":"k${i}","body":"note ${i}"}\n`)
    writeFileSync(file, lines.join(''))
    const seen: ImportProgress[] = []
    await cairn.import(file, { batch: 100, onProgress: (progress) => seen.push(progress) })
    expect(seen.map(({ phase, created }) => `${phase} ${created}`)).toEqual([
      'reading 100',
      'reading 200',
      'reading 250',
      'deleting 250',
      'linking 250',
      'done 250',
    ])
    expect(seen.at(-1)?.bytesRead).toBe(seen.at(-1)?.bytesTotal)
  })

  test('a signal ends it after a whole batch, and another run goes on from there', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'many.jsonl')
    const lines = Array.from({ length: 250 }, (_, i) => `{"key":"k${i}","body":"note ${i}"}\n`)
    writeFileSync(file, lines.join(''))
    const controller = new AbortController()
    const running = cairn.import(file, {
      batch: 100,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    await expect(running).rejects.toThrow(/abort/i)
    expect((await cairn.stats()).records.memory).toBe(100)
    expect(await cairn.import(file)).toMatchObject({ created: 150, unchanged: 100 })
  })

  test('an option that is not there is refused by name', async () => {
    const cairn = await libraryOf([])
    const options = { formt: 'markdown' } as object
    await expect(cairn.import(fixture('vault'), options)).rejects.toThrow(
      'There is no option "formt".',
    )
  })

  test('a file written by one program is imported into by another', async () => {
    const file = temporaryFile()
    const one = await openCairn({ file })
    await one.import(fixture('vault'))
    await one.close()
    const two = await openCairn({ file })
    expect(await two.import(fixture('vault'))).toMatchObject({ unchanged: 4 })
    expect((await two.doctor()).ok).toBe(true)
    await two.close()
  })
})
