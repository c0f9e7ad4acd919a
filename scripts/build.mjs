// Builds dist/: the command and the library as a few bundled modules that start quickly, and the types beside them.

import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { buildWasm } from './build-wasm.mjs'

rmSync('dist', { recursive: true, force: true })

// Written only where it changed: a file that is always new would make the test report look old.
const kernels = await buildWasm()
const target = 'src/vectors/kernels.wasm.ts'
if (readFileSync(target, 'utf8') !== kernels) writeFileSync(target, kernels)

await build({
  entryPoints: { index: 'src/index.ts', cairn: 'src/interfaces/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Native, optional, large or no modules (yaml): found by Node where npm put them.
  external: ['better-sqlite3', 'onnxruntime-node', '@huggingface/tokenizers', 'unpdf', 'yaml'],
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: 'chunks/[name]-[hash]',
  legalComments: 'none',
})
chmodSync('dist/cairn.js', 0o755)

const types = spawnSync('npx', ['tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
process.exit(types.status ?? 1)
