/** Writes docs/benchmarks.md and its charts from results.json alone. */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writePage } from './page.mjs'
import { readResults } from './results.mjs'

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
export const PAGE = 'benchmarks.md'
export const IMAGES = join('images', 'bench')

/** Returns the written files, as paths within docs/. */
export function drawPage(docs = DOCS, results = readResults()) {
  const { page, images } = writePage(results, IMAGES.replaceAll('\\', '/'))
  const folder = join(docs, IMAGES)
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (!(name in images)) rmSync(join(folder, name))
  for (const [name, svg] of Object.entries(images)) writeFileSync(join(folder, name), svg)
  writeFileSync(join(docs, PAGE), page)
  return [PAGE, ...Object.keys(images).map((name) => join(IMAGES, name))]
}
