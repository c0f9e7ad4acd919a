/** The thread moves what was written into the file, gets out of the way, and is missed by nobody. */

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LOG_BYTES, limitLog } from './connect.js'
import { LONG_LOG_BYTES, LogThread, type LogThreadOptions } from './log-thread.js'

const MANY = 1000

/** A connection like Cairn's, and what a large write is. */
function openLog(options: LogThreadOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-log-'))
  const file = join(folder, 'test.cairn')
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  limitLog(db, LOG_BYTES)
  db.exec('CREATE TABLE texts (text TEXT)')
  const thread = new LogThread(db, options)
  onTestFinished(async () => {
    await thread.close()
    db.close()
    rmSync(folder, { recursive: true })
  })
  const insert = db.prepare('INSERT INTO texts VALUES (?)')
  const write = db.transaction((count: number) => {
    for (let i = 0; i < count; i++) insert.run('text '.repeat(40))
    thread.noteWrite(count)
  })
  return {
    db,
    file,
    thread,
    async write(count: number): Promise<void> {
      write(count)
      await new Promise((resolve) => setTimeout(resolve))
    },
    logBytes: () =>
      Number(db.pragma('wal_autocheckpoint', { simple: true })) *
      Number(db.pragma('page_size', { simple: true })),
    isUndoneInMemory: () => db.pragma('temp_store', { simple: true }) === 2,
    size: () => statSync(file).size,
  }
}

test('what large writes leave in the log is moved into the file, and the log may be longer meanwhile', async () => {
  const { write, size, logBytes, isUndoneInMemory, db } = openLog()
  const before = size()
  expect(isUndoneInMemory()).toBe(false)
  for (let i = 0; i < 8; i++) await write(MANY)
  await vi.waitFor(() => expect(size()).toBeGreaterThan(before + 8 * MANY * 100), 20_000)
  expect(logBytes()).toBe(LONG_LOG_BYTES)
  expect(isUndoneInMemory()).toBe(true)
  expect(db.prepare('SELECT count(*) FROM texts').pluck().get()).toBe(8 * MANY)
})

test('not after every large write, and what is left at the end is moved as well', async () => {
  const { write, size, logBytes } = openLog({ idleMs: 3000 })
  const before = size()
  for (let i = 0; i < 3; i++) await write(MANY)
  await vi.waitFor(() => expect(logBytes()).toBe(LONG_LOG_BYTES), 2500)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(size()).toBe(before)
  await vi.waitFor(() => expect(size()).toBeGreaterThan(before + 3 * MANY * 100), 20_000)
})

test('a single large write, and any number of small ones, start nothing', async () => {
  const { write, size, logBytes } = openLog()
  const before = size()
  await write(MANY)
  for (let i = 0; i < 20; i++) await write(20)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(size()).toBe(before)
  expect(logBytes()).toBe(LOG_BYTES)
})

test('once it is closed the connection is alone: the last one to close leaves no log behind', async () => {
  const { write, thread, db, file } = openLog()
  for (let i = 0; i < 3; i++) await write(MANY)
  await thread.close()
  db.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
  const read = new Database(file, { readonly: true })
  expect(read.prepare('SELECT count(*) FROM texts').pluck().get()).toBe(3 * MANY)
  read.close()
})

test('nothing starts after it was closed', async () => {
  const { write, thread, logBytes } = openLog()
  await thread.close()
  for (let i = 0; i < 3; i++) await write(MANY)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(logBytes()).toBe(LOG_BYTES)
})

test('with nothing to do it ends, and starts again', async () => {
  const { write, size, logBytes, isUndoneInMemory } = openLog({ idleMs: 200 })
  for (let round = 0; round < 2; round++) {
    const before = size()
    for (let i = 0; i < 2; i++) await write(MANY)
    await vi.waitFor(() => expect(size()).toBeGreaterThan(before + 2 * MANY * 100))
    await vi.waitFor(() => expect(logBytes()).toBe(LOG_BYTES))
    expect(isUndoneInMemory()).toBe(false)
  }
})

/** Notes that it has started, and then does this. */
function workerThat(does: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [workerFile, started] = [join(folder, 'worker.mjs'), join(folder, 'started')]
  const code = `import { appendFileSync } from 'node:fs'
    import { parentPort } from 'node:worker_threads'
    appendFileSync(${JSON.stringify(started)}, 'x')
    ${does}`
  writeFileSync(workerFile, code)
  return { workerFile, starts: () => (existsSync(started) ? statSync(started).size : 0) }
}

test('a thread that dies is not tried again, and the connection moves its log as before', async () => {
  const { workerFile, starts } = workerThat(`parentPort.postMessage('ready')
    parentPort.on('message', () => { throw new Error('no disk') })`)
  const { write, logBytes, db } = openLog({ workerFile })
  for (let i = 0; i < 2; i++) await write(4 * MANY)
  await vi.waitFor(() => expect(starts()).toBe(1))
  await vi.waitFor(() => expect(logBytes()).toBe(LOG_BYTES))
  for (let i = 0; i < 3; i++) await write(MANY)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(starts()).toBe(1)
  expect(db.prepare('SELECT count(*) FROM texts').pluck().get()).toBe(11 * MANY)
})

test('a file in memory has no log to be moved', async () => {
  const { workerFile, starts } = workerThat('')
  const db = new Database(':memory:')
  const thread = new LogThread(db, { workerFile })
  for (let i = 0; i < 3; i++) thread.noteWrite(MANY)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await thread.close()
  db.close()
  expect(starts()).toBe(0)
})
