/**
 * The engines that benchmarks compare, each a module with `name`, `fill(path, records, embedder)`, which stores the records
 * at a path, and `open(path, embedder)`, which gives `search(text, namespace)` and `close()`.
 * `mostRecords` is how many it takes in bearable time.
 *
 * Those that the project does not need itself take 280 MB, so they are installed when a benchmark first needs them.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../.engines/', import.meta.url))
const MANIFEST = join(FOLDER, 'package.json')
const PACKAGES = {
  '@lancedb/lancedb': '0.39.0',
  '@orama/orama': '3.1.18',
  '@zvec/zvec': '0.7.0',
  minisearch: '7.2.0',
}
export const LIMIT = 10
/** How many results of each index are fused. */
export const DEPTH = 100

/** The file in this folder is named after the engine; `cairn` is one of them. */
export const PEERS = ['sqlite-vec', 'lancedb', 'zvec', 'orama', 'minisearch', 'pglite']

export const loadEngine = (name) => import(new URL(`${name}.mjs`, import.meta.url).href)

/** A package of `PACKAGES`, from the folder that they are installed into. */
export const requirePeer = createRequire(MANIFEST)

/** False where they cannot be installed. */
export function installPeers(say) {
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES })
  const isThere = existsSync(join(FOLDER, 'node_modules'))
  if (isThere && readFileSync(MANIFEST, 'utf8') === manifest) return true
  say(`installing ${Object.keys(PACKAGES).join(', ')} into ${FOLDER}`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(MANIFEST, manifest)
  try {
    const options = { cwd: FOLDER, stdio: 'ignore', shell: process.platform === 'win32' }
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], options)
    return true
  } catch (error) {
    say(`other engines are left out: ${error.message.split('\n')[0]}`)
    return false
  }
}

/** Rows for engines that take the type of a column from its values: an empty title instead of none, and all text in one column. */
export function toRows(records, embedder) {
  const texts = records.map(({ title, body }) => (title ? `${title}\n${body}` : body))
  const vectors = embedder.embedSync(texts)
  return records.map(({ title, body, namespace }, i) => {
    return { title: title ?? '', body, namespace, text: texts[i], vector: vectors[i] }
  })
}
