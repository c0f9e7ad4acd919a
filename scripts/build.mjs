// Builds dist/: the command as one script that starts quickly, the library as bundled modules, the page, and the types beside them.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { buildPage } from './build-page.mjs'
import { writeWasm } from './build-wasm.mjs'
import { writeOptions } from './generate-options.mjs'

rmSync('dist', { recursive: true, force: true })

await writeWasm()
await writeOptions()

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
const globalProcess = { 'node:process': './scripts/process.mjs' }
await buildLibrary()
await buildCommand()
rmSync(sdk)
await buildPage()

const types = spawnSync('npx', ['tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
process.exit(types.status ?? 1)

async function buildLibrary() {
  await build({
    ...shared,
    format: 'esm',
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

/** `cairn.cjs` runs `cairn-main.cjs`, which holds everything and runs what a command needs. */
async function buildCommand() {
  const main = 'dist/cairn-main.cjs'
  await build({
    ...shared,
    format: 'cjs',
    entryPoints: ['src/cli/main.ts'],
    outfile: main,
    alias: { ...alias, ...globalProcess },
    // In a script, `import()` works for nobody: packages are required, and one that is a module is bundled.
    supported: { 'dynamic-import': false },
    external: shared.external.filter((name) => name !== 'htmlparser2'),
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: {
      js: '(function(require,__filename){const importMetaUrl=require("node:url").pathToFileURL(__filename).href;',
    },
    footer: { js: '})' },
  })
  // Text of ASCII alone is read without decoding. esbuild escapes all but the characters in patterns.
  const escapeCharacter = (character) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const script = readFileSync(main, 'utf8').replace(/[^\0-\x7f]/g, escapeCharacter)
  writeFileSync(main, script)
  await build({
    ...shared,
    format: 'cjs',
    entryPoints: ['src/cli/start.ts'],
    outfile: 'dist/cairn.cjs',
    alias: globalProcess,
    banner: { js: '#!/usr/bin/env node' },
    define: {
      SCRIPT_HASH: JSON.stringify(createHash('sha256').update(script).digest('hex').slice(0, 16)),
    },
  })
  chmodSync('dist/cairn.cjs', 0o755)
}
