// Builds the command: `cairn.cjs` starts `cairn-main.cjs`, which holds what a search needs, and `cairn-more.cjs` the rest.

import { createHash } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { build, transform } from 'esbuild'

/** What a search imports as it runs. */
const SEARCH = [
  'src/cli/main.ts',
  'src/cli/open.ts',
  'src/cli/commands/search.ts',
  'src/cli/commands/records.ts',
  'src/operations/operations.ts',
  'src/cairn/open.ts',
  'src/embedding/static/static-embedder.ts',
  'src/storage/sqlite/vectors/nearest.ts',
]
/** Node keeps a text of this length outside of V8's heap. A shorter one is copied into it, and a search then takes 3 ms longer. */
const LEAST_CHARACTERS = 1_040_000
const CHUNK_IMPORT = /import(?:\{([^}]*)\}from)?"\.\/([^"]+)";/g
const CHUNK_EXPORTS = /export\{([^}]*)\};?\s*$/

export async function buildCommand(shared, alias) {
  const ownProcess = { 'node:process': './scripts/process.mjs' }
  const ownParts = {
    ...ownProcess,
    'node:perf_hooks': './scripts/perf-hooks.mjs',
    'better-sqlite3': './scripts/sqlite-driver.mjs',
  }
  const { outputFiles, metafile } = await build({
    ...shared,
    format: 'esm',
    entryPoints: ['src/cli/main.ts'],
    outdir: 'dist',
    splitting: true,
    write: false,
    metafile: true,
    alias: { ...alias, ...ownParts },
    // In a script, `import()` works for nobody: packages are required, and one that is a module is bundled.
    external: shared.external.filter((name) => name !== 'htmlparser2' && name !== 'better-sqlite3'),
    define: { 'import.meta.url': 'importMetaUrl' },
  })
  const ofSearch = listChunks(metafile.outputs)
  const parts = await Promise.all(
    outputFiles.map(async ({ path, text }) => ({ name: basename(path), code: await toPart(text) })),
  )
  const isOfSearch = ({ name }) => ofSearch.has(`dist/${name}`)
  const main = `(function(require,__filename,loadMore){
const importMetaUrl=require("node:url").pathToFileURL(__filename).href,loaded={};
let more=null;
function loadChunk(name){
if(loaded[name]!==undefined)return loaded[name];
const chunk=chunks[name]??(more??=loadMore()(require,importMetaUrl,loadChunk))[name];
return chunk(loaded[name]={}),loaded[name]}
const chunks={${join(parts.filter(isOfSearch))}};
loadChunk("main.js")})`
  const rest = parts.filter((part) => !isOfSearch(part))
  const more = `(function(require,importMetaUrl,loadChunk){return{${join(rest)}}})`
  const scripts = { main: escapeAll(main), more: escapeAll(more) }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(`dist/cairn-${name}.cjs`, script.padEnd(LEAST_CHARACTERS))
  }
  const hash = createHash('sha256').update(scripts.main).update(scripts.more).digest('hex')
  await build({
    ...shared,
    format: 'cjs',
    entryPoints: ['src/cli/start.ts'],
    outfile: 'dist/cairn.cjs',
    alias: ownProcess,
    banner: { js: '#!/usr/bin/env node' },
    define: { SCRIPT_HASH: JSON.stringify(hash.slice(0, 16)) },
  })
  chmodSync('dist/cairn.cjs', 0o755)
}

/** The chunks that hold `SEARCH` and all that it imports. */
function listChunks(outputs) {
  const found = new Set()
  const add = (path, above) => {
    if (above.includes(path)) throw new Error(`the chunk ${path} imports itself`)
    found.add(path)
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind === 'import-statement' && !external) add(next, [...above, path])
    }
  }
  for (const source of SEARCH) {
    const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === source)
    if (entry === undefined) throw new Error(`${source} is no longer imported as it is needed`)
    add(entry, [])
  }
  return found
}

/** A chunk as the body of a function: it takes what others export when it is loaded, and a package when it is first used. */
async function toPart(text) {
  const inner = text
    .replace(CHUNK_IMPORT, (_, names = '', path) => {
      return `const{${names.replaceAll(' as ', ':')}}=loadChunk("${basename(path)}");`
    })
    .replace(/import\("\.\/([^"]+)"\)/g, (_, path) => {
      return `Promise.resolve().then(()=>loadChunk("${basename(path)}"))`
    })
    .replace(CHUNK_EXPORTS, (_, names) => {
      const pairs = names.split(',').map((pair) => pair.split(' as ').reverse().join(':'))
      return `Object.assign(chunkExports,{${pairs}});`
    })
  const supported = { 'dynamic-import': false }
  const { code } = await transform(inner, { format: 'cjs', platform: 'node', supported, ...MINIFY })
  return code.trim()
}

const MINIFY = { target: 'node20', minifySyntax: true, minifyWhitespace: true }

function join(parts) {
  return parts.map(({ name, code }) => `"${name}"(chunkExports){${code}}`).join(',\n')
}

/** Text of ASCII alone is read without decoding. esbuild escapes all but the characters in patterns. */
function escapeAll(script) {
  const escapeOne = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return script.replace(/[^\0-\x7f]/g, escapeOne)
}
