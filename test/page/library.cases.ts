/** Filters, works, memory, time, the graph and the settings are tried as a person would do it. */

import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { NO_DETAILS } from '../../src/core/work.js'
import { writePdf } from '../../src/import/pdf/pdf-writer.fixture.js'
import { openCairn } from '../../src/index.js'
import { temporaryFile } from '../support/library.js'
import type { Bench } from './bench.js'

const HITS = '[data-hit]'

const totalOf = async (page: Page): Promise<number> =>
  Number.parseInt((await page.locator('.summary strong').innerText()).replace('No', '0'), 10)

const facet = (page: Page, title: string) =>
  page.locator('.facet', { has: page.getByRole('heading', { name: title, exact: true }) })

export function libraryCases(bench: () => Bench): void {
  test('choosing values of a facet keeps the others with their counts, and chips take them away', async () => {
    const page = await bench().open('/?q=release+day')
    const tags = facet(page, 'Tag').locator('.facet-value')
    await tags.first().waitFor()
    const all = await tags.allInnerTexts()
    await tags.filter({ hasText: 'decision' }).click()
    await page.locator('.chip', { hasText: 'decision' }).waitFor()
    expect(await tags.allInnerTexts()).toEqual(all)
    const one = await totalOf(page)
    await tags.first().click()
    await expect.poll(() => page.url()).toMatch(/tag=decision&tag=/)
    await expect.poll(() => totalOf(page)).toBeGreaterThan(one)
    await page.locator('.chip', { hasText: 'decision' }).click()
    await expect.poll(() => page.locator('.chips .chip').count()).toBe(1)
  })

  test('authors, venues, people and folders are facets, a value is found by typing, time by dragging', async () => {
    const { cairn } = bench()
    const files = ['notes/a.md', 'notes/b.md', 'notes/old/c.md', 'plan.md']
    await cairn.addMany(
      files.map((source, i) => ({
        body: `Gannets nest here, note ${i}.`,
        source,
        kind: 'document',
      })),
    )
    let page = await bench().open('/?q=gannets&mode=keyword')
    const folders = facet(page, 'Source').locator('.facet-value')
    await expect
      .poll(() => folders.allInnerTexts())
      .toEqual(['notes\n3', 'old\n1', 'Single files\n1'])
    await folders.first().click()
    await expect.poll(() => totalOf(page)).toBe(3)

    page = await bench().open('/?kind=work&project=papers')
    await facet(page, 'Journal or conference').locator('.facet-value').first().waitFor()
    const authors = facet(page, 'Author')
    await authors.getByRole('button', { name: /^Show \d+ more/ }).click()
    await authors.getByLabel('Find a value').fill('vaswani')
    await expect
      .poll(() => authors.locator('.facet-value').allInnerTexts())
      .toEqual(['Ashish Vaswani\n1'])
    await authors.locator('.facet-value').click()
    await expect.poll(() => totalOf(page)).toBe(1)

    page = await bench().open('/?q=release&project=team')
    await facet(page, 'Person').locator('.facet-value').first().waitFor()
    const bars = page.locator('.time-bars button')
    const before = await totalOf(page)
    await bars.nth(0).hover()
    await page.mouse.down()
    await bars.nth(1).hover()
    await page.mouse.up()
    await expect.poll(() => page.url()).toMatch(/since=2026-\d\d-01&until=2026-\d\d-3[01]/)
    await expect.poll(() => totalOf(page)).toBeLessThan(before)
    expect(await bars.count()).toBeGreaterThan(2)
  })

  test('a search is saved with its words and filters, and is there again from the menu', async () => {
    let page = await bench().open('/?q=release+day&tag=decision&sort=newest')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.getByLabel('Name of this search').fill('What we decided')
    await page.getByRole('button', { name: 'Save this search' }).click()
    await page.locator('.menu-item', { hasText: 'What we decided' }).waitFor()
    page = await bench().open('/')
    await page.getByRole('button', { name: 'Saved searches' }).click()
    await page.locator('.menu-item', { hasText: 'What we decided' }).click()
    await page.locator(HITS).first().waitFor()
    expect(await page.locator('[data-search-field]').first().inputValue()).toBe('release day')
    await page.locator('.chip', { hasText: 'decision' }).waitFor()
    expect(await page.getByLabel('Sort').inputValue()).toBe('newest')
    await bench().cairn.lenses.remove('What-we-decided')
  })

  test('several hits are tagged, cited, exported and deleted at once', async () => {
    const { cairn } = bench()
    const titles = ['Puffins of the north', 'Puffins of the south']
    const works = titles.map((title) => ({
      ...NO_DETAILS,
      title,
      abstract: null,
      tags: [],
      references: [],
      year: 1999,
    }))
    await cairn.works.import(works, { namespace: 'birds' })
    const page = await bench().open('/?q=puffins&project=birds')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByLabel('Tag to add').fill('seabird')
    await page.getByRole('button', { name: 'Add the tag' }).click()
    await expect.poll(async () => (await cairn.list({ tags: 'seabird' })).records.length).toBe(2)

    await page.getByRole('button', { name: 'Copy references' }).click()
    await page.getByRole('button', { name: 'APA' }).click()
    await page.locator('.notice', { hasText: '2 references copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('(1999)')

    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Works as BibTeX' }).click(),
    ])
    expect(await readFile((await file.path()) ?? '', 'utf8')).toContain('Puffins of the south')

    await page.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => totalOf(page)).toBe(0)
    await page
      .locator('.notice', { hasText: 'deleted' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await expect.poll(() => totalOf(page)).toBe(2)
  })

  test('every detail of a work can be edited; its link, authors and reference are one press away', async () => {
    const { cairn } = bench()
    const author = { family: 'Auk', given: 'Ada' }
    const { outcomes } = await cairn.works.import(
      ['On cliffs', 'On ledges'].map((title) => ({
        ...{ ...NO_DETAILS, title, abstract: null, tags: [], references: [], authors: [author] },
        url: 'https://example.org/cliffs',
      })),
      { namespace: 'birds' },
    )
    const id = outcomes[0]?.id ?? ''
    const page = await bench().open(`/record/${id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Edit details' }).click()
    await page.getByLabel('Year').fill('1844')
    await page.getByLabel('Journal, book or conference').fill('The Cliff Review')
    await page.getByRole('textbox', { name: /^Authors/ }).fill('Auk, Ada\nGuillemot, Gus')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'The Cliff Review' }).waitFor()
    expect((await cairn.works.get(id))?.work).toMatchObject({
      ...{ year: 1844, venue: 'The Cliff Review', url: 'https://example.org/cliffs' },
      authors: [author, { family: 'Guillemot', given: 'Gus' }],
    })
    const link = page.getByRole('link', { name: 'https://example.org/cliffs' })
    expect(await link.getAttribute('href')).toBe('https://example.org/cliffs')
    // "Around it" is for what has a time, and a work has a year.
    expect(await page.locator('.around').count()).toBe(0)
    await page.getByLabel('Style').selectOption('mla')
    await page.getByRole('button', { name: 'Copy reference' }).click()
    await page.locator('.notice', { hasText: 'reference is copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Auk, Ada')
    await page.locator('.names a', { hasText: 'Ada Auk' }).first().click()
    await expect.poll(() => totalOf(page)).toBe(2)
  })

  test('citations are fetched on request alone, and what goes wrong is said', async () => {
    const work = await bench().cairn.works.get('vaswani2017attention')
    const page = await bench().open(`/record/${work?.record.id}`)
    let asked = 0
    await page.route('**/api/openalex/expand', (route) => {
      asked++
      return route.fulfill({
        status: 503,
        json: { error: { code: 'service_unavailable', message: 'OpenAlex does not answer.' } },
      })
    })
    const button = page.getByRole('button', { name: 'Fetch citations' })
    await button.waitFor()
    expect(asked).toBe(0)
    await button.click()
    await page.locator('.notice-trouble', { hasText: 'OpenAlex does not answer' }).waitFor()
  })

  test('the pages of a PDF open at the passage that was found, and a file that is gone is said', async () => {
    const { cairn } = bench()
    const folder = dirname(temporaryFile())
    // Longer than a snippet, so that the passage begins on its page.
    const pages = ['Ferries leave at dawn.', 'Lighthouses are lit at dusk.'].map((text) =>
      Array.from({ length: 24 }, (_, i) => ({ text: `${text} Line ${i}.`, y: 760 - 28 * i })),
    )
    const pdf = writePdf({ pages })
    await writeFile(join(folder, 'coast.pdf'), pdf)
    await cairn.import(join(folder, 'coast.pdf'))
    const page = await bench().open('/?q=lighthouses&kind=document')
    await page.locator('.hit-meta', { hasText: 'p. 2' }).waitFor()
    const [opened] = await Promise.all([
      page.context().waitForEvent('request', (request) => request.url().includes('/file')),
      page.locator('.hit-meta').getByRole('link', { name: 'p. 2' }).click(),
    ])
    expect(opened.url()).toMatch(/\/file(#page=2)?$/)
    await page.locator(HITS).first().click()
    await page.locator('.block', { hasText: 'The passage is on p. 2' }).waitFor()
    await rm(join(folder, 'coast.pdf'))
    await page.locator('.block').getByRole('link', { name: 'p. 1' }).click()
    await page.locator('.notice-trouble', { hasText: 'not on this machine' }).waitFor()
    // The viewer of the PDF would slow down what follows.
    const others = page
      .context()
      .pages()
      .filter((one) => one !== page)
    await Promise.all(others.map((one) => one.close()))
  })

  test('a memory is reinforced, linked and corrected from its view, and its words explain themselves', async () => {
    const { cairn } = bench()
    const { id } = await cairn.add({ body: 'The tide table hangs in the shed.' })
    const other = await cairn.add({ body: 'The shed is locked at night by the harbour master.' })
    const page = await bench().open(`/record/${id}`)
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('button', { name }).click()
    }
    await choose('Reinforce')
    await expect
      .poll(async () => (await cairn.get([id])).records[0]?.salience)
      .toBeGreaterThan(0.54)

    await choose('Link it')
    await page.getByLabel('Find the other record').fill('harbour master locked shed')
    await page.locator('.chooser .menu-item', { hasText: 'harbour master' }).click()
    await page.locator('.links a', { hasText: 'The shed is locked' }).waitFor()
    expect((await cairn.why(id)).links.map((link) => link.target)).toEqual([other.id])

    await page.locator('.term-word [tabindex]', { hasText: 'Salience' }).focus()
    await page.getByRole('tooltip').filter({ hasText: 'fades with time' }).waitFor()

    await choose('Correct it')
    await page.getByLabel('The corrected text').fill('The tide table hangs in the boathouse.')
    await page.getByRole('button', { name: 'Save the correction' }).click()
    await page.locator('.links', { hasText: 'supersedes' }).waitFor()
    expect((await cairn.why(id)).supersededBy?.text).toContain('boathouse')
  })

  test('sessions have titles and a state, and what was said has its time', async () => {
    const page = await bench().open('/sessions/s09-release-day')
    expect(await page.locator('h1').innerText()).toContain('Three of our last five releases')
    await page.locator('.label', { hasText: 'open' }).waitFor()
    expect(await page.locator('.what-was-said .record-line-aside').allInnerTexts()).toEqual([
      '14:00',
      '14:01',
      '14:10',
    ])
  })

  test('the timeline opens at today, newest first, and zooms from years to months to days', async () => {
    const { cairn } = bench()
    const old = {
      ...NO_DETAILS,
      title: 'Micrographia',
      year: 1665,
      abstract: null,
      tags: [],
      references: [],
    }
    await cairn.works.import([old], { namespace: 'old' })
    let page = await bench().open('/timeline?tag=planning')
    await page.locator('.run-head', { hasText: 'Ten sites' }).waitFor()
    const times = await page
      .locator('.entry time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
    expect(times.length).toBeGreaterThan(2)
    expect(times).toEqual(times.toSorted().reverse())
    page = await bench().open('/timeline')
    const first = await page.locator('.day h2').first().innerText()
    expect(first).toContain(String(new Date().getFullYear()))
    await page.getByRole('button', { name: 'Show older records' }).click()
    await page.getByText('Years', { exact: true }).click()
    const years = page.locator('.periods a')
    await years.filter({ hasText: '1665' }).waitFor()
    await years.filter({ hasText: '2026' }).first().click()
    await page.locator('.periods a', { hasText: 'June 2026' }).click()
    await page.locator('.day h2', { hasText: 'Monday, 1 June 2026' }).waitFor()
    await page.getByLabel('Kind').selectOption('work')
    await page.getByText('Years', { exact: true }).click()
    await expect.poll(() => page.url()).toContain('zoom=year')
    page = await bench().open('/timeline?kind=work&until=1700-01-01')
    expect(await page.locator('.day h2').innerText()).toBe('Published in 1665')
    expect(await page.locator('.entry time').count()).toBe(0)
  })

  test('the graph starts from works with citations, and joins others by meaning', async () => {
    let page = await bench().open('/graph')
    const starts = page.locator('.beginnings .record-line-aside')
    await starts.first().waitFor()
    const counts = (await starts.allInnerTexts()).map((text) => Number.parseInt(text, 10))
    expect(Math.min(...counts)).toBeGreaterThan(0)
    page = await bench().open('/graph?from=page1999pagerank')
    const summary = page.locator('.graph-summary', { hasText: 'near in meaning' })
    await summary.waitFor()
    expect(Number.parseInt(await summary.innerText(), 10)).toBeGreaterThan(5)
    await page.locator('.graph-legend', { hasText: 'Size' }).waitFor()
    await summary.getByRole('button', { name: 'Fetch citations' }).waitFor()
    for (const name of [await page.locator('h1').innerText(), await page.title()])
      expect(name).toContain('Graph')
  })

  test('settings show the model and the file, send a backup, check the file and set the colours', async () => {
    const page = await bench().open('/settings')
    await page.getByText(bench().cairn.file).waitFor()
    await page.getByText('cairn/static@').first().waitFor()
    await page.getByText('Dark', { exact: true }).click()
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('No damage was found.').waitFor()
    const [backup] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download a backup' }).click(),
    ])
    expect(backup.suggestedFilename()).toMatch(/\.cairn$/)
    await page.getByLabel('New records go to').selectOption('team')
    await page.locator('nav').getByRole('link', { name: 'Add' }).click()
    expect(await page.locator('form.card').getByLabel('Project').inputValue()).toBe('team')
  })

  test('an admin makes and revokes tokens in the settings, and a reader sees none', async () => {
    const cairn = await openCairn({ file: temporaryFile() })
    await cairn.addMany(
      ['a', 'b'].map((namespace) => ({ body: `a note of ${namespace}`, namespace })),
    )
    try {
      const url = await bench().serve(cairn)
      let page = await bench().open(`${url}/settings`)
      const tokens = page.locator('.tokens')
      await tokens.getByLabel('Name').fill('ada')
      await tokens.getByLabel('Projects').fill('b, a')
      await tokens.getByRole('button', { name: 'Add a token' }).click()
      const token = await tokens.locator('code').innerText()
      await tokens.getByText('b, a · expires').waitFor()
      expect((await fetch(`${url}/api/stats`)).status).toBe(401)
      await tokens.getByLabel('Name').fill('bo')
      await tokens.getByRole('button', { name: 'Add a token' }).click()
      await tokens.getByRole('button', { name: 'Revoke bo' }).click()
      await tokens.getByRole('button', { name: 'Revoke bo' }).waitFor({ state: 'detached' })
      expect((await cairn.tokens.list()).tokens.map(({ name }) => name)).toEqual(['ada'])
      await page.context().clearCookies()
      page = await bench().open(`${url}/settings?token=${token}`)
      await Promise.all([
        page.waitForEvent('load'),
        page.getByLabel('The page shows').selectOption('a'),
      ])
      await page.goto(`${url}/?q=note`)
      await page.locator('main', { hasText: 'note of a' }).waitFor()
      expect(await page.locator('main').innerText()).not.toContain('note of b')
      await page.goto(`${url}/settings`)
      await page.getByLabel('The page shows').waitFor()
      expect(await page.locator('.tokens').count()).toBe(0)
    } finally {
      await bench()
        .open('/')
        .then((page) => page.context().clearCookies())
      await cairn.close()
    }
  })

  test('an empty file offers the sample library in one press, and has no share of nothing', async () => {
    const empty = await openCairn({ file: temporaryFile() })
    try {
      const url = await bench().serve(empty)
      let page = await bench().open(`${url}/stats`)
      await page.locator('.coverage', { hasText: 'no records yet' }).waitFor()
      expect(await page.locator('main').innerText()).not.toContain('%')
      page = await bench().open(url)
      await page.getByRole('button', { name: 'Load the sample library' }).click()
      await page.locator('.record-line').first().waitFor()
      const { works, corrections, links } = await count(empty)
      expect([works, corrections]).toEqual([40, 6])
      expect(links).toBeGreaterThan(20)
    } finally {
      await empty.close()
    }
  })
}

async function count(cairn: Awaited<ReturnType<typeof openCairn>>) {
  const { records, superseded } = await cairn.stats()
  const { mostCited } = await cairn.overview()
  const links = mostCited.reduce((sum, { citations }) => sum + citations, 0)
  return { works: records.work, corrections: superseded, links }
}
