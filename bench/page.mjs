/** Measures the web page in Chromium: hits while typing, and a long text opened at its passage. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { labelOf, median, summarise } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const PROGRAM = fileURLToPath(new URL('../dist/cairn.cjs', import.meta.url))
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** A quick typist. */
const KEY_MS = 90
const BAR_TYPING_MS = 250
const BAR_OPENING_MS = 200
const TEXT_CHARS = 400_000

const FULL = { size: 10_000, words: 30, visits: 15 }
const QUICK = { size: 2000, words: 5, visits: 3 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const { size, words, visits } = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const file = join(folder, 'page.cairn')
    say(`adding ${size} records`)
    const corpus = createCorpus()
    const { cairn } = await loadFile(file, corpus.records(size))
    await cairn.add({ title: 'A long walk', kind: 'document', body: longText(), metadata: WALK })
    await cairn.close()
    const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
      env: { ...process.env, CAIRN_DB: file },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { chromium } = await import('playwright-core')
    const browser = await chromium.launch({
      executablePath: process.env.CAIRN_BROWSER ?? BROWSERS.find((path) => existsSync(path)),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
    try {
      const url = await findAddress(server)
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
      say('typing')
      const typed = corpus.lemmas.filter((word) => word.length >= 5).slice(0, words)
      const typing = await measureTyping(page, url, typed)
      say('opening')
      const opening = await measureOpening(page, url, visits)
      return {
        name: 'page',
        cases: [
          toCase(`first hits after the second key, ${labelOf(size)}`, typing, BAR_TYPING_MS),
          toCase('a text of 400 kB at its passage', opening, BAR_OPENING_MS),
        ],
      }
    } finally {
      await browser.close()
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  })
}

const toCase = (name, samples, barMs) => ({
  case: name,
  ours: summarise(samples),
  peer: null,
  ratio: null,
  bar: { says: `median below ${barMs} ms`, met: median(samples) < barMs },
  metrics: {},
})

const WALK = { path: 'walk.md' }
const WORD = 'zanzibar'

function longText() {
  const parts = []
  for (let chars = 0, i = 0; chars < TEXT_CHARS; i++) {
    const lines = [
      `## Chapter ${i}`,
      `The caravan went over the pass and counted ${i} stones. `.repeat(20),
      '- one item\n- another with `code` and [a link](https://example.org)',
      '| stone | weight |\n| --- | --- |\n| first | 2 kg |',
      i === 150 ? `Here the ${WORD} lantern was lit.` : '```js\nconst stones = [1, 2, 3]\n```',
    ]
    parts.push(lines.join('\n\n'))
    chars += parts.at(-1).length
  }
  return parts.join('\n\n')
}

/** From the second key to the first hits on the screen. */
async function measureTyping(page, url, words) {
  const samples = []
  for (const word of words) {
    await page.goto(url)
    await page.locator('.record-line').first().waitFor()
    const waited = page.evaluate(waitForHits)
    await page.keyboard.type(word, { delay: KEY_MS })
    samples.push(await waited)
  }
  return samples.slice(1)
}

/** Runs in the page. */
function waitForHits() {
  return new Promise((resolve) => {
    let keys = 0
    let second = 0
    addEventListener('keydown', () => {
      if (++keys === 2) second = performance.now()
    })
    const look = () => {
      const isThere = document.querySelector('[data-hit]') !== null
      if (isThere && second > 0) resolve(performance.now() - second)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}

/** From the click on the hit to the marked word in the window. */
async function measureOpening(page, url, visits) {
  const samples = []
  for (let visit = 0; visit <= visits; visit++) {
    await page.goto(`${url}/?q=${WORD}`)
    await page.locator('[data-hit]').first().waitFor()
    await page.waitForTimeout(300)
    samples.push(await page.evaluate(openHit))
  }
  return samples.slice(1)
}

/** Runs in the page. */
function openHit() {
  return new Promise((resolve) => {
    const start = performance.now()
    document.querySelector('[data-hit]').click()
    const look = () => {
      const { top = -1 } = document.querySelector('.body mark')?.getBoundingClientRect() ?? {}
      if (top > 0 && top < innerHeight) resolve(performance.now() - start)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}

/** What the server says of itself once it listens. */
function findAddress({ stdout, stderr }) {
  return new Promise((resolve) => {
    for (const stream of [stdout, stderr]) {
      stream.on('data', (text) => {
        const found = /http:\/\/\S+/.exec(String(text))?.[0]
        if (found !== undefined) resolve(found)
      })
    }
  })
}
