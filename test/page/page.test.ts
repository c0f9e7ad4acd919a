/** Promise: the page is tried in a real browser against a real server; without a browser that is said. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, browserPath, openBench } from './bench.js'
import { lookCases } from './looks.cases.js'
import { recordCases } from './record.cases.js'
import { searchCases } from './search.cases.js'
import { viewCases } from './views.cases.js'

const isSkipped = browserPath === null && !process.env.CI

test.runIf(browserPath === null)(
  'the page is not tried: there is no Chromium here (install chromium, or name one in CAIRN_BROWSER)',
  ({ skip }) => {
    if (isSkipped) skip()
    expect(browserPath, 'under CI a browser has to be there').not.toBeNull()
  },
)

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
  describe('a record', () => recordCases(bench))
  describe('the other views', () => viewCases(bench))
  describe('looks', () => lookCases(bench))
})
