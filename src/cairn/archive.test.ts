import { readdirSync } from 'node:fs'
import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fullLibrary, linesOf } from '../../test/support/full-library.js'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { people, work } from '../../test/support/works.js'
import {
  type Cairn,
  type CairnError,
  type OpenOptions,
  openCairn,
  type SearchInput,
  VERSION,
} from '../index.js'

async function openEmpty(options: Partial<OpenOptions> = {}): Promise<Cairn> {
  const cairn = await openCairn({ file: temporaryFile(), ...options })
  onTestFinished(() => cairn.close())
  return cairn
}

async function refusalOf(promise: Promise<unknown>): Promise<CairnError> {
  return promise.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: CairnError) => error,
  )
}

const QUESTIONS = [
  { query: 'which port does the database use' },
  { query: 'port', mode: 'keyword', explain: true },
  { query: 'boats in the harbour', mode: 'semantic', threshold: -1 },
  { query: 'ok' },
  { query: 'deploy before lunch', includeSuperseded: true },
  { query: 'database port', asOf: '2026-03-01T09:00:20.000Z' },
  { query: 'tag:vault', namespaces: ['notes'], includeDocuments: true },
  { query: 'light', kinds: 'work', includeDocuments: true },
  { query: 'tide', lens: 'mine' },
] satisfies SearchInput[]

/** What holds of an answer however long it took. */
async function answersOf(cairn: Cairn): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const request of QUESTIONS) {
    const { tookMs: _, ...answer } = await cairn.search({ limit: 50, ...request })
    expect(answer.hits.length, request.query).toBeGreaterThan(0)
    answers.push(answer)
  }
  return answers
}

describe('an archive', () => {
  test('of a restored file is byte for byte the archive it was restored from', async () => {
    const { cairn } = await fullLibrary()
    const lines = await linesOf(cairn)
    const restored = await openEmpty()
    const report = await restored.importAll(lines)
    expect(report).toMatchObject({ lines: lines.length, conflictCount: 0, dryRun: false })
    expect(Object.values(report.added).every((count) => count > 0)).toBe(true)
    expect(await linesOf(restored)).toEqual(lines)
    expect((await restored.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
    expect((await restored.stats()).waiting).toBe(0)
  })

  test.runIf(process.platform === 'linux')('that is not read to its end is closed', async () => {
    const { cairn } = await fullLibrary()
    const ann = cairn.as({ name: 'ann', namespaces: null, role: 'admin' })
    const countOpenFiles = () => readdirSync('/proc/self/fd').length
    const readBeginning = async () => {
      for await (const line of ann.exportAll()) if (line.includes('"record"')) break
    }
    await readBeginning()
    const before = countOpenFiles()
    for (let i = 0; i < 10; i++) await readBeginning()
    expect(countOpenFiles()).toBeLessThan(before + 3)
  })

  test('gives back a file that answers every search as the first one did', async () => {
    const { cairn, file, now } = await fullLibrary()
    const at = now()
    const restored = await openEmpty({ now: () => at })
    await restored.importAll(await linesOf(cairn))
    await cairn.close()
    const first = await openCairn({ file, now: () => at })
    onTestFinished(() => first.close())
    expect(await answersOf(restored)).toEqual(await answersOf(first))
    const { records } = await first.list({ limit: 100 })
    for (const { id } of records) {
      expect(await restored.get([id])).toEqual(await first.get([id]))
      expect(await restored.history(id)).toEqual(await first.history(id))
      expect(await restored.links.of(id)).toEqual(await first.links.of(id))
      expect(await restored.why(id)).toEqual(await first.why(id))
    }
    expect(await restored.facts.list()).toEqual(await first.facts.list())
    expect(await restored.lenses.list()).toEqual(await first.lenses.list())
    expect(await restored.works.citations('10.1000/two')).toEqual(
      await first.works.citations('10.1000/two'),
    )
  })

  test('any text, title, tag and metadata comes back as it was', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => one.trim() !== '')
    const record = fc.record({
      body: text,
      title: text,
      metadata: fc.dictionary(text, fc.jsonValue()),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 5 }), async (records) => {
        const cairn = await openCairn({ file: ':memory:', vectors: false })
        const copy = await openCairn({ file: ':memory:', vectors: false })
        const added = await cairn.addMany(records).catch(() => null)
        // What cannot be stored need not come back.
        if (added !== null) {
          const lines = await linesOf(cairn)
          await copy.importAll(lines)
          expect(await linesOf(copy)).toEqual(lines)
          const ids = added.map(({ id }) => id)
          const bodies = async (one: Cairn) => (await one.get(ids)).records.map(({ body }) => body)
          expect(await bodies(copy)).toEqual(await bodies(cairn))
        }
        await Promise.all([cairn.close(), copy.close()])
      }),
      { numRuns: 10 },
    )
  })

  test('shows one snapshot of the file, even if others write meanwhile', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file })
    const other = await openCairn({ file })
    onTestFinished(() => Promise.all([cairn.close(), other.close()]).then(() => {}))
    const added = await cairn.addMany(
      Array.from({ length: 600 }, (_, i) => ({ body: `note number ${i}` })),
    )
    const before = await linesOf(cairn)
    const during: string[] = []
    for await (const line of cairn.exportAll()) {
      during.push(line)
      if (during.length === 10) {
        await other.add({ body: 'written meanwhile, by another connection' })
        await cairn.edit(added[599]?.id ?? '', { body: 'edited meanwhile' })
        await cairn.delete([added[300]?.id ?? ''])
      }
    }
    expect(during).toEqual(before)
    expect((await linesOf(cairn)).length).toBeGreaterThan(before.length)
  })

  test('leaves nothing open if its reader stops early', async () => {
    const { cairn } = await fullLibrary()
    for await (const _ of cairn.exportAll()) break
    await cairn.add({ body: 'and life goes on' })
    expect(await cairn.optimize({ vacuum: true })).toBeDefined()
  })

  test('holds every namespace, so a pinned session neither writes nor reads one', async () => {
    const cairn = await openEmpty({ namespace: 'mine', pinned: true })
    expect((await refusalOf(linesOf(cairn))).code).toBe('outside_namespace')
    expect((await refusalOf(cairn.importAll([]))).code).toBe('outside_namespace')
    expect((await refusalOf(cairn.backup(temporaryFile()))).code).toBe('outside_namespace')
  })
})

