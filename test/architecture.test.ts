/** Who may import whom is one table, and every import that breaks it is named. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Which folder may import which; the longest name that fits wins, so `storage` is the interface and `storage/sqlite`
 * a backend. docs/architecture.md shows the same arrows.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  text: ['core'],
  query: ['core', 'text'],
  vectors: ['core'],
  schemas: ['core', 'query', 'text'],
  storage: ['core', 'query', 'text', 'vectors'],
  'storage/sqlite': ['core', 'query', 'text', 'vectors', 'storage'],
  'storage/postgres': ['core', 'query', 'text', 'vectors', 'storage'],
  memory: ['core', 'text'],
  literature: ['core', 'text'],
  import: ['core', 'text', 'schemas', 'literature'],
  embedding: ['core', 'text', 'vectors', 'storage'],
  search: ['core', 'query', 'text', 'schemas', 'storage'],
  cairn: [
    'core',
    'text',
    'schemas',
    'storage',
    'storage/sqlite',
    'storage/postgres',
    'memory',
    'literature',
    'import',
    'embedding',
    'search',
  ],
  operations: ['core', 'schemas', 'cairn'],
  config: ['core', 'text', 'query', 'schemas', 'embedding', 'search', 'cairn'],
  evaluation: ['core', 'cairn'],
  http: ['core', 'schemas', 'cairn', 'operations'],
  mcp: ['core', 'text', 'schemas', 'cairn', 'operations', 'http'],
  cli: [
    'core',
    'text',
    'schemas',
    'embedding',
    'cairn',
    'operations',
    'config',
    'evaluation',
    'http',
    'mcp',
  ],
  'index.ts': [
    'core',
    'memory',
    'literature',
    'schemas',
    'embedding',
    'search',
    'storage',
    'import',
    'cairn',
    'config',
    'operations',
  ],
  'langchain.ts': ['core', 'schemas', 'cairn'],
  'ai-sdk.ts': ['core', 'cairn', 'mcp'],
}

/** The packages a folder may import besides; `node:` stands for all that Node brings. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: ['node:'],
  schemas: ['zod/mini'],
  literature: ['node:'],
  import: ['node:', 'yaml', 'postal-mime', 'ignore', 'htmlparser2', 'yauzl', 'better-sqlite3'],
  embedding: ['node:', 'onnxruntime-node'],
  vectors: ['node:'],
  storage: ['node:'],
  'storage/sqlite': ['node:', 'better-sqlite3'],
  'storage/postgres': ['node:', 'pg'],
  cairn: ['node:'],
  operations: ['zod/mini'],
  config: ['node:', 'zod/mini'],
  evaluation: ['node:'],
  cli: ['node:'],
  http: [
    'node:',
    'zod/mini',
    'hono',
    'hono/etag',
    'hono/streaming',
    'hono/utils/url',
    '@hono/node-server',
    '@hono/node-server/serve-static',
    '@fastify/busboy',
  ],
  mcp: [
    'node:',
    'zod/mini',
    '@hono/node-server',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
  ],
  'langchain.ts': [
    '@langchain/core/chat_history',
    '@langchain/core/documents',
    '@langchain/core/messages',
    '@langchain/core/retrievers',
  ],
  'ai-sdk.ts': ['ai'],
}

const MAX_LINES = 400

type Source = { readonly path: string; readonly text: string; readonly isTest: boolean }

const sources: readonly Source[] = readdirSync(join(ROOT, 'src'), {
  recursive: true,
  encoding: 'utf8',
})
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => ({
    path,
    text: readFileSync(join(ROOT, 'src', path), 'utf8'),
    isTest: /\.(test|fixture)\.ts$/.test(path),
  }))
const code = sources.filter(({ isTest }) => !isTest)

function folderOf(path: string): string | null {
  const folders = Object.keys(ARROWS).filter(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  )
  return folders.sort((a, b) => b.length - a.length)[0] ?? null
}

/** Comments show examples; only what runs counts. */
function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*\*?[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '')
}

function importsOf(text: string): string[] {
  const pattern = /\bfrom\s*'([^'\s]+)'|\bimport\s*\(\s*'([^'\s]+)'|^import\s+'([^'\s]+)'/gm
  return [...withoutComments(text).matchAll(pattern)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  )
}

/** Why an import is not allowed, or null. */
function refusalOf(path: string, imported: string): string | null {
  const folder = folderOf(path) ?? ''
  if (!imported.startsWith('.')) {
    const allowed = PACKAGES[folder] ?? []
    const fits = allowed.some((name) =>
      name === 'node:' ? imported.startsWith(name) : imported === name,
    )
    return fits ? null : `src/${path} imports the package '${imported}', which ${folder} may not`
  }
  const target = folderOf(posix.join(posix.dirname(path), imported).replace(/\.js$/, '.ts'))
  if (target === null) return `src/${path} imports '${imported}', which is in no folder`
  if (target === folder || ARROWS[folder]?.includes(target)) return null
  return `src/${path} imports '${imported}': there is no arrow from ${folder} to ${target}`
}

