/**
 * The package, installed into an empty folder as a user would, works in every way, and is small.
 *
 *   npm run pack-check                  each thing that was tried, and how large it is
 *   npm run pack-check -- --brief       one line
 *   npm run pack-check -- --compile     fetches or compiles SQLite as a user's machine does, which may take minutes
 *   npm run pack-check -- --node 24     with another Node, which is installed from npm; fetches or compiles as well
 *
 * Otherwise the SQLite that this project has compiled already is put into the installed better-sqlite3, if
 * that is the same version; where it is not, it is made as with --compile. What happened is said.
 */

import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const MOST_MEGABYTES = 15
/** What is read at run time by its path: no import would miss it before it is needed. */
const NEEDED = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'dist/cairn.cjs',
  'dist/cairn-main.cjs',
  'dist/cairn-more.cjs',
  'dist/index.js',
  'dist/index.d.ts',
  'dist/langchain.js',
  'dist/langchain.d.ts',
  'dist/ai-sdk.js',
  'dist/ai-sdk.d.ts',
  'dist/http.js',
  'dist/page/index.html',
  'dist/page/inter-license.txt',
  'models/cairn-static-v2/model.safetensors',
  'models/cairn-static-v2/pieces.bin',
  'models/cairn-static-v2/vocab.txt',
  ...readdirSync(new URL('../prompts', import.meta.url)).map((name) => `prompts/${name}`),
]
const ROOT = resolve(import.meta.dirname, '..')
const BINARY = join('node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node')

const asked = parseArgs({
  options: {
    brief: { type: 'boolean' },
    compile: { type: 'boolean' },
    node: { type: 'string' },
  },
}).values
const { brief = false, compile = asked.node !== undefined } = asked
const started = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'cairn-pack-'))
let [node, env] = [process.execPath, process.env]
try {
  if (asked.node !== undefined) [node, env] = installNode(asked.node)
  const { filename, size } = pack()
  const home = join(folder, 'home')
  const sqlite = install(join(folder, filename), home)
  useCommand(home)
  useLibrary(home)
  await useMcp(home)
  await useServer(home)
  const seconds = Math.round((performance.now() - started) / 1000)
  process.stdout.write(
    `${filename}: ${size}; installed and used in every way with Node ${nodeVersion()} in ${seconds} s, ${sqlite}\n`,
  )
} catch (error) {
  process.stderr.write(`The package does not work: ${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The program of another Node, and the environment in which npm runs with it and compiles for it. */
function installNode(version) {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${system}-${process.arch}`
  const home = join(folder, 'node')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], home)
  const installed = join(home, 'node_modules', name)
  const program = join(installed, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const path = `${dirname(program)}${delimiter}${process.env.PATH}`
  return [program, { ...process.env, PATH: path, npm_config_nodedir: installed }]
}

function nodeVersion() {
  return run(node, ['--version'], folder).trim().slice(1)
}

function pack() {
  const output = run('npm', ['pack', '--json', '--pack-destination', folder], ROOT)
  const [{ filename, size, unpackedSize, entryCount, files }] = JSON.parse(output)
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  const packed = new Set(files.map(({ path }) => path))
  const missing = NEEDED.filter((path) => !packed.has(path))
  expect(
    missing.length === 0,
    `nothing is missing from it${missing.map((path) => ` (${path})`).join('')}`,
  )
  expect(
    size < MOST_MEGABYTES * 1e6,
    `it has at most ${MOST_MEGABYTES} MB (${megabytes(size)} packed)`,
  )
  const told = `${megabytes(size)} of at most ${MOST_MEGABYTES}, ${megabytes(unpackedSize)} unpacked, ${entryCount} files`
  return { filename, size: told }
}

/** Returns where its SQLite came from. */
function install(tarball, home) {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"name":"home","version":"1.0.0","type":"module"}')
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  run('npm', ['install', ...options, ...(compile ? [] : ['--ignore-scripts']), tarball], home)
  const version = sqliteVersion(home)
  const { packages, bytes } = measureDependencies(home)
  expect(packages > 0, `it brings ${packages} packages of ${(bytes / 1e6).toFixed(1)} MB`)
  if (compile) {
    const isCompiled = existsSync(join(home, dirname(BINARY), 'obj.target'))
    return `with a better-sqlite3 ${version} that was ${isCompiled ? 'compiled' : 'ready-made'}`
  }
  if (version === sqliteVersion(ROOT)) {
    cpSync(join(ROOT, BINARY), join(home, BINARY), { recursive: true })
    return `with the better-sqlite3 ${version} that was compiled for the tests`
  }
  run('npm', ['rebuild', 'better-sqlite3'], home)
  return `with a better-sqlite3 ${version} that was compiled for it`
}