describe('merging an archive', () => {
  test('into the file it came from changes nothing', async () => {
    const { cairn } = await fullLibrary()
    const lines = await linesOf(cairn)
    const report = await cairn.importAll(lines)
    const none = Object.fromEntries(Object.keys(report.added).map((kind) => [kind, 0]))
    expect(report).toMatchObject({ added: none, updated: none, kept: none })
    expect(await linesOf(cairn)).toEqual(lines)
  })

  test('keeps the records of the file and adds missing ones', async () => {
    const { cairn } = await fullLibrary()
    const other = await libraryOf(['A note of another file about anchors.'])
    const report = await other.importAll(await linesOf(cairn))
    const count = (await cairn.stats()).records
    const after = (await other.stats()).records
    expect(after).toEqual({ ...count, memory: count.memory + 1 })
    expect(report.kept.model).toBe(0)
    expect((await other.search('anchors', { limit: 1 })).hits[0]?.record.body).toContain('anchors')
    expect((await other.doctor()).ok).toBe(true)
  })

  test('of two states of a record the one that changed later stays, with its own past', async () => {
    const { cairn, now } = await fullLibrary()
    const { id } = await cairn.add({ body: 'The ferry leaves at eight.' })
    const quiet = await cairn.add({ body: 'The kiosk is closed on Mondays.' })
    const copy = await openEmpty({ now })
    await copy.importAll(await linesOf(cairn))
    await cairn.edit(id, { body: 'The ferry leaves at nine.' })
    await copy.edit(id, { body: 'The ferry leaves at half past nine.' })
    await copy.delete([quiet.id])

    const theirs = await cairn.importAll(await linesOf(copy))
    expect(theirs).toMatchObject({ updated: { record: 2, revision: 0 }, conflictCount: 0 })
    expect((await cairn.get([id])).records[0]?.body).toBe('The ferry leaves at half past nine.')
    const past = (await cairn.history(id)).revisions.map(({ body }) => body)
    expect(past).toEqual(['The ferry leaves at eight.'])
    expect((await cairn.get([quiet.id])).missing).toEqual([quiet.id])
    expect((await cairn.search('half past nine', { limit: 1 })).hits[0]?.id).toBe(id)

    await cairn.edit(id, { body: 'The ferry leaves at ten.' })
    const lines = await linesOf(cairn)
    const older = await cairn.importAll(await linesOf(copy))
    expect(older).toMatchObject({ updated: { record: 0 }, kept: { record: 1 }, conflictCount: 1 })
    expect(older.conflicts[0]?.id).toBe(id)
    expect(Date.parse(older.conflicts[0]?.stored ?? '')).toBeGreaterThan(
      Date.parse(older.conflicts[0]?.incoming ?? ''),
    )
    expect(await linesOf(cairn)).toEqual(lines)
    expect((await cairn.doctor()).ok).toBe(true)
  })

  test('two pasts of a record are never mixed', async () => {
    const { cairn, now } = await fullLibrary()
    const { id } = await cairn.add({ body: 'The ferry leaves at eight.' })
    const lines = await linesOf(cairn)
    const [often, last] = [await openEmpty({ now }), await openEmpty({ now })]
    await often.importAll(lines)
    await last.importAll(lines)
    await cairn.edit(id, { body: 'The ferry leaves at noon.' })
    for (const hour of ['nine', 'ten', 'eleven']) {
      await often.edit(id, { body: `The ferry leaves at ${hour}.` })
    }
    await last.edit(id, { body: 'The ferry was sold.' })

    const edited = await linesOf(often)
    expect(await cairn.importAll(edited)).toMatchObject({ updated: { record: 1 } })
    expect((await cairn.history(id)).revisions).toEqual((await often.history(id)).revisions)
    const before = await linesOf(last)
    expect(await last.importAll(edited)).toMatchObject({ kept: { record: 1, revision: 3 } })
    expect(await linesOf(last)).toEqual(before)
  })

  test('usages are joined: the earliest first time, the latest last time, the most times', async () => {
    const { cairn, now } = await fullLibrary()
    const copy = await openEmpty({ now })
    await copy.importAll(await linesOf(cairn))
    const [session] = (await cairn.sessions.list({ state: 'ended' })).sessions
    await cairn.search('tide', { recallSession: session?.id ?? '' })
    expect(await copy.importAll(await linesOf(cairn))).toMatchObject({ added: { recall: 1 } })
    expect(await linesOf(copy)).toEqual(await linesOf(cairn))
  })

  test('a citation leads to its work, whichever of the two files had it', async () => {
    const citing = work('Harbours', { doi: '10.1000/a', references: ['doi:10.1000/b'] })
    const cited = work('Piers', { doi: '10.1000/b', authors: people('Bo Berg') })
    for (const [here, there] of [
      [citing, cited],
      [cited, citing],
    ] as const) {
      const [file, other] = [await openEmpty(), await openEmpty()]
      await file.works.import([here])
      await other.works.import([there])
      await file.importAll(await linesOf(other))
      const { references, unresolved } = await file.works.citations('10.1000/a')
      expect(references.map(({ title }) => title)).toEqual(['Piers'])
      expect(unresolved).toEqual([])
    }
  })

  test('a dry run reports the same and writes nothing', async () => {
    const { cairn, now } = await fullLibrary()
    const lines = await linesOf(cairn)
    const other = await libraryOf(['Something else.'], { now })
    const before = await linesOf(other)
    const planned = await other.importAll(lines, { dryRun: true })
    expect(await linesOf(other)).toEqual(before)
    expect(planned.dryRun).toBe(true)
    expect(await other.importAll(lines)).toEqual({ ...planned, dryRun: false })
  })
})

