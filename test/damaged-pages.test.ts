/** Whichever page of a file is lost, every operation answers or fails with the code `damaged`, and the rest can be saved. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type Cairn, CairnError, type LostEntries, openCairn } from '../src/index.js'
import { OPERATIONS, perform } from '../src/operations/operations.js'
import { fullLibrary, linesOf } from './support/full-library.js'
import { temporaryFile, temporaryFolder } from './support/library.js'

/** `npm run stress -- damaged-pages` takes all pages; the suite takes the first page of some tables. */
const MAX_PAGES = Number(process.env.STRESS_PAGES ?? 3)
const SEED = Number(process.env.STRESS_SEED ?? 1)
const TABLES = ['sqlite_schema', 'records', 'records_ft_data']
const IS_STRESS = process.env.STRESS_PAGES !== undefined

type Call = { readonly name: string; readonly run: (cairn: Cairn) => Promise<unknown> }

test('a lost page is called damage by every operation, and an archive has what is on the others', {
  timeout: IS_STRESS ? 1_200_000 : 60_000,
}, async () => {
  const { whole, calls, lines } = await fillFile()
  const bytes = readFileSync(whole)
  const { pageBytes, pages } = listPages(whole)
  const file = temporaryFile()
  const sound = await runAll(file, bytes, calls)
  expect([...sound.values()].filter((outcome) => outcome === 'damaged')).toEqual([])
  let damaged = 0
  const chosen = choosePages(pages)
  for (const [page, table] of chosen) {
    const hurt = Buffer.from(bytes).fill(0, (page - 1) * pageBytes, page * pageBytes)
    const outcomes = await runAll(file, hurt, calls)
    let hasFailed = false
    for (const [name, outcome] of outcomes) {
      hasFailed ||= outcome === 'damaged'
      // An earlier call that failed has not made what this one needs.
      const isFollowing = hasFailed && /^(not_found|bad_input)$/.test(outcome)
      if (isFollowing || outcome === 'done' || outcome === 'damaged') continue
      expect(`${page} (${table}) ${name}: ${outcome}`).toBe(
        `${page} (${table}) ${name}: ${sound.get(name)}`,
      )
    }
    if (hasFailed) damaged++
    if (page > 1) await expectSalvage(file, hurt, lines, `${page} (${table})`)
  }
  expect(damaged).toBeGreaterThan(0)
  const { STRESS_REPORT } = process.env
  const report = { pages: chosen.length, damaged }
  if (STRESS_REPORT !== undefined) writeFileSync(STRESS_REPORT, JSON.stringify(report))
})

/** A file with several pages for the larger tables and texts that are longer than a page; all lines of its archive. */
async function fillFile() {
  const folder = temporaryFolder()
  const { cairn } = await fullLibrary()
  const calls = await listCalls(cairn, folder)
  const writeText = (from: number, words: number): string =>
    Array.from({ length: words }, (_, i) => `w${((from * 31 + i * i) * 7919) % 5003}`).join(' ')
  const records = Array.from({ length: 200 }, (_, i) => ({
    body: writeText(i, 40),
    tags: [`t${i}`],
  }))
  await cairn.addMany(records)
  const metadata = { list: Array.from({ length: 3000 }, (_, i) => i) }
  const long = await cairn.add({ body: writeText(1000, 3000), metadata })
  await cairn.edit(long.id, { body: writeText(2000, 3000) })
  const whole = join(folder, 'whole.cairn')
  await cairn.backup(whole)
  return { whole, calls, lines: new Set(await linesOf(cairn)) }
}