/** What is there before the first line of a file runs: what it imports, but not what it imports later or as a type. */
function loadedBy(path: string, known = new Set([path])): string[] {
  const { text = '' } = code.find((source) => source.path === path) ?? {}
  const statements = /^(?:import|export) (?!type )[^'"]*?from '([^']+)'|^import '([^']+)'/gm
  for (const [, from, bare] of withoutComments(text).matchAll(statements)) {
    const name = from ?? bare ?? ''
    const isOurs = name.startsWith('.')
    const next = isOurs ? posix.join(posix.dirname(path), name).replace(/\.js$/, '.ts') : name
    if (known.has(next)) continue
    known.add(next)
    if (isOurs) loadedBy(next, known)
  }
  return [...known]
}

function filesWith(pattern: RegExp, files: readonly Source[]): string[] {
  return files.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path)
}

function outside(folder: string): Source[] {
  return code.filter(({ path }) => folderOf(path) !== folder)
}

describe('folders', () => {
  test('there is code to look at', () => {
    expect(code.length).toBeGreaterThan(10)
  })

  test('every file is in a folder', () => {
    expect(code.filter(({ path }) => folderOf(path) === null).map(({ path }) => path)).toEqual([])
  })

  test('every import follows an arrow', () => {
    const refusals = code.flatMap(({ path, text }) =>
      importsOf(text).flatMap((imported) => refusalOf(path, imported) ?? []),
    )
    expect(refusals).toEqual([])
  })

  test('to start and to show its help, the command line loads no schema and opens no file', () => {
    const loaded = loadedBy('cli/main.ts')
    expect(loaded).toContain('cli/options.generated.ts')
    const packages = loaded.filter((name) => !name.endsWith('.ts') && !name.startsWith('node:'))
    expect(packages).toEqual([])
  })

  test('an import against the arrows is named with its file', () => {
    const refusal = refusalOf('core/record.ts', '../storage/storage.js')
    expect(refusal).toBe(
      `src/core/record.ts imports '../storage/storage.js': there is no arrow from core to storage`,
    )
    expect(refusalOf('search/search.ts', '../storage/sqlite/open-sqlite.js')).toContain(
      'storage/sqlite',
    )
    expect(refusalOf('text/stem.ts', 'node:fs')).toContain(`'node:fs'`)
    expect(refusalOf('search/keyword.ts', '../storage/storage.js')).toBeNull()
  })

  test('imports are seen in every form they are written in', () => {
    const text = `import a from './a.js'\nimport {\n  b,\n} from './b.js'\nexport { c } from './c.js'
import type { D } from './d.js'\nconst e = await import('./e.js')\nimport './f.js'\n// from './g.js'`
    const seen = ['./a.js', './b.js', './c.js', './d.js', './e.js', './f.js']
    expect(importsOf(text)).toEqual(seen)
  })

  test('the arrows never lead back to where they began', () => {
    const reach = (folder: string, path: readonly string[]): string[] => {
      if (path.includes(folder)) return [[...path, folder].join(' → ')]
      return (ARROWS[folder] ?? []).flatMap((next) => reach(next, [...path, folder]))
    }
    expect(Object.keys(ARROWS).flatMap((folder) => reach(folder, []))).toEqual([])
  })

  test('only cairn/open-storage.ts imports a backend', () => {
    const importers = outside('storage/sqlite').filter(({ text }) =>
      text.includes('storage/sqlite/'),
    )
    expect(importers.map(({ path }) => path)).toEqual(['cairn/open-storage.ts'])
  })

  test('docs/architecture.md shows these arrows and no others', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    const block = /```arrows\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const shown = block
      .trim()
      .split('\n')
      .map((line) => line.split('→').map((part) => part.trim()))
      .map(([folder = '', targets = '']) => [folder, targets === '' ? [] : targets.split(/,\s*/)])
    expect(Object.fromEntries(shown)).toEqual(ARROWS)
  })
})

describe('habits', () => {
  test('SQL is prepared by the storage backend alone, and for the file of another program', () => {
    const files = filesWith(/\.prepare\(|better-sqlite3/, outside('storage/sqlite'))
    expect(files).toEqual(['import/zotero/database.ts'])
  })

  test('only the command line prints and exits', () => {
    const pattern = /\bprocess\.exit\b|\bconsole\.|\bprocess\.std(out|err)\b/
    expect(filesWith(pattern, outside('cli'))).toEqual([])
  })

  test('no comment silences a rule about imports and exports', () => {
    const pattern = /biome-ignore\S*\s+\S*(import|export|noUndeclaredDependencies)/i
    const silenced = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
    expect(silenced).toEqual([])
  })

  test(`no file is longer than ${MAX_LINES} lines`, () => {
    const written = sources.filter(({ path }) => !path.endsWith('.generated.ts'))
    const long = written.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('every file opens with a sentence that says what it does', () => {
    const opening = /^(?:#!.*\n)?\/\*\*(?:\n \*)? (?!Promise)\S/
    expect(code.filter(({ text }) => !opening.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('nothing is exported by default', () => {
    expect(filesWith(/^export default\b|\bas default\b/m, sources)).toEqual([])
  })
})
