// Builds dist/: the command as one script that starts quickly, the library as bundled modules, the page, and the types beside them.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { build } from 'esbuild'
import { buildCommand } from './build-command.mjs'
import { buildPage } from './build-page.mjs'
import { writePieces } from './build-pieces.mjs'
import { writeWasm } from './build-wasm.mjs'
import { writeOptions } from './generate-options.mjs'

rmSync('dist', { recursive: true, force: true })

await writeWasm()
await writeOptions()
await writePieces()

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
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
    '@langchain/core',
    'pg',
    'ai',
  ],
}

// The SDK's JSON Schema validator is for questions to the person, which we never ask; it is a quarter of the start.
const sdk = './dist/mcp-sdk.mjs'
await build({
  ...shared,
  format: 'esm',
  entryPoints: ['scripts/mcp-sdk.mjs'],
  outfile: sdk,
  alias: { '@modelcontextprotocol/server/_shims': './scripts/mcp-shims.mjs' },
})
const alias = { '@modelcontextprotocol/server': sdk, '@modelcontextprotocol/server/stdio': sdk }
await buildLibrary()
await buildCommand(shared, alias)
rmSync(sdk)
await buildPage()

const types = spawnSync('npx', ['tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
process.exit(types.status ?? 1)

async function buildLibrary() {
  await build({
    ...shared,
    format: 'esm',
    // Node shows the line that threw an error nobody caught.
    lineLimit: 200,
    entryPoints: {
      index: 'src/index.ts',
      mcp: 'src/mcp/main.ts',
      http: 'src/http/server.ts',
      'embedding-worker': 'src/embedding/embedding-worker.ts',
      langchain: 'src/langchain.ts',
      'ai-sdk': 'src/ai-sdk.ts',
    },
    outdir: 'dist',
    splitting: true,
    alias,
    chunkNames: 'chunks/[name]-[hash]',
  })
}