/** Three records, a fact and a lens. */
async function smallLibrary(): Promise<Cairn> {
  const cairn = await libraryOf([{ title: 'Ports', body: 'one' }, 'two', 'three'], {
    vectors: false,
  })
  const [first] = (await cairn.search('Ports')).hits
  const about = { subject: 'it', predicate: 'is', object: 'one', type: 'kv' } as const
  await cairn.facts.add({ ...about, record: first?.id ?? '', confidence: 0.5 })
  await cairn.lenses.save('mine', { limit: 3 })
  return cairn
}

describe('a damaged archive', () => {
  const RECORD = '{"record":{'
  test.each([
    ['a line cut in half', (line: string) => line.slice(0, line.length / 2), 'not valid JSON'],
    [
      'a word instead of a number',
      (line: string) => line.replace(/"salience":[\d.]+/, '"salience":"x"'),
      'salience',
    ],
    [
      'a field too many',
      (line: string) => line.replace(RECORD, `${RECORD}"colour":"red",`),
      'colour',
    ],
    ['a field too few', (line: string) => line.replace(/"tier":"\w+",/, ''), 'lacks "tier"'],
    [
      'a day that never was',
      (line: string) =>
        line.replace(/"createdAt":"[^"]+"/, '"createdAt":"2026-02-31T00:00:00.000Z"'),
      'createdAt',
    ],
    [
      'an unknown kind of record',
      (line: string) => line.replace(/"kind":"\w+"/, '"kind":"poem"'),
      'memory, document, work',
    ],
    ['an unknown kind of line', (line: string) => line.replace('{"record"', '{"poem"'), 'poem'],
  ])(
    'with %s is refused with the number of the line, and nothing of its batch is written',
    async (_, hurt, said) => {
      const cairn = await smallLibrary()
      const lines = await linesOf(cairn)
      const at = lines.findLastIndex((line) => line.startsWith(RECORD))
      const restored = await openEmpty({ vectors: false })
      const damaged = lines.map((line, i) => (i === at ? hurt(line) : line))
      const refusal = await refusalOf(restored.importAll(damaged))
      expect(refusal.code).toBe('damaged_archive')
      expect(refusal.message).toMatch(
        new RegExp(`^Line ${at + 1} of the archive cannot be used: .*${said}`),
      )
      expect((await restored.stats()).records).toEqual({ memory: 0, document: 0, work: 0 })
      await restored.importAll(lines)
      expect(await linesOf(restored)).toEqual(lines)
    },
  )

  test('that refers to missing records is refused, also by a dry run', async () => {
    const cairn = await smallLibrary()
    const lines = (await linesOf(cairn))
      .filter((line) => !line.includes('"Ports"'))
      .map((line) => line.replace('"record":3', '"record":2'))
    for (const dryRun of [true, false]) {
      const restored = await openEmpty({ vectors: false })
      const { code, message } = await refusalOf(restored.importAll(lines, { dryRun }))
      expect(code).toBe('damaged_archive')
      expect((await restored.stats()).records.memory).toBe(0)
      expect(message).toMatch(
        /^Line \d+ of .* it names the record "01\w+", which is not in the lines before it\.$/,
      )
    }
  })

  test('that was cut off, or lost a line, is not taken for a whole one', async () => {
    const cairn = await smallLibrary()
    const lines = await linesOf(cairn)
    const cut = await refusalOf((await openEmpty({ vectors: false })).importAll(lines.slice(0, -1)))
    expect(cut.message).toContain(
      `Line ${lines.length} of the archive cannot be used: the archive ends`,
    )
    const lost = lines.filter((line) => !line.startsWith('{"lens"'))
    expect(
      (await refusalOf((await openEmpty({ vectors: false })).importAll(lost))).message,
    ).toContain('1 lines with a lens')
    expect(
      (await refusalOf((await openEmpty({ vectors: false })).importAll([]))).message,
    ).toContain('the archive is empty')
    const more = await refusalOf(
      (await openEmpty({ vectors: false })).importAll([...lines, lines[1] ?? '']),
    )
    expect(more.message).toContain('after the end')
  })

  test('of a later version is refused in one sentence that names both', async () => {
    const lines = [JSON.stringify({ cairnArchive: 99, writtenBy: '7.0.0' }), '{"poem":{}}']
    const { code, message } = await refusalOf(
      (await openEmpty({ vectors: false })).importAll(lines),
    )
    expect(code).toBe('newer_format')
    expect(message).toContain('Line 1')
    expect(message).toContain('7.0.0')
    expect(message).toContain(VERSION)
  })
})
