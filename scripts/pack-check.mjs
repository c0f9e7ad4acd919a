// Proves the package: packs it, installs it into an empty folder as a user would, and uses it there in every way.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const MOST_MEGABYTES = 15
const ROOT = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'cairn-pack-'))

try {
  const [{ filename, unpackedSize, entryCount }] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], ROOT),
  )
  const megabytes = statSync(join(folder, filename)).size / 1e6
  console.log(
    `${filename}: ${megabytes.toFixed(1)} MB packed, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked, ${entryCount} files`,
  )
  expect(megabytes < MOST_MEGABYTES, `the package is below ${MOST_MEGABYTES} MB`)

  const home = join(folder, 'home')
  execFileSync('mkdir', [home])
  writeFileSync(join(home, 'package.json'), '{"name":"home","version":"1.0.0","type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, filename)], home)
  const packages = readdirSync(join(home, 'node_modules')).length
  console.log(`installed into an empty folder, ${packages} folders in node_modules`)

  const cairn = (...args) => run('npx', ['--no-install', 'cairn', ...args], home)
  expect(cairn('--help').includes('cairn search'), 'cairn --help prints the commands')
  cairn('add', 'We deploy on Thursdays, never before a holiday.', '--db', 'notes.cairn')
  const found = JSON.parse(
    cairn('search', 'which day do we release?', '--db', 'notes.cairn', '--json'),
  )
  expect(found.hits[0]?.record.body.startsWith('We deploy'), 'a question finds by meaning')
  expect(found.degraded === null, 'the bundled model is there')

  writeFileSync(
    join(home, 'program.js'),
    `import { openCairn } from 'cairn-search'
     const cairn = await openCairn({ file: 'notes.cairn' })
     console.log((await cairn.search('holiday')).hits.length)
     await cairn.close()`,
  )
  expect(run(process.execPath, ['program.js'], home).trim() === '1', 'the library is imported')
  const tools = await mcpTools(home)
  expect(tools.includes('search') && tools.length === 7, 'the MCP server lists its seven tools')
  console.log('the package works')
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** A bare client: what the protocol says, line by line. */
async function mcpTools(cwd) {
  const server = spawn('npx', ['--no-install', 'cairn', 'mcp', '--db', 'notes.cairn'], {
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
    const ask = async (id, method, params) => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return JSON.parse((await lines.next()).value).result
    }
    const clientInfo = { name: 'pack-check', version: '1.0.0' }
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    return (await ask(2, 'tools/list', {})).tools.map(({ name }) => name)
  } finally {
    server.stdin.end()
  }
}

function run(command, args, cwd) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e8,
  })
}

function expect(isSo, what) {
  if (!isSo) throw new Error(`It is not so that ${what}.`)
  console.log(`ok: ${what}`)
}
