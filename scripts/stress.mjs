/**
 * Promise: what the test suite tries for seconds is tried for as long as is asked for.
 *
 *   npm run stress -- postings            a thousand tables with other seeds than the suite's
 *   npm run stress -- postings 5000 42    so many tables, from this seed on
 */

import { spawnSync } from 'node:child_process'
import process from 'node:process'

/** Each names its test file and the environment that makes it long. */
const STRESSES = {
  postings: ([tables = '1000', seed = String(Date.now() % 100_000)]) => ({
    file: 'src/storage/sqlite/postings/fuzz.test.ts',
    env: { STRESS_TABLES: tables, STRESS_SEED: seed },
  }),
}

const [name = '', ...args] = process.argv.slice(2)
const stress = STRESSES[name]
if (stress === undefined) {
  const known = Object.keys(STRESSES).join(', ')
  process.stderr.write(`There is no stress "${name}"; there are: ${known}.\n`)
  process.exitCode = 2
} else {
  const { file, env } = stress(args)
  process.stderr.write(`${file} with ${JSON.stringify(env)}\n`)
  const { status } = spawnSync('npx', ['vitest', 'run', file], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  process.exitCode = status ?? 1
}
