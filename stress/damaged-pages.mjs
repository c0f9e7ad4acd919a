/** One page of a file after the other is lost, and every operation is run on what is left. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

export const about = 'a page of a file is zeroed, and every operation is run on it'
export const seconds = 60
export const tell = ({ pages, damaged }) =>
  `${pages} pages lost, ${damaged} of them noticed; every operation answered or said that the file is damaged, and the rest was saved`

const TEST = 'test/damaged-pages.test.ts'
const PAGES_PER_SECOND = 2
/** On a slow machine the pages take so many times as long as was wanted, and no more. */
const TIMES_TOO_LONG = 20

/** The test of the suite with more pages, in another order. */
export function run({ seconds: lasting, seed, folder, problem }) {
  if (!existsSync(TEST)) return { skipped: `there is no ${TEST} here` }
  const pages = Math.ceil(lasting * PAGES_PER_SECOND)
  const report = join(folder, 'report.json')
  const { status, stdout, stderr } = spawnSync('npx', ['vitest', 'run', TEST, '--reporter=dot'], {
    encoding: 'utf8',
    timeout: Math.ceil(lasting * TIMES_TOO_LONG * 1000),
    env: {
      ...process.env,
      STRESS_PAGES: `${pages}`,
      STRESS_SEED: `${seed % 100_000}`,
      STRESS_REPORT: report,
    },
  })
  if (status === 0) return JSON.parse(readFileSync(report, 'utf8'))
  problem((stdout + stderr).slice(-1500))
  return { pages: 0, damaged: 0 }
}
