/** Searching on the page is tried as a person would do it. */

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openCairn } from '../../src/index.js'
import { temporaryFile } from '../support/library.js'
import type { Bench } from './bench.js'

const FIELD = '[data-search-field]'
const HITS = '[data-hit]'

const totalOf = async (page: Page): Promise<number> =>
  Number.parseInt(await page.locator('.summary strong').innerText(), 10)

export function searchCases(bench: () => Bench): void {
  test('each question is one step back, however many letters it has', async () => {
    const page = await bench().open('/')
    const field = page.locator(FIELD)
    for (const words of ['backup', 'PageRank']) {
      await field.fill('')
      await field.pressSequentially(words, { delay: 20 })
      await page
        .locator(HITS, { hasText: new RegExp(words, 'i') })
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
    }
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe('backup')
    await page
      .locator(HITS, { hasText: /backup/i })
      .first()
      .waitFor()
    expect(new URL(page.url()).search).toBe('?q=backup')
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe('')
    await page.locator('#newest').waitFor()
  })

  test('hits appear while typing goes on, one request at a time, without whole texts, and the address tells it', async () => {
    const page = await bench().open('/')
    let running = 0
    let most = 0
    let bodies = 0
    await page.route('**/api/search', async (route) => {
      most = Math.max(most, ++running)
      const response = await route.fetch()
      running--
      const { hits } = (await response.json()) as { hits: { record: { body?: string } }[] }
      bodies += hits.filter(({ record }) => record.body !== undefined).length
      await route.fulfill({ response }).catch(() => undefined)
    })
    const words = 'release day'
    const typing = page.locator(FIELD).pressSequentially(words, { delay: 90 })
    await page.locator(HITS).first().waitFor()
    expect((await page.locator(FIELD).inputValue()).length).toBeLessThan(words.length)
    await typing
    await expect.poll(() => page.url()).toContain('q=release+day')
    expect({ most, bodies }).toEqual({ most: 1, bodies: 0 })
    await page.locator(HITS, { hasText: 'Release day moved' }).waitFor()
    expect(await page.locator(`${HITS} mark`).first().innerText()).toBe('Release')
    expect(await page.locator('.match').first().innerText()).toContain('keyword + semantic')
    expect(await page.locator('[aria-live] strong').innerText()).toMatch(/^\d+ records$/)
  })

  test('an answer that comes late does not take the place of a newer one', async () => {
    const page = await bench().open('/')
    let isOldAnswered = false
    let answerOld = (): void => {}
    const wait = new Promise<void>((resolve) => {
      answerOld = resolve
    })
    await page.route('**/api/search', async (route) => {
      const isOld = route.request().postData()?.includes('"query":"release"') === true
      if (isOld) await wait
      await route.continue()
      isOldAnswered ||= isOld
    })
    await page.locator(FIELD).fill('release')
    await page.locator(FIELD).fill('PageRank')
    await page.locator(HITS, { hasText: 'PageRank' }).first().waitFor()
    const old = page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('"query":"release"'),
    )
    answerOld()
    await (await old).finished()
    await expect.poll(() => isOldAnswered).toBe(true)
    expect(await page.locator(HITS).first().innerText()).toContain('PageRank')
  })

  test('why a hit is there is told as a sum that is its score', async () => {
    const page = await bench().open('/?q=release+day')
    await page.locator('.why-button').first().click()
    const terms = await page.locator('.why .term > b').allInnerTexts()
    const sum = Number(await page.locator('.why .sum').innerText())
    expect(terms.length).toBeGreaterThan(1)
    const added = terms.reduce((all, term) => all + Number(term), 0)
    expect(Math.abs(added - sum)).toBeLessThanOrEqual(0.0005 * (terms.length + 1))
    const shown = await page.locator('.score-number').first().innerText()
    expect(sum).toBeCloseTo(Number(shown.replace('score', '')), 1)
  })

  test('a facet narrows to exactly its count, and can be taken away again', async () => {
    const page = await bench().open('/?q=release+day')
    const all = await totalOf(page)
    const value = page.locator('.facet-value', { hasText: 'decision' })
    const count = Number(await value.locator('.facet-count').innerText())
    await value.click()
    await expect.poll(() => totalOf(page)).toBe(count)
    expect(page.url()).toContain('tag=decision')
    await page.locator('.chip', { hasText: 'decision' }).click()
    await expect.poll(() => totalOf(page)).toBe(all)
    await page.goBack()
    await expect.poll(() => totalOf(page)).toBe(count)
  })

  test('a stretch of time is that in which things happened, as the hits show it', async () => {
    const page = await bench().open('/?q=release&since=2026-07-01&until=2026-07-31')
    await page.locator(HITS).first().waitFor()
    const days = await page
      .locator('.hit time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
    expect(days.length).toBeGreaterThan(0)
    expect(days.filter((day) => !day.startsWith('2026-07'))).toEqual([])
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-07-01')
  })

  test('a typing mistake is named in every mode, and what was meant is one press away', async () => {
    for (const mode of ['hybrid', 'semantic', 'keyword']) {
      const page = await bench().open(`/?q=relase+day&mode=${mode}`)
      await page.locator('.suggestion', { hasText: 'release' }).waitFor()
    }
    const page = await bench().open('/?q=relase&mode=keyword')
    expect(await page.locator('.missing').innerText()).toBe('relase')
    await page.locator('.suggestion').first().click()
    await page.locator(`${HITS} mark, .hit-text mark`).first().waitFor()
    expect(await page.locator(FIELD).inputValue()).not.toBe('relase')
  })

  test('hits say who and where, and their snippets are plain text', async () => {
    const intro = 'Ropes are checked in spring. '.repeat(30)
    const body = `# Boats\n\n${intro}\n\n## Moorings\n\nThe **wherry** lies at [pier 7](pier.md). ${intro}`
    await bench().cairn.add({ body, title: 'Boats', metadata: { path: 'harbour/boats.md' } })
    const page = await bench().open('/?q=wherry&mode=keyword')
    await page.locator('.hit-who', { hasText: /harbour\/boats\.md:\d.*Moorings/ }).waitFor()
    expect(await page.locator('.hit-text').innerText()).toContain('The wherry lies at pier 7.')
    const say = async (query: string, who: RegExp) => {
      await page.locator(FIELD).fill(query)
      await page.locator('.hit-who', { hasText: who }).first().waitFor()
    }
    await say('attention is all you need', /Ashish Vaswani, .* et al\..*NIPS/)
    await say('releases slipped by a day', /Amara Okafor.*Three of our last five/)
  })

  test('what was superseded says so, and leads to what took its place', async () => {
    const page = await bench().open('/?q=release+day&superseded=1')
    await page.locator('.hit-superseded .superseded a').first().click()
    await page.locator('h1', { hasText: 'Release day moved' }).waitFor()
  })

  test('more hits are added below, none twice, and back shows everything as it was', async () => {
    const page = await bench().open('/?q=the+work&mode=keyword&kind=work')
    await page.locator('.more').click()
    await expect.poll(() => page.locator(HITS).count()).toBeGreaterThan(20)
    const ids = await page.locator(HITS).evaluateAll((links) => links.map((a) => a.dataset.hit))
    expect(new Set(ids).size).toBe(ids.length)

    await page.locator('.why-button').nth(22).click()
    await page.locator('.why').waitFor()
    await page.locator(HITS).nth(24).scrollIntoViewIfNeeded()
    await page.waitForTimeout(150)
    const scrolled = await page.evaluate(() => scrollY)
    expect(scrolled).toBeGreaterThan(1000)
    await page.locator(HITS).nth(24).click()
    await page.locator('.record-head').waitFor()
    await page.goBack()
    await expect.poll(() => page.locator(HITS).count()).toBe(ids.length)
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrolled)
    expect(await page.locator('.hit').nth(22).locator('.why').count()).toBe(1)
  })

  test('the field keeps the query on every view, and Tab soon reaches the first hit', async () => {
    const page = await bench().open('/?q=release+day')
    await page.locator(HITS).first().waitFor()
    await page.locator(FIELD).focus()
    const isAtHit = () => page.evaluate(() => document.activeElement?.matches('[data-hit]'))
    let presses = 0
    while (!(await isAtHit()) && presses < 8) {
      presses++
      const isSkip = await page.evaluate(() => document.activeElement?.matches('a[href="#hits"]'))
      await page.keyboard.press(isSkip ? 'Enter' : 'Tab')
    }
    expect(await isAtHit()).toBe(true)
    await page.keyboard.press('Enter')
    await page.locator('.record-head').waitFor()
    await page.keyboard.press('/')
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('release day')
    await page.keyboard.press('End')
    await page.keyboard.type(' moved')
    await page.waitForURL('**/?q=release+day+moved')
    await page.locator(HITS).first().waitFor()
    expect(await page.locator(FIELD).inputValue()).toBe('release day moved')
  })

  test('hits are put in order by date or title, and what is only listed has no score', async () => {
    const page = await bench().open('/?q=release&mode=keyword')
    await page.locator('.score').first().waitFor()
    const days = () =>
      page
        .locator('.hit time')
        .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
    for (const sort of ['newest', 'oldest']) {
      await page.getByLabel('Sort').selectOption(sort)
      await expect.poll(() => page.url()).toContain(`sort=${sort}`)
      await expect
        .poll(async () => {
          const shown = await days()
          const inOrder = shown.toSorted()
          return (
            shown.length > 1 && `${shown}` === `${sort === 'oldest' ? inOrder : inOrder.reverse()}`
          )
        })
        .toBe(true)
    }
    await page.reload()
    await page.locator(HITS).first().waitFor()
    expect(await page.getByLabel('Sort').inputValue()).toBe('oldest')

    const listed = await bench().open('/?tag=decision')
    await listed.locator(HITS).first().waitFor()
    expect(await listed.locator('.score').count()).toBe(0)
    expect(await listed.locator('.why-button').count()).toBe(0)
  })

  test('a lens and a mode are chosen, and reloading keeps them', async () => {
    const page = await bench().open('/?q=release+day')
    await page.getByText('Semantic', { exact: true }).click()
    await page.getByLabel('Ranking').selectOption('memory')
    await expect.poll(() => page.url()).toContain('lens=memory')
    await page.reload()
    await page.locator(HITS).first().waitFor()
    expect(await page.getByLabel('Ranking').inputValue()).toBe('memory')
    expect(await page.locator('.match').first().innerText()).toBe('semantic')
  })

  test('an answer from keywords alone says why', async () => {
    const cairn = await openCairn({ file: temporaryFile(), vectors: false })
    await cairn.add({ body: 'We deploy on Thursdays.' })
    const url = await bench().serve(cairn)
    const page = await bench().open(`${url}/?q=deploy`)
    await page.locator('.degraded', { hasText: 'Keyword matches only' }).waitFor()
    expect(await page.locator(HITS).count()).toBe(1)
    await bench().shoot('degraded')
    await cairn.close()
  })

  test('a server that is gone is named, and asking again brings the answer', async () => {
    const page = await bench().open('/?q=release+day')
    await page.locator(HITS).first().waitFor()
    await page.context().setOffline(true)
    await page.locator(FIELD).fill('backup')
    await page.getByRole('alert').getByText('does not answer').waitFor()
    await bench().shoot('server-gone')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    expect(await page.locator(HITS).first().innerText()).toMatch(/backup/i)
  })

  test('everything can be done with the keyboard', async () => {
    const page = await bench().open('/?q=release+day')
    await page.locator(HITS).nth(1).waitFor()
    await page.locator('body').click({ position: { x: 5, y: 300 } })
    await page.keyboard.press('/')
    expect(await page.locator(FIELD).evaluate((field) => field === document.activeElement)).toBe(
      true,
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const second = await page.locator(HITS).nth(1).getAttribute('data-hit')
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.hit)
    expect(await focused()).toBe(second)
    await page.keyboard.press('w')
    await page.locator('.why').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/record/${second}?*`)
    await page.locator('h1').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/?q=release+day')
    await expect.poll(focused).toBe(second)
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('move among the hits').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    // The dialog is out of sight a moment before it is closed, and until then keys are its own.
    const pressed = async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('t')
      return new URL(page.url()).pathname
    }
    await expect.poll(pressed, { timeout: 10_000 }).toBe('/timeline')
  })
}
