/** One browser, one server and one file for all that is tried on the page. */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { NO_DETAILS } from '../../src/core/work.js'
import { startServer } from '../../src/http/server.js'
import { type Cairn, openCairn } from '../../src/index.js'

export const ROOT = join(import.meta.dirname, '../..')
export const PAGE = join(ROOT, 'dist/page')
const SHOTS = join(ROOT, 'test-results/screenshots')

const DESK = { width: 1280, height: 860 }
const PHONE = { width: 360, height: 740 }

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
const candidates = process.env.CAIRN_BROWSER === undefined ? BROWSERS : [process.env.CAIRN_BROWSER]
/** Null where there is none. */
export const browserPath = candidates.find((path) => existsSync(path)) ?? null

/** The name by which a record of the sample library is known. */
type Ids = ReadonlyMap<string, string>

export type Look = {
  readonly colours?: 'light' | 'dark'
  readonly isPhone?: boolean
  readonly isMoving?: boolean
}

export type Bench = {
  readonly cairn: Cairn
  readonly url: string
  readonly ids: Ids
  /** The one window, at an address, as new: what a visit before remembered is forgotten. */
  open(address: string, look?: Look): Promise<Page>
  /** The same page over another file. */
  serve(cairn: Cairn): Promise<string>
  /** What the browser refused, and faults of the page, of all tests so far. */
  readonly complaints: readonly string[]
  shoot(name: string): Promise<void>
  close(): Promise<void>
}

export async function openBench(): Promise<Bench> {
  if (!existsSync(join(PAGE, 'index.html'))) {
    throw new Error('The page is not built: run `npm run build` first.')
  }
  if (browserPath === null) throw new Error('There is no browser.')
  const { chromium } = await import('playwright-core')
  const folder = mkdtempSync(join(tmpdir(), 'cairn-page-'))
  mkdirSync(SHOTS, { recursive: true })
  const [browser, cairn] = await Promise.all([
    chromium.launch({
      executablePath: browserPath,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    }),
    openCairn({ file: join(folder, 'page.cairn') }),
  ])
  const ids = await fill(cairn)
  const servers = [await startServer({ cairn, port: 0, page: PAGE })]
  const url = servers[0]?.url ?? ''
  const complaints: string[] = []
  const context = await browser.newContext({ timezoneId: 'UTC' })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  listen(page, complaints)
  return {
    cairn,
    url,
    ids,
    complaints,
    open: async (address, { colours = 'light', isPhone = false, isMoving = false } = {}) => {
      await page.unrouteAll()
      await page.setViewportSize(isPhone ? PHONE : DESK)
      await page.emulateMedia({
        colorScheme: colours,
        reducedMotion: isMoving ? 'no-preference' : 'reduce',
      })
      if (page.url() !== 'about:blank') await page.evaluate(() => localStorage.clear())
      await page.goto(new URL(address, url).href)
      return page
    },
    serve: async (other) => {
      const server = await startServer({ cairn: other, port: 0, page: PAGE })
      servers.push(server)
      return server.url
    },
    shoot: async (name) => {
      if (process.env.SHOTS !== undefined)
        await page.screenshot({ path: join(SHOTS, `${name}.png`) })
    },
    close: async () => {
      await browser.close()
      await Promise.all(servers.map((server) => server.close()))
      await cairn.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A rule of the browser that was broken, or a fault of the page. */
function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (line) => {
    const text = line.text()
    if (/Content.Security.Policy|Refused to/i.test(text)) complaints.push(text)
  })
  page.on('dialog', async (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
}

type LoadExamples = (cairn: Cairn) => Promise<{ readonly idOf: Map<string, string> }>

/** The sample library, a record that means harm, and a graph as large as one may look at. */
async function fill(cairn: Cairn): Promise<Ids> {
  const script = pathToFileURL(join(ROOT, 'scripts/load-examples.mjs')).href
  const { loadExamples } = (await import(/* @vite-ignore */ script)) as {
    loadExamples: LoadExamples
  }
  const { idOf } = await loadExamples(cairn)
  const hostile = await cairn.add({
    title: HOSTILE.title,
    body: HOSTILE.body,
    tags: [HOSTILE.tag],
    people: ['<b>Mallory</b>'],
    source: 'javascript:alert(1)',
    metadata: { '<i>key</i>': '<img src=x onerror="window.harmed = true">' },
  })
  await cairn.sessions.start({ id: 'tour', namespace: 'team' })
  for (const query of ['release day', 'backup', 'connection pool']) {
    await cairn.search({ query, limit: 3, recallSession: 'tour' })
  }
  await cairn.works.import(manyWorks(), { namespace: 'graph' })
  return new Map([...idOf, ['hostile', hostile.id]])
}

export const HOSTILE = {
  title: '<script>window.harmed = true</script> \u202eevil',
  body: [
    '<img src=x onerror="window.harmed = true"> <svg onload="window.harmed = true">',
    '[click me](javascript:window.harmed=true) javascript:window.harmed=true',
    'abc \u202edesrever\u202c \u2067isolated',
  ].join('\n'),
  tag: '"><script>window.harmed=true</script>',
} as const

/** More than one page of hits. */
const MANY = 60

/** Works in which each cites earlier ones: the nearer to the first, the more often. */
function manyWorks() {
  return Array.from({ length: MANY }, (_, i) => ({
    ...NO_DETAILS,
    abstract: null,
    tags: [],
    title: `Work number ${i} on counted things`,
    citationKey: `many${i}`,
    year: 1980 + (i % 45),
    references:
      i === 0
        ? []
        : [...new Set([Math.floor(i / 9), Math.floor(i / 2), i - 1])].map((to) => `key:many${to}`),
  }))
}
