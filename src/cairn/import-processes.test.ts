import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { openCairn } from '../index.js'

const LIBRARY = JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))
const NOTES = 240

/** Runs code that may use `openCairn` of the built package. */
function start(code: string): ReturnType<typeof spawn> {
  const script = `const { openCairn } = await import(${LIBRARY})\n${code}`
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Every note links to the next one, so that most links lead to what comes later. */
function manyNotes(): string {
  const folder = join(temporaryFolder(), 'notes')
  mkdirSync(folder)
  for (let i = 0; i < NOTES; i++) {
    const name = `n${String(i).padStart(4, '0')}`
    const next = `n${String((i + 1) % NOTES).padStart(4, '0')}`
    writeFileSync(
      join(folder, `${name}.md`),
      `# Note ${i}\n\nThe harbour of day ${i}. [[${next}]]\n`,
    )
  }
  return folder
}

/** An import in a process of its own; resolves when it has written so many batches, or is done. */
async function importUntil(file: string, folder: string, batches: number): Promise<void> {
  const child = start(`
    const cairn = await openCairn({ file: ${JSON.stringify(file)} })
    let written = 0
    await cairn.import(${JSON.stringify(folder)}, {
      batch: 24,
      onProgress: ({ created, unchanged }) => {
        if (created + unchanged > written) process.stdout.write('.')
        written = created + unchanged
      },
    })
    await cairn.close()`)
  let dots = 0
  await new Promise<void>((resolve) => {
    child.on('close', () => resolve())
    child.stdout?.on('data', (part: Buffer) => {
      dots += part.length
      if (dots >= batches) resolve()
    })
  })
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.on('close', resolve))
  }
}

test('an import that is killed at any time and run again stores every entry once', async () => {
  const [file, folder] = [temporaryFile(), manyNotes()]
  for (const batches of [1, 5]) await importUntil(file, folder, batches)
  const cairn = await openCairn({ file })
  const before = (await cairn.stats()).records.document
  expect(before).toBeGreaterThanOrEqual(5 * 24)
  expect(before).toBeLessThan(NOTES)
  const report = await cairn.import(folder)
  expect(report).toMatchObject({
    created: NOTES - before,
    unchanged: before,
    updated: 0,
    duplicates: 0,
    links: NOTES,
    unresolved: [],
  })
  expect((await cairn.stats()).records.document).toBe(NOTES)
  expect((await cairn.search('harbour', { mode: 'keyword', limit: 1 })).total.value).toBe(NOTES)
  expect(await cairn.import(folder)).toMatchObject({ unchanged: NOTES, links: 0 })
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})

test('two processes that import the same folder at once store every note once', async () => {
  const [file, folder] = [temporaryFile(), manyNotes()]
  await Promise.all([
    importUntil(file, folder, Number.POSITIVE_INFINITY),
    importUntil(file, folder, Number.POSITIVE_INFINITY),
  ])
  const cairn = await openCairn({ file })
  expect((await cairn.stats()).records.document).toBe(NOTES)
  expect(await cairn.import(folder)).toMatchObject({ unchanged: NOTES, links: 0 })
  await cairn.close()
})
