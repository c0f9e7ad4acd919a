/** Writes docs/benchmarks.md, docs/benchmarks and the charts from results.json alone. */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writePages } from './page.mjs'
import { readResults } from './results.mjs'

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
export const IMAGES = join('images', 'bench')

/** Returns the written files, as paths within docs/. */
export function drawPages(docs = DOCS, results = readResults()) {
  const { pages, images } = writePages(results, '../images/bench')
  const folder = join(docs, IMAGES)
  for (const name of [folder, join(docs, 'benchmarks')]) mkdirSync(name, { recursive: true })
  for (const name of readdirSync(folder)) if (!(name in images)) rmSync(join(folder, name))
  for (const [name, svg] of Object.entries(images)) writeFileSync(join(folder, name), svg)
  for (const [name, page] of Object.entries(pages)) writeFileSync(join(docs, name), page)
  return [...Object.keys(pages), ...Object.keys(images).map((name) => join(IMAGES, name))]
}
