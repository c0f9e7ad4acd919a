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
  /** Opens what is closed at first. */
  readonly prepare?: (page: Page) => Promise<void>
}

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click()

const VIEWS: readonly View[] = [
  { name: 'start', address: () => '/', ready: '.record-line' },
  {
    name: 'search',
    address: () => '/?q=release+day&superseded=1&tag=release',
    ready: '[data-hit]',
    prepare: async (page) => {
      await page.locator('.why-button').first().click()
      await page.getByLabel('Select all').check()
      await press('Tag')(page)
    },
  },
  { name: 'nothing', address: () => '/?q=tag%3Azzyx', ready: '.nothing' },
  {
    name: 'record',
    address: (b) => `/record/${b.ids.get('note-release-day-thursday')}`,
    ready: '.around',
    prepare: press('More'),
  },
  {
    name: 'work',
    address: (b) => `/record/${b.ids.get('vaswani2017attention') ?? 'vaswani2017attention'}`,
    ready: '.block',
    prepare: press('Edit details'),
  },
  { name: 'timeline', address: () => '/timeline?tag=release', ready: '.entry' },
  { name: 'years', address: () => '/timeline?zoom=year', ready: '.periods' },
  { name: 'sessions', address: () => '/sessions', ready: '.session' },
  { name: 'session', address: () => '/sessions/s09-release-day', ready: '.record-line' },
  { name: 'graph', address: () => '/graph?from=vaswani2017attention', ready: '.graph-list a' },
  { name: 'graph start', address: () => '/graph', ready: '.beginnings' },
  { name: 'statistics', address: () => '/stats', ready: '.plot' },
  { name: 'settings', address: () => '/settings', ready: '.details' },
  { name: 'add', address: () => '/add', ready: 'form.card' },
]

/** Colours alone change with the theme, and all of it is tried at both widths. */
const LOOKS = [
  { width: 1280, height: 860, colorScheme: 'light', isWhole: true },
  { width: 1280, height: 860, colorScheme: 'dark', isWhole: false },
  { width: 390, height: 844, colorScheme: 'dark', isWhole: true },
] as const
const NARROWEST = { width: 360, height: 740 }

const OF_COLOUR = ['color-contrast', 'link-in-text-block']

async function violations(page: Page, only: readonly string[] | null): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const { axe: checker } = window as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const found = await checker.run({
      ...{ resultTypes: ['violations'], preload: false, iframes: false },
      ...(rules !== null && { runOnly: { type: 'rule', values: rules } }),
    })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  }, only)
}

export function lookCases(bench: () => Bench): void {
  test.each(VIEWS)('$name: axe finds nothing, at both widths and in both themes', async (view) => {
    const page = await bench().open(view.address(bench()))
    await page.locator(view.ready).first().waitFor()
    await view.prepare?.(page)
    // Through the debugger: the page itself lets nothing in that is not its own.
    await page.evaluate(axe)
    for (const { width, height, colorScheme, isWhole } of LOOKS) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      await bench().shoot(`${view.name}-${width}-${colorScheme}`)
      const found = await violations(page, isWhole ? null : OF_COLOUR)
      expect(found, `${width} ${colorScheme}`).toEqual([])
    }
    await page.setViewportSize(NARROWEST)
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(over, 'scrolls sideways').toBeLessThanOrEqual(0)
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
