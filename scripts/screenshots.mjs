// Makes the pictures of the README and of docs/page.md: the sample library behind a real `cairn serve`, seen by a real browser.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { openCairn } from '../dist/index.js'
import { loadExamples } from './load-examples.mjs'

const ROOT = join(import.meta.dirname, '..')
const IMAGES = join(ROOT, 'docs/images')
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const LIGHT = { colours: 'light' }
const DARK = { colours: 'dark' }

const openHit = (words) => async (page) => {
  await page.locator('[data-hit]', { hasText: words }).first().click()
  await page.locator('.record-aside').waitFor()
  await page.waitForTimeout(400)
}

const PICTURES = [
  {
    ...{ name: 'search', address: '/?q=which+day+do+we+release%3F&tag=decision&tag=release' },
    ...{ ...LIGHT, ready: '[data-hit]' },
    prepare: (page) => page.locator('.why-button').first().click(),
  },
  {
    ...{ name: 'record', address: '/?q=restore+the+database+from+a+backup', ready: '[data-hit]' },
    ...{ ...LIGHT, prepare: openHit('Restoring the database') },
  },
  {
    ...{ name: 'work', address: '/?q=attention&kind=work', ready: '[data-hit]' },
    ...{ ...LIGHT, prepare: openHit('Attention Is All You Need') },
  },
  { name: 'timeline', address: '/timeline', ready: '.entry', ...LIGHT },
  { name: 'session', address: '/sessions/s09-release-day', ready: '.record-line', ...DARK },
  {
    ...{ name: 'graph', address: '/graph?from=language+models+that+retrieve', ...DARK },
    ...{ ready: '.graph-list a', prepare: (page) => page.waitForTimeout(500) },
  },
  { name: 'statistics', address: '/stats', ready: '.plot', ...LIGHT },
  { name: 'settings', address: '/settings', ready: '.details', ...DARK },
]

const browserPath = process.env.CAIRN_BROWSER ?? BROWSERS.find((path) => existsSync(path))
if (browserPath === undefined) {
  console.error('There is no Chromium: install chromium, or name one in CAIRN_BROWSER.')
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'cairn-pictures-'))
const file = join(folder, 'demo.cairn')
const cairn = await openCairn({ file })
await loadExamples(cairn)
await cairn.close()

const server = spawn(process.execPath, [join(ROOT, 'dist/cairn.cjs'), 'serve', '--port', '0'], {
  env: { ...process.env, CAIRN_DB: file },
})
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
})
try {
  const url = await addressOf(server)
  mkdirSync(IMAGES, { recursive: true })
  for (const { name, address, colours, ready, prepare } of PICTURES) {
    const page = await browser.newPage({
      viewport: { width: 1180, height: 720 },
      colorScheme: colours,
      reducedMotion: 'reduce',
    })
    await page.goto(url + address)
    await page.locator(ready).first().waitFor()
    await page.evaluate(() => document.fonts.ready)
    await page.locator('body').click({ position: { x: 4, y: 400 } })
    await prepare?.(page)
    await page.screenshot({ path: join(IMAGES, `${name}.png`) })
    await page.close()
    console.log(`docs/images/${name}.png`)
  }
} finally {
  await browser.close()
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** What the server says of itself once it listens. */
function addressOf({ stdout, stderr }) {
  return new Promise((resolve) => {
    for (const stream of [stdout, stderr]) {
      stream.on('data', (text) => {
        const found = /http:\/\/\S+/.exec(String(text))?.[0]
        if (found !== undefined) resolve(found)
      })
    }
  })
}
