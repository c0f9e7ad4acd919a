/** Every view can be used by everybody: in both themes, on a phone, without a mouse and without eyes. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Bench } from './bench.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type View = {
  readonly name: string
  readonly address: (bench: Bench) => string
  readonly ready: string
}

const VIEWS: readonly View[] = [
  { name: 'start', address: () => '/', ready: '.record-line' },
  {
    name: 'search',
    address: () => '/?q=release+day&superseded=1&tag=release',
    ready: '[data-hit]',
  },
  { name: 'nothing', address: () => '/?q=tag%3Azzyx', ready: '.nothing' },
  {
    name: 'record',
    address: (b) => `/record/${b.ids.get('note-release-day-thursday')}`,
    ready: '.around',
  },
  { name: 'timeline', address: () => '/timeline?since=2026-06-01', ready: '.entry' },
  { name: 'sessions', address: () => '/sessions', ready: '.session' },
  { name: 'graph', address: () => '/graph?from=vaswani2017attention', ready: '.graph-list a' },
  { name: 'statistics', address: () => '/stats', ready: '.plot' },
  { name: 'add', address: () => '/add', ready: '.drop' },
]

const SHOWN_ON_A_PHONE = new Set(['search', 'record', 'graph'])

async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  // Through the debugger: the page itself lets nothing in that is not its own.
  await page.evaluate(axe)
  return page.evaluate(async (only) => {
    const { axe: checker } = window as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: { id: string; impact: string; nodes: { html: string }[] }[]
        }>
      }
    }
    const found = await checker.run({
      resultTypes: ['violations'],
      ...(only !== null && { runOnly: { type: 'rule', values: only } }),
    })
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  }, rules)
}

export function lookCases(bench: () => Bench): void {
  test.each(VIEWS)('$name has no serious fault of access, in light and in dark', async (view) => {
    const page = await bench().open(view.address(bench()))
    await page.locator(view.ready).first().waitFor()
    if (view.name === 'search') await page.locator('.why-button').first().click()
    await bench().shoot(`${view.name}-light`)
    expect(await violations(page, null)).toEqual([])
    await page.getByRole('button', { name: 'Dark colours' }).click()
    await bench().shoot(`${view.name}-dark`)
    expect(await violations(page, ['color-contrast', 'link-in-text-block'])).toEqual([])
  })

  test.each(VIEWS)('$name fits on a phone without scrolling sideways', async (view) => {
    const page = await bench().open(view.address(bench()), { isPhone: true })
    await page.locator(view.ready).first().waitFor()
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(over).toBeLessThanOrEqual(0)
    if (SHOWN_ON_A_PHONE.has(view.name)) await bench().shoot(`${view.name}-phone`)
  })

  test('colours are those of the system until one switches, and that is remembered', async () => {
    const page = await bench().open('/', { colours: 'dark' })
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    expect(await theme()).toBe('dark')
    await page.getByRole('button', { name: 'Light colours' }).click()
    expect(await theme()).toBe('light')
    await page.reload()
    expect(await theme()).toBe('light')
  })

  test('the browser had nothing to refuse and the page no fault', () => {
    expect(bench().complaints).toEqual([])
  })
}
