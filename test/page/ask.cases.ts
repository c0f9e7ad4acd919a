/** Asking on the page is tried as a person would do it, with a language model on this machine. */

import { expect, onTestFinished, test } from 'vitest'
import { type OpenOptions, openCairn } from '../../src/index.js'
import { type Behaviour, serveChat } from '../support/chat-server.js'
import { temporaryFile } from '../support/library.js'
import type { Bench } from './bench.js'

const FIELD = '[data-search-field]'

async function openLibrary(llm: OpenOptions['llm']) {
  const cairn = await openCairn({ file: temporaryFile(), ...(llm && { llm }) })
  onTestFinished(() => cairn.close())
  await cairn.add({ title: 'Release day', body: 'We deploy on Thursdays, never before a holiday.' })
  return cairn
}

export function askCases(bench: () => Bench): void {
  const open = async (...replies: readonly Behaviour[]) => {
    const chat = await serveChat(({ schema, isStream }) =>
      schema !== undefined && !isStream ? '{"queries":["deploy weekday"]}' : (replies[0] ?? ''),
    )
    const url = await bench().serve(await openLibrary(chat.ollama))
    const page = await bench().open(`${url}/?q=when+do+we+deploy`)
    const answer = page.locator('.answer')
    const ask = page.getByRole('button', { name: 'Ask', exact: true })
    return { chat, page, answer, ask }
  }

  test('a question is answered above the hits when a person presses Ask, and not before', async () => {
    const { chat, page, answer, ask } = await open(
      'You deploy on Thursdays [1]. Everybody loves it. <img src=x onerror="window.harmed = true">![x](http://evil.example/x.png) is shown [7].',
    )
    await page.locator('[data-hit]').first().waitFor()
    await ask.waitFor()
    expect(chat.asked).toHaveLength(0)
    await ask.click()
    await answer.locator('.sources').waitFor()
    const [first = ''] = await answer.locator('.sentence').allInnerTexts()
    expect(first.trim()).toBe('You deploy on Thursdays [1].')
    expect(await answer.locator('.problem').allInnerTexts()).toEqual([
      'no source',
      'cites a source that was not given',
    ])
    expect(await answer.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
    expect(await answer.innerText()).toContain('Also searched: deploy weekday')
    await bench().shoot('ask')
    // Typing takes the answer away, and asks nothing.
    const count = chat.asked.length
    await page.locator(FIELD).fill('when do we deploy it')
    await answer.waitFor({ state: 'detached' })
    await page.locator(FIELD).fill('when do we deploy')
    await ask.click()
    await answer.getByRole('link', { name: '1', exact: true }).click()
    await expect.poll(() => page.url()).toContain('/record/')
    expect(chat.asked.length).toBeGreaterThan(count)
  })

  test('what nothing supports is not in the library, and a model that is down is told', async () => {
    const none = await open('NOT IN THE PASSAGES')
    await none.ask.click()
    await none.answer.locator('.answer-none', { hasText: 'Not in your library.' }).waitFor()
    const down = await open({ status: 401 })
    await down.ask.click()
    await down.answer.locator('.degraded', { hasText: 'does not answer' }).waitFor()
    expect(await down.answer.innerText()).toContain('status 401')
  })

  test('without a language model there is no button', async () => {
    const url = await bench().serve(await openLibrary(undefined))
    const page = await bench().open('/')
    const models = page.waitForResponse('**/api/models')
    await page.goto(`${url}/?q=deploy`)
    await models
    await page.locator('[data-hit]').first().waitFor()
    expect(await page.getByRole('button', { name: 'Ask', exact: true }).count()).toBe(0)
  })
}
