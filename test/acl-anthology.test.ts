/** A real bibliography of three thousand works is imported and exported without loss. */

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cairn, type ImportReport, openCairn, type Work } from '../src/index.js'
import { temporaryFile, temporaryFolder } from './support/library.js'

const FILE = join(import.meta.dirname, '../../shared/inputs/acl_2019.bib')
const CLI = join(import.meta.dirname, '../dist/cairn.cjs')
const ENTRIES = 3000
const isMissing = !existsSync(FILE)

const openEmpty = (): Promise<Cairn> => openCairn({ file: ':memory:', vectors: false })

/** The first works of the file, for what is slow. */
const SAMPLE = 400
const KILLED = 500

function writeSample(count: number): string {
  const entries = readFileSync(FILE, 'utf8')
    .split(/^(?=@)/m)
    .slice(0, count)
  const file = join(temporaryFolder(), 'sample.bib')
  writeFileSync(file, entries.join(''))
  return file
}

/** Imported once for all tests. */
let library: Cairn
let report: ImportReport

beforeAll(async () => {
  library = await openEmpty()
  if (!isMissing) report = await library.import(FILE)
}, 120_000)
afterAll(() => library.close())

/** What a format does not keep is named in docs/formats.md. */
function withoutUnkept(work: Work, format: string): Partial<Work> {
  const { references: _, ...kept } = work
  return format === 'ris' ? { ...kept, institution: null } : kept
}

test.skipIf(isMissing)(
  '[L1] every entry of a large file is stored, and again only what changed',
  { timeout: 120_000 },
  async () => {
    expect(report).toMatchObject({ read: ENTRIES, skippedCount: 0 })
    // A few have the title and authors of another: proceedings and a journal are cited apart.
    expect(report.works).toEqual({ created: ENTRIES, updated: 0, unchanged: 0 })
    expect(report.conflicts).toEqual([])
    expect((await library.stats()).records.work).toBe(ENTRIES)
    expect(await library.import(FILE)).toMatchObject({ unchanged: ENTRIES, conflicts: [] })
  },
)

test.skipIf(isMissing).each(['bibtex', 'ris', 'csl'] as const)(
  '[L1] works written as %s come back without loss, and make no second record',
  { timeout: 180_000 },
  async (format) => {
    const sample = await openEmpty()
    await sample.import(writeSample(SAMPLE))
    const works = await sample.works.export()
    expect(works).toHaveLength(SAMPLE)
    const copy = join(temporaryFolder(), `copy.${format}`)
    writeFileSync(copy, (await sample.works.write(format)).text)
    const again = await library.import(copy, { format })
    expect(again).toMatchObject({
      read: works.length,
      skippedCount: 0,
      works: { created: 0, updated: 0, unchanged: works.length },
      conflicts: [],
    })
    const other = await openEmpty()
    await other.import(copy, { format })
    const back = await other.works.export()
    expect(back.map((work) => withoutUnkept(work, format))).toEqual(
      works.map((work) => withoutUnkept(work, format)),
    )
    await other.close()
    await sample.close()
  },
)

test.skipIf(isMissing)(
  '[L2] the words that name a work find it: venue, key, author and year, alone and as fields',
  async () => {
    const works = await library.works.export()
    const find = (query: string) => library.search(query, { match: 'all', limit: 1000 })
    const expected = (isWanted: (work: Work) => boolean) => works.filter(isWanted).length
    const atConll = ({ venue }: Work): boolean => /\bCoNLL\b/.test(venue ?? '')
    expect(expected(atConll)).toBeGreaterThan(90)
    for (const query of ['venue:CoNLL', 'venue:"learning (CoNLL)"']) {
      expect((await find(query)).total.value, query).toBe(expected(atConll))
    }
    const named = expected(
      (work) => atConll(work) || /\bCoNLL\b/i.test(`${work.title} ${work.abstract}`),
    )
    expect((await find('conll')).total.value).toBe(named)
    const [first] = works
    for (const query of [`key:${first?.citationKey}`, String(first?.citationKey)]) {
      expect((await find(query)).hits.map(({ title }) => title)).toEqual([first?.title])
    }
    expect((await find('year:2019 author:riedl')).total.value).toBe(
      expected(({ authors }) => authors.some(({ family }) => family === 'Riedl')),
    )
  },
)

test.skipIf(isMissing)(
  '[L8] an import of a large file that is killed and run again stores every work once',
  { timeout: 180_000 },
  async () => {
    const [file, source] = [temporaryFile(), writeSample(KILLED)]
    const args = ['import', source, '--db', file, '--batch', '100']
    const child = spawn(process.execPath, [CLI, ...args], { stdio: 'ignore' })
    await untilSome(file)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    const broken = await openCairn({ file })
    const before = (await broken.stats()).records.work ?? 0
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(KILLED)
    const rest = await broken.import(source)
    expect(rest).toMatchObject({ read: KILLED, skippedCount: 0 })
    const keys = (await broken.works.export()).map(({ citationKey }) => citationKey)
    expect(keys).toHaveLength(KILLED)
    expect(new Set(keys).size).toBe(KILLED)
    expect((await broken.doctor()).ok).toBe(true)
    await broken.close()
  },
)

/** Waits until another process has stored some works. */
async function untilSome(file: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (!existsSync(file)) continue
    const seen = await openCairn({ file, create: false, readOnly: true }).catch(() => null)
    const stats = await seen?.stats().catch(() => null)
    await seen?.close()
    if ((stats?.records.work ?? 0) > 0) return
  }
}
