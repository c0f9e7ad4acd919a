/**
 * Starts the command from one script, with the code that V8 compiled for it at earlier starts: without that, a search
 * takes 1.3 times as long. The compiled code is in the user's cache folder, one file for each command.
 */

import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Script } from 'node:vm'

/** The hash of the script, from the build: V8 itself compares only lengths. */
declare const SCRIPT_HASH: string

/** Before the compiled code stands how many starts have used it. */
const HEADER_BYTES = 8
/** A server may be killed, so its code is stored while it waits. */
const SERVER_DELAY_MS = 3000

const path = join(__dirname, 'cairn-main.cjs')
const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cairn', 'code')
const [command = ''] = /^[a-z]+$/.exec(process.argv[2] ?? '') ?? []
const file = join(folder, `${SCRIPT_HASH}-${process.version}-${process.arch}-${command}`)

const stored = readStored()
const cachedData = stored?.subarray(HEADER_BYTES)
const script = new Script(fs.readFileSync(path, 'latin1'), {
  filename: path,
  ...(cachedData !== undefined && { cachedData }),
})
const isUsed = stored !== null && !script.cachedDataRejected
script.runInThisContext()(createRequire(path), path)
const timer = setTimeout(store, SERVER_DELAY_MS).unref()
process.once('exit', store)

/** Null where there is none, and where another user wrote it. */
function readStored(): Buffer | null {
  try {
    const { uid, size } = fs.statSync(file)
    const isOurs = uid === (process.getuid?.() ?? uid) && size > HEADER_BYTES
    return isOurs ? fs.readFileSync(file) : null
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
  const starts = isUsed ? stored.readDoubleLE(0) + 1 : 1
  try {
    if (Number.isInteger(Math.log2(starts))) storeCode(starts)
    else storeHeader(starts)
  } catch {}
}

function toHeader(starts: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeDoubleLE(starts)
  return header
}

function storeHeader(starts: number): void {
  const opened = fs.openSync(file, 'r+')
  fs.writeSync(opened, toHeader(starts), 0, HEADER_BYTES, 0)
  fs.closeSync(opened)
}

function storeCode(starts: number): void {
  fs.mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  const bytes = Buffer.concat([toHeader(starts), script.createCachedData()])
  fs.writeFileSync(draft, bytes, { mode: 0o600 })
  fs.renameSync(draft, file)
  for (const name of fs.readdirSync(folder)) {
    const isOfOtherVersion = !name.startsWith(SCRIPT_HASH)
    if (isOfOtherVersion) fs.rmSync(join(folder, name), { force: true })
  }
}
