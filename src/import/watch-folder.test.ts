import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { libraryOf, temporaryFolder } from '../../test/support/library.js'
import type { Cairn, ImportReport, WatchOptions } from '../index.js'

async function watched(cairn: Cairn, folder: string, options: WatchOptions = {}) {
  const reports: ImportReport[] = []
  const watch = await cairn.watch(folder, {
    debounceMs: 30,
    onReport: (report) => reports.push(report),
    ...options,
  })
  onTestFinished(() => watch.stop())
  return { watch, reports }
}

function notes(): { folder: string; write: (name: string, text: string) => void } {
  const folder = join(temporaryFolder(), 'notes')
  mkdirSync(folder)
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  write('first.md', '# First\n\nThe lamp is lit.')
  return { folder, write }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const bodies = async (cairn: Cairn): Promise<string[]> =>
  (await cairn.list({ limit: 100 })).records.map(({ title }) => String(title)).sort()

test('files that are written, changed and removed below a folder are noticed', async () => {
  const { folder, write } = notes()
  const cairn = await libraryOf([])
  const { watch } = await watched(cairn, folder)
  expect(watch.first).toMatchObject({ format: 'folder', created: 1 })
  write('second.md', '# Second')
  await until(async () => (await bodies(cairn)).length === 2)
  write('deep/er/third.md', '# Third')
  await until(async () => (await bodies(cairn)).includes('Third'))
  write('deep/er/third.md', '# Third, changed')
  await until(async () => (await bodies(cairn)).includes('Third, changed'))
  rmSync(join(folder, 'first.md'))
  await until(async () => !(await bodies(cairn)).includes('First'))
  await watch.stop()
  await watch.done
  write('late.md', '# Late')
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(await bodies(cairn)).toEqual(['Second', 'Third, changed'])
})

test('nothing is watched for a signal that was aborted before', async () => {
  const cairn = await libraryOf([])
  const signal = AbortSignal.abort()
  await expect(cairn.watch(notes().folder, { signal })).rejects.toThrow('aborted')
})

test('many changes at once are few passes', async () => {
  const { folder, write } = notes()
  const cairn = await libraryOf([])
  const { reports } = await watched(cairn, folder, { debounceMs: 100 })
  for (let i = 0; i < 100; i++) write(`n${i}.md`, `# Note ${i}`)
  await until(async () => (await bodies(cairn)).length === 100 || reports.length > 5)
  await until(async () => (await cairn.stats()).records.document === 101)
  expect(reports.length).toBeLessThanOrEqual(5)
})

test('without events, changes are found by polling', async () => {
  const { folder, write } = notes()
  const cairn = await libraryOf([])
  await watched(cairn, folder, { debounceMs: 60_000, pollMs: 60 })
  write('quiet.md', '# Quiet')
  await until(async () => (await bodies(cairn)).includes('Quiet'))
})

test('a signal ends it, and a failed run is reported and does not', async () => {
  const { folder, write } = notes()
  const cairn = await libraryOf([])
  const controller = new AbortController()
  const errors: unknown[] = []
  const { watch } = await watched(cairn, folder, {
    signal: controller.signal,
    pollMs: 60,
    onError: (error) => errors.push(error),
  })
  rmSync(folder, { recursive: true })
  await until(async () => errors.length > 0)
  expect(String(errors[0])).toContain('There is nothing at')
  expect(await bodies(cairn)).toEqual(['First'])
  mkdirSync(folder)
  write('back.md', '# Back')
  await until(async () => (await bodies(cairn)).includes('Back'))
  controller.abort()
  await watch.done
})

test('only a folder can be watched', async () => {
  const { folder } = notes()
  const cairn = await libraryOf([])
  await expect(cairn.watch(join(folder, 'first.md'))).rejects.toThrow(/is not a folder/)
})
