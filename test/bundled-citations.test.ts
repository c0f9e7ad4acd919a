/** Readers that load a package at first use find it in the bundle too. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import type { FORMATS } from '../src/literature/formats.js'

test('BibTeX is read in a bundle, from a chunk that the start does not load', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bundle-'))
  try {
    const { outputFiles } = await build({
      entryPoints: ['src/literature/formats.ts'],
      absWorkingDir: join(import.meta.dirname, '..'),
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outExtension: { '.js': '.mjs' },
      write: false,
    })
    expect(outputFiles.length).toBeGreaterThan(1)
    for (const { path, contents } of outputFiles) writeFileSync(path, contents)
    const bundle = pathToFileURL(join(folder, 'formats.mjs')).href
    const { FORMATS: formats } = (await import(/* @vite-ignore */ bundle)) as {
      FORMATS: typeof FORMATS
    }
    const read = await formats.bibtex.read?.('@book{k, title = {On {W}alls}}')
    expect(read?.works.map(({ work }) => work.title)).toEqual(['On Walls'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
