/** The page is tried in a real browser against a real server; without a browser that is said. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askCases } from './ask.cases.js'
import { type Bench, browserPath, openBench } from './bench.js'
import { libraryCases } from './library.cases.js'
import { lookCases } from './looks.cases.js'
import { recordCases } from './record.cases.js'
import { searchCases } from './search.cases.js'
import { viewCases } from './views.cases.js'

if (browserPath === null) {
  const MISSING = 'There is no Chromium on this machine'
  // What is skipped is counted, and its reason not told: so it is said here.
  process.stderr.write(
    `${MISSING}: the page is not tried. Install chromium, or name one in CAIRN_BROWSER.\n`,
  )
  test('the page is tried in a browser', ({ skip }) => {
    if (!process.env.CI) skip(`${MISSING}: the page was not tried.`)
    expect.fail(`${MISSING}, and under CI the page has to be tried.`)
  })
}

describe.skipIf(browserPath === null)('the page', () => {
  let opened: Bench | null = null
  const bench = (): Bench => {
    if (opened === null) throw new Error('the bench is not open')
    return opened
  }
  beforeAll(async () => {
    opened = await openBench()
  })
  afterAll(async () => {
    await opened?.close()
  })

  describe('search', () => searchCases(bench))
  describe('ask', () => askCases(bench))
  describe('a record', () => recordCases(bench))
  describe('the other views', () => viewCases(bench))
  describe('the library', () => libraryCases(bench))
  describe('looks', () => lookCases(bench))
})
