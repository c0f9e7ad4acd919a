/** A PDF belongs to its work, whichever of them comes first: one hit with pages, and right after every change. */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { libraryOf, temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { paragraphs, writePdf } from '../import/pdf/pdf-writer.fixture.js'
import type { Cairn } from '../index.js'

const BIB = `@article{lind2019, title = {Tides of the northern harbours}, author = {Lind, Mara and Ode, Ben},
  year = 2019, journal = {Journal of Seas}, doi = {10.1000/tides}, abstract = {We measure tides.}}
@article{stone2020, title = {Cairns along the ridge}, author = {Stone, Ada}, year = 2020}
@article{hill2021, title = {Editorial}, author = {Hill, Ann}, year = 2021}`

const page = (lines: readonly string[]) => paragraphs(['', ...lines])
const withDoi = (text = 'The moon raises the water twice a day.') =>
  writePdf({
    pages: [
      page(['Something else on top', '', 'doi:10.1000/TIDES', '', 'It begins here.']),
      page([text]),
    ],
  })
const byTitle = writePdf({
  pages: [
    [
      { text: 'Cairns along', y: 700, size: 18 },
      { text: 'the Ridge', y: 680, size: 18 },
      ...paragraphs(['Someone Unknown', '', 'Walkers pile granite where paths divide.'], 12, 640),
    ],
  ],
})
const OTHER = writePdf({
  pages: [
    page([
      'Boats of the delta',
      '',
      'Editorial',
      '',
      'We build on tides of the northern harbours.',
    ]),
  ],
})

async function library(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = join(temporaryFolder(), 'papers')
  mkdirSync(folder)
  const write = (name: string, content: string | Uint8Array): void =>
    writeFileSync(join(folder, name), content)
  for (const [name, content] of Object.entries(files)) write(name, content)
  const cairn = await libraryOf([])
  return { folder, write, cairn, report: await cairn.import(folder) }
}

const find = async (cairn: Cairn, query: string) => {
  const { hits } = await cairn.search(query, { mode: 'keyword', match: 'all' })
  return hits.map(({ kind, title, pages, identity }) => ({
    kind,
    title,
    pages,
    path: identity.path,
  }))
}
const TIDES = { kind: 'work', title: 'Tides of the northern harbours' }

test.each([
  ['before', { 'a.bib': BIB, 'b.pdf': withDoi(), 'c.pdf': byTitle, 'd.pdf': OTHER }],
  ['after', { 'b.pdf': withDoi(), 'c.pdf': byTitle, 'd.pdf': OTHER, 'z.bib': BIB }],
])(
  'a PDF is one hit with its work, by DOI or by title, where the works come %s it',
  async (_, files) => {
    const { cairn, folder, report } = await library(files)
    expect(report.works).toMatchObject({ created: 3 })
    expect(await find(cairn, 'moon raises')).toEqual([
      { ...TIDES, pages: { first: 2, last: 2 }, path: 'b.pdf' },
    ])
    expect(await find(cairn, 'measure tides')).toMatchObject([TIDES])
    expect(await find(cairn, 'granite')).toMatchObject([
      { kind: 'work', title: 'Cairns along the ridge', pages: { first: 1, last: 1 } },
    ])
    // A title within a sentence, and a heading with the title of another work, do not make it that work.
    expect(await find(cairn, 'delta')).toMatchObject([
      { kind: 'document', title: 'Boats of the delta' },
    ])
    expect((await cairn.stats()).records).toMatchObject({ work: 3, document: 1 })
    expect(await cairn.import(folder)).toMatchObject({ created: 0, updated: 0, deleted: 0 })
    expect(await cairn.findFile('lind2019')).toMatchObject({ path: join(folder, 'b.pdf') })
    const [work] = await cairn.works.export(['lind2019'])
    expect(work).toMatchObject({ abstract: 'We measure tides.', year: 2019 })
    expect((await cairn.works.write('bibtex', ['lind2019'])).text).not.toContain('moon')
    expect((await cairn.doctor()).ok).toBe(true)
  },
)

test('works that are added without a file find their PDFs too, and several PDFs of one work stay one hit', async () => {
  const { cairn } = await library({
    'a.pdf': withDoi(),
    'b.pdf': withDoi('A supplement about gauges.'),
  })
  const { records } = await cairn.list()
  await cairn.links.add({
    from: records[0]?.id ?? '',
    to: records[1]?.id ?? '',
    type: 'RELATED_TO',
  })
  const work = { title: 'Tides', doi: 'https://doi.org/10.1000/tides', authors: [] }
  await cairn.works.import([work as never])
  expect(await find(cairn, 'moon')).toMatchObject([{ kind: 'work', title: 'Tides', path: 'a.pdf' }])
  expect(await find(cairn, 'gauges')).toMatchObject([{ kind: 'work', title: 'Tides' }])
  expect((await cairn.stats()).records).toMatchObject({ work: 1 })
  // The first of them has become the work: whoever knew its id finds the work.
  expect((await cairn.get(records.map(({ id }) => id))).records.map(({ kind }) => kind)).toContain(
    'work',
  )
})

test('a work that is changed while its text is embedded keeps the change, and gets the text', async () => {
  const file = temporaryFile()
  let isChanged = false
  const embedder = {
    id: 'words@1',
    dimensions: 2,
    embed: async (texts: readonly string[]) => {
      if (!isChanged && texts.some((text) => text.includes('moon'))) {
        isChanged = true
        await other.edit('10.1000/tides', { work: { venue: 'Journal of Seas' } })
      }
      return texts.map(() => [1, 0])
    },
  }
  const cairn = await libraryOf([], { file, embedder })
  const other = await libraryOf([], { file })
  await cairn.works.import([{ title: 'Tides', doi: '10.1000/tides', authors: [] } as never])
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.pdf'), withDoi())
  expect(await cairn.import(folder)).toMatchObject({ attached: 1 })
  const [record] = (await cairn.get(['10.1000/tides'])).records
  expect({ isChanged, venue: record?.work?.venue }).toEqual({
    isChanged: true,
    venue: 'Journal of Seas',
  })
  expect(record?.body).toContain('moon')
})

test('the text follows the file: changed, moved, gone and back again', async () => {
  const { cairn, folder, write } = await library({ 'a.bib': BIB, 'b.pdf': withDoi() })
  write('b.pdf', withDoi('Now the sun raises the water.'))
  expect(await cairn.import(folder)).toMatchObject({ updated: 1, created: 0 })
  expect(await find(cairn, 'sun raises')).toMatchObject([
    { ...TIDES, pages: { first: 2, last: 2 } },
  ])
  expect(await find(cairn, 'moon raises')).toEqual([])
  // Another paper under the same name.
  write('b.pdf', byTitle)
  await cairn.import(folder)
  expect(await find(cairn, 'granite')).toMatchObject([{ title: 'Cairns along the ridge' }])
  expect(await find(cairn, 'sun raises')).toEqual([])
  expect((await cairn.get(['lind2019', 'stone2020'])).records).toMatchObject([
    { supersededAt: null, body: 'We measure tides.' },
    { supersededAt: null },
  ])
  write('b.pdf', withDoi('Now the sun raises the water.'))
  await cairn.import(folder)
  renameSync(join(folder, 'b.pdf'), join(folder, 'moved.pdf'))
  await cairn.import(folder)
  expect(await find(cairn, 'sun raises')).toMatchObject([{ ...TIDES, path: 'moved.pdf' }])
  rmSync(join(folder, 'moved.pdf'))
  expect(await cairn.import(folder)).toMatchObject({ deleted: 1 })
  expect(await find(cairn, 'sun raises')).toEqual([])
  const [record] = (await cairn.get(['lind2019'])).records
  expect(record).toMatchObject({ body: 'We measure tides.', metadata: {} })
  write('b.pdf', withDoi())
  await cairn.import(folder)
  expect(await find(cairn, 'moon raises')).toMatchObject([TIDES])
})

test('of two copies of a PDF one may go, and the text is back with the next import', async () => {
  const { cairn, folder } = await library({ 'a.bib': BIB, 'b.pdf': withDoi(), 'c.pdf': withDoi() })
  expect((await cairn.get(['lind2019'])).records[0]?.body.match(/moon/g)).toHaveLength(1)
  rmSync(join(folder, 'c.pdf'))
  await cairn.import(folder)
  await cairn.import(folder)
  expect(await find(cairn, 'moon raises')).toMatchObject([{ ...TIDES, path: 'b.pdf' }])
})

test('edits, undo, deletion and a new abstract leave text and pages right', async () => {
  const { cairn, folder, write } = await library({ 'a.bib': BIB, 'b.pdf': withDoi() })
  await cairn.edit('lind2019', {
    work: { abstract: 'A much longer abstract about gauges and piers.' },
  })
  expect(await find(cairn, 'piers')).toMatchObject([TIDES])
  expect(await find(cairn, 'moon raises')).toMatchObject([
    { ...TIDES, pages: { first: 2, last: 2 } },
  ])
  await cairn.edit('lind2019', { body: 'Short.', metadata: { shelf: 4 } })
  expect(await find(cairn, 'moon raises')).toMatchObject([
    { ...TIDES, pages: { first: 2, last: 2 } },
  ])
  const [record] = (await cairn.get(['lind2019'])).records
  expect(record).toMatchObject({ metadata: { shelf: 4, path: 'b.pdf' } })
  expect(await cairn.works.export(['lind2019'])).toMatchObject([{ abstract: 'Short.' }])
  // A whole text that was read, changed at its beginning and written back.
  await cairn.edit('lind2019', { body: `Quite ${record?.body}` })
  expect(await cairn.works.export(['lind2019'])).toMatchObject([{ abstract: 'Quite Short.' }])
  await cairn.undo('lind2019')
  await cairn.undo('lind2019', 1)
  expect(await find(cairn, 'moon raises')).toEqual([])

  await cairn.delete(['lind2019'])
  write('b.pdf', withDoi('Another text.'))
  await cairn.import(folder)
  expect((await cairn.stats()).records).toMatchObject({ work: 2, document: 0 })
  await cairn.import(folder, { again: true })
  await cairn.import(folder)
  await cairn.purge(['lind2019'])
  expect(await find(cairn, 'another text')).toEqual([])
})

test('merged works have both texts, and an archive brings everything back', async () => {
  const double = '@misc{pre, title = {Tides of northern harbours, a preprint}, doi = {10.1000/pre}}'
  const pre = writePdf({ pages: [page(['doi:10.1000/pre', '', 'The draft had barnacles.'])] })
  const files = { 'a.bib': `${BIB}\n${double}`, 'b.pdf': withDoi(), 'c.pdf': pre }
  const { cairn, folder, write } = await library(files)
  await cairn.works.merge('lind2019', 'pre')
  expect(await find(cairn, 'moon')).toMatchObject([TIDES])
  expect(await find(cairn, 'barnacles')).toMatchObject([{ ...TIDES, pages: { first: 1, last: 1 } }])
  write('c.pdf', writePdf({ pages: [page(['doi:10.1000/pre', '', 'The draft had limpets.'])] }))
  await cairn.import(folder)
  expect(await find(cairn, 'limpets')).toMatchObject([{ ...TIDES, path: 'c.pdf' }])

  const lines: string[] = []
  for await (const line of cairn.exportAll()) lines.push(line)
  const copy = await libraryOf([])
  await copy.importAll(lines)
  expect(await find(copy, 'limpets')).toMatchObject([TIDES])
  rmSync(join(folder, 'c.pdf'))
  await copy.import(folder)
  expect(await find(copy, 'limpets')).toEqual([])
  expect(await find(copy, 'moon')).toMatchObject([{ ...TIDES, pages: { first: 2, last: 2 } }])
})

const PAPERS: readonly (readonly [title: string, text: string, question: string])[] = [
  [
    'Sediment in alpine lakes',
    'Cores show that glaciers dropped silt every spring since 1820.',
    'when did glaciers drop silt?',
  ],
  [
    'Ferries of the northern fjords',
    'Electric engines cut the diesel bill of the crossing by half.',
    'did electric engines make the crossing cheaper?',
  ],
  [
    'Moss on granite walls',
    'Shade and drizzle let moss cover a wall within four years.',
    'how fast does moss cover a wall?',
  ],
  [
    'Owls in city parks',
    'Street lamps attract voles, and owls hunt beside them at night.',
    'why do owls hunt near street lamps?',
  ],
  [
    'Bread with sour dough',
    'A loaf fermented for two days keeps fresh for a week.',
    'how long does a fermented loaf keep fresh?',
  ],
  [
    'Clocks of village churches',
    'The pendulum loses a minute in summer because brass expands.',
    'why is the pendulum slow in summer?',
  ],
  [
    'Nets of herring boats',
    'A wider mesh spares young fish and halves the catch of sprat.',
    'what does a wider mesh do for young fish?',
  ],
  [
    'Maps before surveyors',
    'Monks drew coast lines from the tales of sailors and pilgrims.',
    'where did monks get coast lines from?',
  ],
  [
    'Salt roads over the passes',
    'Mules carried forty kilos of salt, and tolls doubled its price.',
    'how much salt did a mule carry?',
  ],
  [
    'Bees and lavender fields',
    'Hives beside lavender gave more honey but paler wax.',
    'is the wax paler near lavender?',
  ],
  [
    'Roofs of slate and straw',
    'Straw burns, so towns ordered slate after the great fire.',
    'why did towns order slate?',
  ],
  [
    'Wells in limestone country',
    'Water sinks fast in limestone, and wells reach ninety metres.',
    'how deep are wells in limestone?',
  ],
]

test('twelve PDFs among hundreds of works without a text are found by their texts, with a work or without', async () => {
  const words = PAPERS.flatMap(([title]) => title.split(' '))
  const bare = Array.from({ length: 400 }, (_, i) => {
    const pick = (step: number) => words[(i * step + step) % words.length]
    return `@misc{t${i}, title = {${pick(7)} ${pick(11)} and ${pick(13)} number ${i}}, year = 2001}`
  })
  const known = PAPERS.slice(0, 6).map(
    ([title], i) => `@misc{p${i}, title = {${title}}, year = 2010}`,
  )
  const pdfs = PAPERS.map(([title, text], i) => [
    `p${i}.pdf`,
    writePdf({ pages: [page([title, '', 'Each part is about something else.']), page([text])] }),
  ])
  const bib = [...bare, ...known].join('\n')
  const { cairn } = await library({ ...Object.fromEntries(pdfs), 'refs.bib': bib })
  const ranks = await Promise.all(
    PAPERS.map(async ([title, , question]) => {
      const { hits } = await cairn.search(question)
      const found = hits.filter((hit) => hit.title === title)
      return {
        kind: found[0]?.kind,
        hits: found.length,
        page: found[0]?.pages?.first,
        isFirst: hits[0]?.title === title,
      }
    }),
  )
  const hit = { hits: 1, page: 2, isFirst: true }
  expect(ranks).toEqual(PAPERS.map((_, i) => ({ kind: i < 6 ? 'work' : 'document', ...hit })))
})
