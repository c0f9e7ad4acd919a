/** The committed WebAssembly modules equal the build of their sources in `wasm/`. */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const SCRIPT = new URL('../../scripts/build-wasm.mjs', import.meta.url).href
const SOURCES = new URL('../../wasm/', import.meta.url)

type Built = { readonly target: string; readonly text: string }

test('every committed module equals the build of its source', async () => {
  const { buildWasm } = (await import(SCRIPT)) as { buildWasm(): Promise<readonly Built[]> }
  const built = await buildWasm()
  expect(built.length).toBe(readdirSync(SOURCES).length)
  for (const { target, text } of built) expect(readFileSync(target, 'utf8')).toBe(text)
})
