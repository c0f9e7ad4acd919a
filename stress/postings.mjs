/** The lists of the index rank as FTS5 does, over as many tables as there is time for. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'

export const about = 'tables of any texts are ranked by the lists of the index and by FTS5 itself'
export const seconds = 60
export const tell = ({ tables }) => `${tables} tables, every answer as FTS5 gives it`

const TEST = 'src/storage/sqlite/postings/fuzz.test.ts'
const TABLES_PER_SECOND = 15
/** On a slow machine the tables take so many times as long as was wanted, and no more. */
const TIMES_TOO_LONG = 20

/** The test of the suite with other seeds and more tables. */
export function run({ seconds: lasting, seed, problem }) {
  if (!existsSync(TEST)) return { skipped: `there is no ${TEST} here` }
  const tables = Math.ceil(lasting * TABLES_PER_SECOND)
  // A report of this run must not take the place of the suite's, and it lasts longer than a test may.
  const options = ['--reporter=dot', `--testTimeout=${Math.ceil(lasting * TIMES_TOO_LONG * 1000)}`]
  const { status, stdout } = spawnSync('npx', ['vitest', 'run', TEST, ...options], {
    encoding: 'utf8',
    env: { ...process.env, STRESS_TABLES: `${tables}`, STRESS_SEED: `${seed % 100_000}` },
  })
  if (status !== 0) problem(stdout.slice(-1500))
  return { tables }
}
