// Builds dist/: the command and the library as a few bundled modules that start quickly, the page, and the types beside them.

import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { buildPage } from './build-page.mjs'
import { writeWasm } from './build-wasm.mjs'
import { writeOptions } from './generate-options.mjs'

rmSync('dist', { recursive: true, force: true })

await writeWasm()
await writeOptions()

const shared = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
}

// The SDK's JSON Schema validator is for questions to the person, which we never ask; it is a quarter of the start.
const sdk = './dist/mcp-sdk.mjs'
await build({
  ...shared,
  entryPoints: ['scripts/mcp-sdk.mjs'],
  outfile: sdk,
  alias: { '@modelcontextprotocol/server/_shims': './scripts/mcp-shims.mjs' },
})

await build({
  ...shared,
  entryPoints: {
    index: 'src/index.ts',
    cairn: 'src/cli/main.ts',
    mcp: 'src/mcp/main.ts',
    http: 'src/http/server.ts',
    'embedding-worker': 'src/embedding/embedding-worker.ts',
  },
  outdir: 'dist',
  splitting: true,
  // Native, optional, large or no modules (yaml, busboy): found by Node where npm put them.
  external: [
    'better-sqlite3',
    'onnxruntime-node',
    '@huggingface/tokenizers',
    'unpdf',
    'yaml',
    'ignore',
    'htmlparser2',
    'yauzl',
    '@fastify/busboy',
    'citeproc',
  ],
  alias: { '@modelcontextprotocol/server': sdk, '@modelcontextprotocol/server/stdio': sdk },
  chunkNames: 'chunks/[name]-[hash]',
})
rmSync(sdk)
chmodSync('dist/cairn.js', 0o755)
await buildPage()

const types = spawnSync('npx', ['tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
process.exit(types.status ?? 1)
