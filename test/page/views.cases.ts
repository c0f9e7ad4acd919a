/** Adding, importing, the timeline, the graph and the plots are tried with real files and real numbers. */

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { NO_DETAILS } from '../../src/core/work.js'
import { openCairn } from '../../src/index.js'
import { temporaryFile } from '../support/library.js'
import type { Bench } from './bench.js'

const FILES = {
  'stones.bib': `@article{stones1,\n title={On the balance of stones},\n author={Stone, Ada},\n year={2001}\n}\n@article{stones2,\n year={2002}\n}\n`,
  'walk.md': '# A walk\n\nFollow the cairns down to the hut.\n',
} as const

/** Lets go of files over the page, as a hand does. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const transfer = await page.evaluateHandle((contents) => {
    const made = new DataTransfer()
    for (const [name, text] of Object.entries(contents)) made.items.add(new File([text], name))
    return made
  }, files)
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
}

export function viewCases(bench: () => Bench): void {
  test('a record is added, and what says nearly the same is named', async () => {
    const page = await bench().open('/add')
    const form = page.locator('form.card')
    const write = async (text: string): Promise<void> => {
      await form.getByLabel('Text', { exact: true }).fill(text)
      await form.getByRole('button', { name: 'Add' }).click()
    }
    await write('The pump in the cellar listens on port 7421 every night.')
    await page.locator('.outcome', { hasText: 'Added as' }).waitFor()
    await write('The pump in the cellar listens on port 7422 every night.')
    await page.locator('.outcome', { hasText: '7421 → 7422' }).waitFor()
    expect(await page.locator('.near del').innerText()).toBe('7421')
  })

  test('dropped files are first looked at, then imported, and what is skipped has a reason', async () => {
    const page = await bench().open('/add')
    await page.getByLabel(/Dry run first/).check()
    await drop(page, FILES)
    await page.locator('.report', { hasText: 'nothing was written' }).first().waitFor()
    const count = async () =>
      (
        await bench().cairn.search('balance of stones', {
          kinds: 'work',
          mode: 'keyword',
          match: 'all',
        })
      ).hits.length
    expect(await count()).toBe(0)

    await page.getByRole('button', { name: /Import 2 files now/ }).click()
    const report = page.locator('.report', { hasText: 'stones.bib' })
    await report.getByText('new work').waitFor()
    await report.locator('.skipped', { hasText: 'stones2' }).waitFor()
    expect(await count()).toBe(1)
    await bench().shoot('import')

    await page.getByLabel(/Dry run first/).uncheck()
    await drop(page, FILES)
    await page.locator('.report', { hasText: 'walk.md' }).getByText('unchanged').waitFor()
  })

  test('files dropped on any view have a line each, and one press shows what arrived', async () => {
    const page = await bench().open('/sessions')
    await page.locator('.session').first().waitFor()
    await drop(page, {
      'broken.bin': '\u0000\u0001\u0002',
      'empty.md': '',
      'ridge.dat': 'The ridge path is closed after rain.',
      'hut.md': '# The hut\n\nThe key of the hut hangs under the third stone.\n',
    })
    const line = (name: string) => page.locator('.tray .report', { hasText: name })
    await line('broken.bin').getByText('no kind that can be imported').waitFor()
    // Another view does not end it.
    await page.getByRole('link', { name: 'Timeline', exact: true }).click()
    await line('empty.md').locator('.report-failure', { hasText: 'is empty' }).waitFor()
    await line('hut.md').getByText('1 created').waitFor()
    await page.locator('.tray', { hasText: '2 of 4 failed' }).waitFor()
    await line('broken.bin').getByLabel('Import it as').selectOption('text')
    await line('broken.bin').locator('.skipped', { hasText: 'It is not text.' }).waitFor()
    await bench().shoot('tray')
    await page.getByRole('link', { name: 'Show what arrived' }).click()
    await page.locator('.hit', { hasText: 'ridge path' }).waitFor()
    await page.locator('.hit', { hasText: 'The hut' }).first().waitFor()
    // The clock of the header counts seconds, and the test before may have added something.
    expect(await page.locator('.hit').count()).toBeLessThan(10)
    await page.getByRole('button', { name: 'Close the imports' }).click()
    expect(await page.locator('.tray').count()).toBe(0)
  })

  test('every plot has the same numbers as a table', async () => {
    const page = await bench().open('/stats')
    const table = page.locator('.plot', { hasText: 'Salience now' }).locator('table')
    await table.waitFor({ state: 'attached' })
    const cells = await table.locator('td:last-child').allTextContents()
    const { salience } = await bench().cairn.overview({})
    expect(cells.map((cell) => Number(cell.replaceAll(',', '')))).toEqual(
      salience.filter((value) => value > 0),
    )
  })

  test('a session shows every record it touched', async () => {
    const page = await bench().open('/sessions')
    await page.locator('a[href*="s09-release-day"]').first().click()
    await page.locator('.record-line', { hasText: 'Release day moved' }).waitFor()
  })

  test('the list beside the graph lights its node and opens it', async () => {
    const page = await bench().open('/graph?from=vaswani2017attention')
    const links = page.locator('.graph-list a')
    await links.nth(1).waitFor()
    await links.nth(0).focus()
    await page.keyboard.press('Tab')
    expect(await links.nth(1).evaluate((link) => link === document.activeElement)).toBe(true)
    expect(await links.nth(1).getAttribute('class')).toContain('is-lit')
    const title = await links.nth(1).locator('bdi').innerText()
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: title }).waitFor()
  })

  test('a click on a work in the graph opens it', async () => {
    // Alone in its file, a work lies in the middle.
    const alone = await openCairn({ file: temporaryFile(), vectors: false })
    const work = { ...NO_DETAILS, title: 'PageRank', abstract: null, tags: [], references: [] }
    await alone.works.import([work])
    const page = await bench().open(`${await bench().serve(alone)}/graph?from=PageRank`)
    await page.locator('.graph-summary', { hasText: '1 work and no citations' }).waitFor()
    const canvas = page.locator('canvas')
    await canvas.hover()
    await expect.poll(() => canvas.evaluate((node) => node.style.cursor)).toBe('pointer')
    await canvas.click()
    await page.locator('h1', { hasText: 'PageRank' }).waitFor()
    await alone.close()
  })

  test('what is recalled in a session is plotted by day', async () => {
    const page = await bench().open('/stats')
    const plot = page.locator('.plot', { hasText: 'Recalls by day' })
    const cells = plot.locator('tbody td:last-child')
    await cells.first().waitFor({ state: 'attached' })
    const recalled = await cells.allTextContents()
    const { recalls } = await bench().cairn.overview({})
    expect(recalls.length).toBeGreaterThan(0)
    expect(recalled.map(Number)).toEqual(recalls.map(({ count }) => count))
  })
}