/** What is installed besides the package itself, without what compiling leaves. */
function measureDependencies(home) {
  const modules = join(home, 'node_modules')
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const names = readdirSync(modules, { recursive: true }).filter(
    (name) => !/^(cairn-search|\.package-lock|\.bin)|[/\\]obj(\.target)?[/\\]/.test(name),
  )
  const files = names.map((name) => statSync(join(modules, name))).filter((one) => one.isFile())
  return {
    packages: Object.keys(lock.packages).length - 1,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  }
}

function sqliteVersion(home) {
  const manifest = join(home, 'node_modules', 'better-sqlite3', 'package.json')
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

function useCommand(home) {
  const cairn = (...args) => run('npx', ['--no-install', 'cairn', ...args], home)
  expect(cairn('--help').includes('cairn search'), 'cairn --help prints the commands')
  cairn('add', 'We deploy on Thursdays, never before a holiday.', '--db', 'notes.cairn')
  const found = JSON.parse(
    cairn('search', 'which day do we release?', '--db', 'notes.cairn', '--json'),
  )
  expect(found.hits[0]?.snippet.text.startsWith('We deploy'), 'a question finds by meaning')
  expect(found.degraded === null, 'the bundled model is there')
  const prompt = cairn('ask', 'on which day do we deploy?', '--dry-run', '--db', 'notes.cairn')
  expect(prompt.includes('We deploy on Thursdays'), 'the prompts are there')
}

function useLibrary(home) {
  const program = `import { type Cairn, openCairn } from 'cairn-search'
    const cairn: Cairn = await openCairn({ file: 'notes.cairn' })
    const count: number = (await cairn.search('holiday')).hits.length
    console.log(count)
    await cairn.close()`
  writeFileSync(join(home, 'program.ts'), program)
  writeFileSync(
    join(home, 'program.js'),
    program.replace('type Cairn, ', '').replace(/: (Cairn|number)/g, ''),
  )
  expect(run(node, ['program.js'], home).trim() === '1', 'the library is imported')
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const settings = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
  const types = ['--typeRoots', join(ROOT, 'node_modules', '@types'), '--types', 'node']
  run(node, [tsc, ...settings, ...types, 'program.ts'], home)
  expect(true, 'its types are whole')
}

/** A bare client: what the protocol says, line by line. */
async function useMcp(home) {
  const server = startCairn(['mcp', '--db', 'notes.cairn'], home)
  try {
    const lines = linesOf(server)
    const ask = async (id, method, params) => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return JSON.parse((await lines.next()).value).result
    }
    const clientInfo = { name: 'pack-check', version: '1.0.0' }
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    const { tools } = await ask(2, 'tools/list', {})
    const isSearchThere = tools.some(({ name }) => name === 'search')
    expect(isSearchThere && tools.length === 8, 'the MCP server lists its eight tools')
  } finally {
    server.stdin.end()
  }
}

async function useServer(home) {
  const server = startCairn(['serve', '--db', 'notes.cairn', '--port', '0', '--json'], home)
  try {
    const { value = '' } = await linesOf(server).next()
    const [url] = /http:\/\/[\w.:[\]]+/.exec(value) ?? []
    const page = await (await fetch(url)).text()
    const parts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
    const answers = await Promise.all(parts.map((path) => fetch(new URL(path, url))))
    expect(parts.length > 1 && answers.every(({ ok }) => ok), 'the server sends its page')
  } finally {
    server.kill('SIGTERM')
  }
}

function startCairn(words, cwd) {
  const program = join(cwd, 'node_modules', 'cairn-search', 'dist', 'cairn.cjs')
  return spawn(node, [program, ...words], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
}

function linesOf(child) {
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]()
}

/** What a command prints is shown where it fails. On Windows npm and npx are scripts, which need a shell. */
function run(command, args, cwd) {
  const isScript = process.platform === 'win32' && /^np[mx]$/.test(command)
  const words = isScript ? args.map((word) => (/\s/.test(word) ? `"${word}"` : word)) : args
  try {
    return execFileSync(command, words, {
      cwd,
      env,
      shell: isScript,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1e8,
    })
  } catch ({ stdout, stderr, status }) {
    throw new Error(`${command} ${args[0]} ended with ${status}.\n${stdout}${stderr}`.trimEnd())
  }
}

function expect(isSo, what) {
  if (!isSo) throw new Error(`it is not so that ${what}.`)
  if (!brief) process.stdout.write(`ok: ${what}\n`)
}
