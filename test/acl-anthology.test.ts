/** A real bibliography of three thousand works is imported and exported without loss. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cairn, type ImportReport, openCairn, type Work } from '../src/index.js'
import { temporaryFolder } from './support/library.js'

const FILE = join(import.meta.dirname, '../../shared/inputs/acl_2019.bib')
const ENTRIES = 3000
const isMissing = !existsSync(FILE)

const openEmpty = (): Promise<Cairn> => openCairn({ file: ':memory:', vectors: false })

/** The first works of the file, for what is slow. */
const SAMPLE = 200

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
let sample: Cairn | null = null
let report: ImportReport

beforeAll(async () => {
  library = await openEmpty()
  if (!isMissing) report = await library.import(FILE)
}, 120_000)
afterAll(() => Promise.all([library.close(), sample?.close()]))

async function openSample(): Promise<Cairn> {
  if (sample !== null) return sample
  sample = await openEmpty()
  await sample.import(writeSample(SAMPLE))
  return sample
}

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
    const some = await openSample()
    const works = await some.works.export()
    expect(works).toHaveLength(SAMPLE)
    const copy = join(temporaryFolder(), `copy.${format}`)
    writeFileSync(copy, (await some.works.write(format)).text)
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
