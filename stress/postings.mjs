/** Promise: the lists of the index rank as FTS5 does, over as many tables as there is time for. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'

export const about = 'tables of any texts are ranked by the lists of the index and by FTS5 itself'
export const seconds = 60

const TEST = 'src/storage/sqlite/postings/fuzz.test.ts'
const TABLES_PER_SECOND = 15

/** The test of the suite with other seeds and more tables. */
export function run({ seconds: lasting, seed, problem }) {
  if (!existsSync(TEST)) return { skipped: `there is no ${TEST} here` }
  const tables = Math.ceil(lasting * TABLES_PER_SECOND)
  const { status, stdout } = spawnSync('npx', ['vitest', 'run', TEST], {
    encoding: 'utf8',
    env: { ...process.env, STRESS_TABLES: `${tables}`, STRESS_SEED: `${seed % 100_000}` },
  })
  if (status !== 0) problem(stdout.slice(-1500))
  return { tables }
}
