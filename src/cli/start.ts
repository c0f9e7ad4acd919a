/**
 * Starts the command from its scripts, with the code that V8 compiled for them at earlier starts: without that, a search
 * takes 1.3 times as long. The compiled code is in the user's cache folder, one file for each command and script.
 */

import {
  closeSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Script } from 'node:vm'

/** The hash of the scripts, from the build: V8 itself compares only lengths. */
declare const SCRIPT_HASH: string

/**
 * Before the compiled code stand how many starts have used it and when the last one did, in seconds. This is also when the
 * file was changed: anyone else who changes it changes that. V8 does not check, and damaged code would end the process.
 */
const HEADER_BYTES = 16
/** Code that was not used for a month belongs to another version, or to a command that nobody runs. */
const MAX_UNUSED_MS = 30 * 24 * 60 * 60 * 1000
/** From this start on the stored code has what most starts run: their number is written once a day. */
const MANY_STARTS = 16
const DAY_SECONDS = 24 * 60 * 60
/** A server may be killed, so its code is stored while it waits. */
const SERVER_DELAY_MS = 3000

const systemCache: string | undefined = {
  win32: process.env.LOCALAPPDATA,
  darwin: join(homedir(), 'Library', 'Caches'),
}[process.platform as string]
const cache = process.env.XDG_CACHE_HOME || systemCache || join(homedir(), '.cache')
const folder = join(cache, 'cairn', 'code')
const [command = ''] = /^[a-z]+$/.exec(process.argv[2] ?? '') ?? []
type Running = {
  readonly script: Script
  readonly file: string
  readonly starts: number
  /** When the number of starts was last written. */
  readonly notedAt: number
}
const running: Running[] = []

const main = join(__dirname, 'cairn-main.cjs')
run('main')(loadLazily(createRequire(main)), main, () => run('more'))
const timer = setTimeout(store, SERVER_DELAY_MS).unref()
process.once('exit', store)

/** Returns the function that the script is. */
function run(name: 'main' | 'more'): (...given: readonly unknown[]) => unknown {
  const filename = join(__dirname, `cairn-${name}.cjs`)
  const version = `${SCRIPT_HASH}-${process.version}-${process.arch}`
  const file = join(folder, `${version}-${name}-${command}`)
  const { starts, notedAt, code } = readStored(file)
  const cachedData = code === null ? {} : { cachedData: code }
  const script = new Script(readFileSync(filename, 'latin1'), { filename, ...cachedData })
  running.push({ script, file, starts: script.cachedDataRejected ? 1 : starts + 1, notedAt })
  return script.runInThisContext()
}

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

type Stored = Pick<Running, 'starts' | 'notedAt'> & { readonly code: Buffer | null }

/** Returns no code if there is none, if another user wrote it, or if it was changed. */
function readStored(file: string): Stored {
  try {
    const { uid, mtimeMs } = statSync(file)
    const bytes = readFileSync(file)
    const notedAt = bytes.readDoubleLE(8)
    const isOurs = uid === (process.getuid?.() ?? uid) && notedAt * 1000 === mtimeMs
    if (isOurs)
      return { starts: bytes.readDoubleLE(0), notedAt, code: bytes.subarray(HEADER_BYTES) }
  } catch {}
  return { starts: 0, notedAt: 0, code: null }
}

/**
 * Another start may have run other functions. To look takes as long as to store them, so the 1st, 2nd, 4th, 8th … does.
 * If nothing can be stored, the next start compiles again.
 */
function store(): void {
  clearTimeout(timer)
  process.off('exit', store)
  if (process.exitCode) return
  try {
    for (const { script, file, starts, notedAt } of running) {
      const isDue = starts <= MANY_STARTS || Date.now() / 1000 - notedAt > DAY_SECONDS
      if (Number.isInteger(Math.log2(starts))) storeCode(script, file, starts)
      else if (isDue) write(file, 'r+', starts)
    }
  } catch {}
}

function storeCode(script: Script, file: string, starts: number): void {
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  write(draft, 'w', starts, script.createCachedData())
  renameSync(draft, file)
  for (const name of readdirSync(folder)) {
    const isUnused = Date.now() - statSync(join(folder, name)).mtimeMs > MAX_UNUSED_MS
    if (isUnused) rmSync(join(folder, name), { force: true })
  }
}

/** Writes the header, and the code if it is given. */
function write(file: string, flags: 'r+' | 'w', starts: number, code?: Buffer): void {
  const seconds = Math.floor(Date.now() / 1000)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeDoubleLE(starts)
  header.writeDoubleLE(seconds, 8)
  const opened = openSync(file, flags, 0o600)
  writeSync(opened, header, 0, HEADER_BYTES, 0)
  if (code !== undefined) {
    writeSync(opened, code, 0, code.length, HEADER_BYTES)
    fsyncSync(opened)
  }
  futimesSync(opened, seconds, seconds)
  closeSync(opened)
}
