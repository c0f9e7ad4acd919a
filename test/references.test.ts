/** References in a style, and exports of what a search finds, as people and programs ask for them. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CITATION_STYLES } from '../src/core/work.js'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFolder } from './support/library.js'
import { jsonOf, terminal } from './support/terminal.js'
import { people, work } from './support/works.js'

const CSL = `<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Own</title><id>own</id><updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation><layout prefix="{" suffix="}"><names variable="author"><name form="short"/></names></layout></citation>
  <bibliography><sort><key variable="title"/></sort><layout>
    <names variable="author"><name/></names>
    <text variable="title" prefix=": " quotes="true"/>
    <group prefix=" (" suffix=")"><number variable="edition" form="ordinal"/><text term="edition" form="short" prefix=" "/></group>
  </layout></bibliography>
</style>`

async function openWithWorks() {
  const folder = temporaryFolder()
  const file = join(folder, 'works.cairn')
  const cairn = await libraryOf([{ body: 'a note on cairns and stones' }], { file })
  await cairn.works.import([
    work('On Stones', {
      type: 'book',
      authors: people('Ada Stone'),
      year: 2019,
      citationKey: 'stone',
      edition: '2',
    }),
    work('On *Cairns*', {
      type: 'book',
      authors: people('Bo Berg'),
      year: 2001,
      citationKey: 'berg',
      tags: ['old'],
    }),
    work('Ranking ferries', { authors: people('Cy Dale'), year: 2005, citationKey: 'dale' }),
  ])
  return { cairn, folder, run: terminal(file) }
}

test('cite and export take every style; unknown ones are named', async () => {
  const { cairn, run } = await openWithWorks()
  for (const style of CITATION_STYLES) {
    const [reference] = await cairn.works.cite(['stone'], style)
    expect(reference?.text, style).toContain('On Stones')
    const { code, out } = await run('export', '--style', style)
    expect({ style, code, works: out.match(/On Stones|Cairns|ferries/g)?.length }).toEqual({
      style,
      code: 0,
      works: 3,
    })
  }
  expect((await run('cite', 'stone', 'berg', '--style', 'apa')).out).toBe(
    'Stone, A. (2019). On Stones (2nd ed.).\nBerg, B. (2001). On *Cairns*.\n',
  )
  expect((await run('cite', 'stone', '--style', 'apa', '--in-text')).out).toBe('(Stone, 2019)\n')
  // By name, not by when they came in.
  expect((await run('export', '--style', 'apa')).out).toMatch(/^Berg.*\nDale.*\nStone.*\n$/)
  const markdown = await run('export', '--style', 'apa', '--format', 'markdown')
  expect(markdown.out).toContain('*On \\*Cairns\\**')
  const poem = await run('cite', 'stone', '--style', 'poem')
  expect(poem.err).toContain('There is no style "poem". There are plain, bibtex, apa')
  expect((await run('export', '--style', 'apa', '--format', 'ris')).code).toBe(2)
})

test('a CSL style file, over HTTP its text', async () => {
  const { cairn, folder, run } = await openWithWorks()
  const file = join(folder, 'own.csl')
  writeFileSync(file, CSL)
  const cited = await run('cite', 'stone', '--style', file)
  expect(cited).toMatchObject({ code: 0, out: 'Ada Stone: “On Stones” (2nd ed.)\n' })
  expect((await run('cite', 'stone', '--style', file, '--in-text')).out).toBe('{Stone}\n')
  expect((await run('export', '--style', file)).out).toMatch(/Berg.*\n.*Stone.*\n.*Dale/)
  const { send } = await serve([], { cairn })
  const body = { ids: ['stone', 'berg'], style: CSL }
  const { json } = await send('/api/works/cite', { body })
  expect(json.references.map(({ inText }: { inText: string }) => inText)).toEqual([
    '{Stone}',
    '{Berg}',
  ])
  const paths = await send('/api/works/cite', { body: { ids: ['stone'], style: file } })
  expect(paths.json.error.message).toContain('There is no style')
  const wrong = await send('/api/works/cite', { body: { ids: ['stone'], style: '<style/>' } })
  expect(wrong.json.error.code).toBe('bad_input')
  const found = await talkTo(cairn).call('explore', { id: 'stone', relation: 'citations' })
  expect(found.isError).toBe(false)
})

test('the result of a search is exported, best first, with any filter', async () => {
  const { cairn, run } = await openWithWorks()
  const json = jsonOf(run)
  expect(await json('export', '--query', 'stones', '--mode', 'x').catch(() => null)).toBeNull()
  const found = await json<{ works: number; text: string }>('export', '--query', 'title:stones')
  expect(found).toMatchObject({ works: 1, format: 'bibtex' })
  expect(found.text).toContain('{stone,')
  const all = await json<{ works: number }>(
    'export',
    '--query',
    'on',
    '--tag',
    'old',
    '--format',
    'csl',
  )
  expect(all.works).toBe(1)
  const one = await json<{ works: number }>('export', '--query', 'cairns stones ferries', '-n', '2')
  expect(one.works).toBe(2)
  const { send } = await serve([], { cairn })
  const path = '/api/works/export?query=ferries&years=2005&style=ieee'
  expect((await send(path)).json.text).toContain('[1] C. Dale, “Ranking ferries,”')
})

test('BibTeX keeps the braces that protect capitals, until the title is edited', async () => {
  const cairn = await libraryOf([])
  const source =
    '@article{k,\n  title = {{BERT}: Pre-training of {D}eep {\\"U}bungen},\n  year = {2019},\n}\n'
  const file = join(temporaryFolder(), 'k.bib')
  writeFileSync(file, source)
  await cairn.import(file)
  expect((await cairn.works.get('k'))?.work.title).toBe('BERT: Pre-training of Deep Übungen')
  expect((await cairn.works.write('bibtex')).text).toBe(source)
  await cairn.edit('k', { title: 'BERT again' })
  expect((await cairn.works.write('bibtex')).text).toContain('title = {BERT again}')
})
