/**
 * Starts the command from one script, with the code that V8 compiled for it at earlier starts: without that, a search
 * takes 1.3 times as long. The compiled code is in the user's cache folder, one file for each command.
 */

import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

/** The hash of the script, from the build: V8 itself compares only lengths. */
declare const SCRIPT_HASH: string

/** Before the compiled code stand its checksum, since damaged code would end the process, and how many starts have used it. */
const HEADER_BYTES = 16
const STARTS_AT = 8
/** What no start has used for a month belongs to another version, or to a command that nobody runs. */
const MAX_UNUSED_MS = 30 * 24 * 60 * 60 * 1000
/** A server may be killed, so its code is stored while it waits. */
const SERVER_DELAY_MS = 3000

const path = join(__dirname, 'cairn-main.cjs')
const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cairn', 'code')
const [command = ''] = /^[a-z]+$/.exec(process.argv[2] ?? '') ?? []
const file = join(folder, `${SCRIPT_HASH}-${process.version}-${process.arch}-${command}`)

const stored = readStored()
const cachedData = stored?.subarray(HEADER_BYTES)
const script = new Script(readFileSync(path, 'latin1'), {
  filename: path,
  ...(cachedData !== undefined && { cachedData }),
})
const isUsed = stored !== null && !script.cachedDataRejected
script.runInThisContext()(loadLazily(createRequire(path)), path)
const timer = setTimeout(store, SERVER_DELAY_MS).unref()
process.once('exit', store)

/** A module of Node is loaded when something of it is first used: crypto alone takes 6 ms. */
function loadLazily(load: NodeJS.Require): (name: string) => unknown {
  const known = new Map<string, object>()
  return (name) => {
    if (!name.startsWith('node:')) return load(name)
    const module = known.get(name) ?? new Proxy({}, { get: (_, key) => load(name)[key] })
    known.set(name, module)
    return module
  }
}

/** Null where there is none, where another user wrote it, and where it is damaged. */
function readStored(): Buffer | null {
  try {
    const { uid, size } = statSync(file)
    const isOurs = uid === (process.getuid?.() ?? uid) && size > HEADER_BYTES
    const bytes = isOurs ? readFileSync(file) : null
    const isSound = bytes?.readUInt32LE(0) === crc32(bytes?.subarray(HEADER_BYTES) ?? '')
    return isSound ? bytes : null
  } catch {
    return null
  }
}

/**
 * Another start may have run other functions. To look takes as long as to store them, so the 1st, 2nd, 4th, 8th … does.
 * Where nothing can be stored, the next start compiles again.
 */
function store(): void {
  clearTimeout(timer)
  process.off('exit', store)
  if (process.exitCode) return
  const starts = isUsed ? stored.readDoubleLE(STARTS_AT) + 1 : 1
  try {
    if (Number.isInteger(Math.log2(starts))) storeCode(starts)
    else storeStarts(starts)
  } catch {}
}

function storeStarts(starts: number): void {
  const opened = openSync(file, 'r+')
  const bytes = Buffer.alloc(HEADER_BYTES - STARTS_AT)
  bytes.writeDoubleLE(starts)
  writeSync(opened, bytes, 0, bytes.length, STARTS_AT)
  closeSync(opened)
}

function storeCode(starts: number): void {
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  const code = script.createCachedData()
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(crc32(code))
  header.writeDoubleLE(starts, STARTS_AT)
  writeFileSync(draft, Buffer.concat([header, code]), { mode: 0o600 })
  renameSync(draft, file)
  for (const name of readdirSync(folder)) {
    const isUnused = Date.now() - statSync(join(folder, name)).mtimeMs > MAX_UNUSED_MS
    if (isUnused) rmSync(join(folder, name), { force: true })
  }
}