/** The examples of every operation but those on the network, with ids that are in the file; what removes comes last. */
async function listCalls(cairn: Cairn, folder: string): Promise<Call[]> {
  const { records } = await cairn.list({ limit: 100 })
  const { facts } = await cairn.facts.list({})
  const { sessions } = await cairn.sessions.list({})
  const idOf = (part: string): string => records.find(({ body }) => body.includes(part))?.id ?? ''
  const notes = join(folder, 'notes')
  mkdirSync(notes)
  writeFileSync(join(notes, 'c.md'), '# Ropes\n\nRopes rot. [[a]]\n')
  const replaced = [
    ['01K9ZQ3F', idOf('6543')],
    ['01K9ZQ4B', idOf('Thursdays')],
    ['01K9ZQ5C', facts[0]?.id],
    ['vaswani2017attention', '10.1000/two'],
    ['10.1145/362384.362685', '10.1000/one'],
    ['"standup"', JSON.stringify(sessions.find(({ title }) => title === 'Harbour talk')?.id)],
    ['"notes"', JSON.stringify(notes)],
    ['vault/memories', join(folder, 'memories')],
    ['copies/cairn.db', join(folder, 'copy.cairn')],
    ['/mnt/disk/copies', join(folder, 'copies')],
    ['postgres://ada@db.example/notes', join(folder, 'copy.cairn')],
    ['merged.cairn', join(folder, 'copy.cairn')],
  ] as const
  const listed = OPERATIONS.filter(({ name }) => !name.startsWith('openalex')).flatMap((one) =>
    one.examples.map((example, i) => {
      const input = replaced.reduce(
        (text, [from, to]) => text.replaceAll(from, to ?? ''),
        JSON.stringify(example),
      )
      const run = (opened: Cairn) => {
        rmSync(join(folder, 'copy.cairn'), { force: true })
        return perform(one, opened, JSON.parse(input))
      }
      const order = one.effect === 'reads' ? 0 : /^(delete|restore|purge)$/.test(one.name) ? 2 : 1
      return { name: `${one.name} ${i}`, order, run }
    }),
  )
  const archive = await linesOf(cairn)
  return [
    ...listed.sort((a, b) => a.order - b.order),
    { name: 'exportAll', run: linesOf },
    { name: 'importAll', run: (opened) => opened.importAll(archive) },
  ]
}

/** What became of each call: `done`, the code of its error, or the error itself where it has none. */
async function runAll(file: string, bytes: Buffer, calls: readonly Call[]) {
  writeFile(file, bytes)
  const outcomes = new Map<string, string>()
  const attempt = async (name: string, run: () => Promise<unknown>): Promise<void> => {
    const outcome = await run().then(
      () => 'done',
      (error: Error) => (error instanceof CairnError ? error.code : String(error.stack)),
    )
    outcomes.set(name, outcome)
  }
  let opened: Cairn | null = null
  await attempt('open', async () => {
    opened = await openCairn({ file, cache: false })
  })
  const cairn = opened as Cairn | null
  if (cairn === null) return outcomes
  for (const { name, run } of calls) await attempt(name, () => run(cairn))
  await attempt('close', () => cairn.close())
  return outcomes
}

/** The archive has only lines that the sound file has, names what it lacks, and can be imported. */
async function expectSalvage(
  file: string,
  bytes: Buffer,
  lines: ReadonlySet<string>,
  page: string,
) {
  writeFile(file, bytes)
  const lost: LostEntries[] = []
  const saved: string[] = []
  const hurt = await openCairn({ file, salvage: true })
  for await (const line of hurt.exportAll({ onLost: (one) => lost.push(one) })) saved.push(line)
  await hurt.close()
  const missing = lines.size - saved.filter((line) => lines.has(line)).length
  // The last line counts the others, so it differs where one is missing.
  if (lost.length === 0) expect(`${page}: ${missing}`).toBe(`${page}: 0`)
  else expect(missing).toBeGreaterThan(0)
  // Every record is there or named, unless the list of records itself is damaged.
  const ids = new Set([...saved.flatMap(idOfRecord), ...lost.flatMap(({ names }) => names)])
  const isListed = !lost.some(({ kind, mayBeMore }) => kind === 'record' && mayBeMore)
  const unnamed = [...lines].flatMap(idOfRecord).filter((id) => isListed && !ids.has(id))
  expect({ page, unnamed }).toEqual({ page, unnamed: [] })
  const other = await openCairn({ file: ':memory:', vectors: false })
  await expect(other.importAll(saved), page).resolves.toMatchObject({ conflictCount: 0 })
  await other.close()
}

function idOfRecord(line: string): string[] {
  const { record } = JSON.parse(line) as { record?: { id: string } }
  return record === undefined ? [] : [record.id]
}

function writeFile(file: string, bytes: Buffer): void {
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  writeFileSync(file, bytes)
}

function listPages(file: string) {
  const db = new Database(file, { readonly: true })
  onTestFinished(() => void db.close())
  const pages = db.prepare('SELECT pageno, name FROM dbstat ORDER BY pageno').raw().all()
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  return { pages: pages as [number, string][], pageBytes }
}

function choosePages(pages: readonly (readonly [number, string])[]) {
  const order = (page: number): number => (page * 7919 + SEED * 104_729) % 5003
  if (IS_STRESS) return pages.toSorted(([a], [b]) => order(a) - order(b)).slice(0, MAX_PAGES)
  return TABLES.flatMap((table) => {
    const own = pages.filter(([, name]) => name === table)
    return own.slice(-1)
  })
}
