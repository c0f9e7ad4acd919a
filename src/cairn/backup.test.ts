import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fullLibrary, linesOf } from '../../test/support/full-library.js'
import { libraryOf, temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { type CairnError, openCairn } from '../index.js'

const LIBRARY = JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))

/** A process that adds one record after another and says the number of each that is stored. */
function startWriter(file: string) {
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ file: ${JSON.stringify(file)}, busyTimeoutMs: 20000, vectors: false })
    for (let i = 0; ; i++) {
      await cairn.add({ body: 'written note ' + i })
      process.stdout.write(i + '\\n')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  const stopped = new Promise<void>((resolve) => {
    child.on('close', () => resolve())
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    /** How many records it was told are stored. */
    acknowledged(): number {
      if (child.exitCode !== null) throw new Error('The writer ended; it needs dist/.')
      return out.split('\n').length - 1
    },
    async stop() {
      child.kill('SIGKILL')
      await stopped
    },
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function refusalOf(promise: Promise<unknown>): Promise<CairnError> {
  return promise.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: CairnError) => error,
  )
}

async function bodiesIn(file: string): Promise<string[]> {
  const cairn = await openCairn({ file, create: false, vectors: false })
  const { records } = await cairn.list({})
  await cairn.close()
  return records.map(({ body }) => body)
}

describe('a backup', () => {
  test('holds all that was stored before it began, is sound, and does not wait for one who never stops writing', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, vectors: false })
    onTestFinished(() => cairn.close())
    await cairn.addMany(
      Array.from({ length: 3000 }, (_, i) => ({ body: `first note ${i} ${'word '.repeat(200)}` })),
    )
    const writer = startWriter(file)
    await until(() => writer.acknowledged() >= 20)
    const before = writer.acknowledged()
    const target = join(dirname(file), 'copy.cairn')
    let steps = 0
    const answer = await cairn.backup(target, { onProgress: () => steps++ })
    const after = writer.acknowledged()
    await until(() => writer.acknowledged() > after)
    await writer.stop()
    expect(steps).toBeGreaterThan(1)
    expect(answer).toEqual({ file: target, bytes: readFileSync(target).length, removed: [] })

    const copy = await openCairn({ file: target, create: false, vectors: false })
    onTestFinished(() => copy.close())
    expect((await copy.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
    const found = (await copy.search('"written note"', { limit: 1 })).total.value
    expect(found).toBeGreaterThanOrEqual(before)
    const numbers = new Set<number>()
    let cursor: string | null = null
    do {
      const page = await copy.list({ limit: 1000, cursor })
      for (const { body } of page.records) {
        const number = /^written note (\d+)$/.exec(body)?.[1]
        if (number !== undefined) numbers.add(Number(number))
      }
      cursor = page.next
    } while (cursor !== null)
    for (let i = 0; i < before; i++) expect(numbers.has(i)).toBe(true)
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.tmp'))).toEqual([])
  })

  test('is the same file: every line of its archive and every vector', async () => {
    const { cairn } = await fullLibrary()
    const target = temporaryFile()
    await cairn.backup(target)
    const copy = await openCairn({ file: target, create: false })
    onTestFinished(() => copy.close())
    expect(await linesOf(copy)).toEqual(await linesOf(cairn))
    expect((await copy.stats()).vectors).toEqual((await cairn.stats()).vectors)
    expect((await copy.doctor()).ok).toBe(true)
  })

  test('of a database in memory is a file', async () => {
    const cairn = await openCairn({ file: ':memory:', vectors: false })
    onTestFinished(() => cairn.close())
    await cairn.add({ body: 'a thought' })
    const target = temporaryFile()
    await cairn.backup(target)
    const copy = await openCairn({ file: target, create: false, vectors: false })
    onTestFinished(() => copy.close())
    expect((await copy.search('thought')).hits).toHaveLength(1)
  })

  test('replaces a file only with force, and never the file itself', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, vectors: false })
    onTestFinished(() => cairn.close())
    await cairn.add({ body: 'a note' })
    const target = join(temporaryFolder(), 'copy.cairn')
    writeFileSync(target, 'precious')
    const refusal = await refusalOf(cairn.backup(target))
    expect(refusal).toMatchObject({
      code: 'bad_input',
      message: `The file ${target} is there already.`,
    })
    expect(readFileSync(target, 'utf8')).toBe('precious')
    expect((await refusalOf(cairn.backup(file, { force: true }))).message).toContain(
      'the file itself',
    )
    expect((await refusalOf(cairn.backup(dirname(target)))).message).toContain('is a folder')
    await cairn.backup(target, { force: true })
    const copy = await openCairn({ file: target, create: false, vectors: false })
    expect((await copy.search('note')).hits).toHaveLength(1)
    // Open, so that its log lies beside it.
    await copy.add({ body: 'another' })
    expect(existsSync(`${target}-wal`)).toBe(true)
    expect((await refusalOf(cairn.backup(target, { force: true }))).code).toBe('locked')
    await copy.close()
    await cairn.backup(target, { force: true })
  })

  test('onto the log of a deleted file is refused, and onto one of a killed program replaces it', async () => {
    const cairn = await libraryOf(['a new note'], { vectors: false })
    const folder = temporaryFolder()
    const [open, target] = [join(folder, 'open.cairn'), join(folder, 'copy.cairn')]
    const old = await openCairn({ file: open, vectors: false })
    onTestFinished(() => old.close())
    await old.add({ body: 'an old note' })
    // What is left where a process was killed.
    for (const end of ['', '-wal']) copyFileSync(`${open}${end}`, `${target}${end}`)
    await cairn.backup(target, { force: true })
    expect(await bodiesIn(target)).toEqual(['a new note'])

    for (const end of ['-wal', '-shm', '-journal']) {
      rmSync(target, { force: true })
      writeFileSync(`${target}${end}`, end === '-wal' ? readFileSync(`${open}-wal`) : '')
      for (const force of [false, true]) {
        const refusal = await refusalOf(cairn.backup(target, { force }))
        expect(refusal.code).toBe('file_changed')
        expect(refusal.message).toContain(`copy.cairn${end} is still there`)
      }
      expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([
        `copy.cairn${end}`,
      ])
      rmSync(`${target}${end}`)
    }
    await cairn.backup(target)
    expect(await bodiesIn(target)).toEqual(['a new note'])
  })

  test('of a damaged file does not replace a sound one', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, vectors: false })
    await cairn.addMany(Array.from({ length: 200 }, (_, i) => ({ body: `note ${i} `.repeat(50) })))
    const target = temporaryFile()
    await cairn.backup(target)
    await cairn.close()
    const sound = readFileSync(target)
    writeFileSync(file, readFileSync(file).fill(0, 30 * 8192, 31 * 8192))
    const hurt = await openCairn({ file, vectors: false })
    onTestFinished(() => hurt.close())
    const refusal = await refusalOf(hurt.backup(target, { force: true }))
    expect(refusal).toMatchObject({ code: 'damaged', message: `${file} is damaged.` })
    expect(readFileSync(target).equals(sound)).toBe(true)
    expect(readdirSync(dirname(target))).toEqual(['test.cairn'])
  })

  test('that was killed leaves a draft that the next one removes, and nobody else’s', async () => {
    const cairn = await libraryOf(['a note'], { vectors: false })
    const folder = temporaryFolder()
    const script = `
      const { openCairn } = await import(${LIBRARY})
      const cairn = await openCairn({ file: ':memory:', vectors: false })
      await cairn.backup(${JSON.stringify(join(folder, 'killed.cairn'))}, {
        onProgress: () => process.kill(process.pid, 'SIGKILL') })`
    spawnSync(process.execPath, ['--input-type=module', '-e', script])
    const [left = ''] = readdirSync(folder)
    expect(left).toMatch(/^killed\.cairn\.cairn-\d+-[0-9a-f]{8}\.tmp$/)
    // Of an earlier process with the same id, as in a container; of a living process; of another program.
    const stale = [left, left.replace(/\d+(?=-)/, `${process.pid}`), `${left}-wal`]
    const kept = [left.replace(/\d+(?=-)/, `${process.ppid}`), 'notes.1a2b3c4d.tmp']
    for (const name of [...stale, ...kept]) writeFileSync(join(folder, name), '')
    await cairn.backup(join(folder, 'copy.cairn'))
    expect(readdirSync(folder).sort()).toEqual(['copy.cairn', ...kept].sort())
  })

  test('makes the folder of its target', async () => {
    const cairn = await libraryOf(['a note'], { vectors: false })
    const target = join(temporaryFolder(), 'deep', 'er', 'copy.cairn')
    await cairn.backup(target)
    expect(existsSync(target)).toBe(true)
  })

  test('that cannot be written leaves no file and gives the reason', async () => {
    const cairn = await libraryOf(['a note'], { vectors: false })
    const folder = join(temporaryFolder(), 'sub')
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), '')
    const inFile = await refusalOf(cairn.backup(join(folder, 'file', 'copy.cairn')))
    expect(inFile.code).toBe('unreadable_file')
    expect(inFile.message).toContain('copy.cairn')
    rmSync(join(folder, 'file'))
    chmodSync(folder, 0o500)
    if (process.getuid !== undefined && process.getuid() !== 0) {
      expect((await refusalOf(cairn.backup(join(folder, 'copy.cairn')))).code).toBe(
        'unreadable_file',
      )
    }
    expect(readdirSync(folder)).toEqual([])
  })
})

test('an import of an archive that is killed at any time can be completed by another import', async () => {
  const { cairn } = await fullLibrary()
  await cairn.addMany(Array.from({ length: 4000 }, (_, i) => ({ body: `harbour note ${i}` })))
  const lines = await linesOf(cairn)
  const archive = join(temporaryFolder(), 'all.jsonl')
  writeFileSync(archive, `${lines.join('\n')}\n`)
  const file = temporaryFile()
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ file: ${JSON.stringify(file)} })
    await cairn.import(${JSON.stringify(archive)}, { onProgress: () => process.stdout.write('.') })`
  for (const batches of [2, 5]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = new Promise((resolve) => child.on('close', resolve))
    let dots = 0
    child.stdout.on('data', (part: Buffer) => {
      dots += part.length
      if (dots >= batches) child.kill('SIGKILL')
    })
    await closed
    expect(child.signalCode).toBe('SIGKILL')
  }
  const restored = await openCairn({ file })
  onTestFinished(() => restored.close())
  expect((await restored.doctor()).ok).toBe(true)
  const report = await restored.import(archive)
  expect(report).toMatchObject({ format: 'archive', updated: 0, conflictCount: 0 })
  expect(report.unchanged).toBeGreaterThan(0)
  expect(report.created).toBeGreaterThan(0)
  expect(await linesOf(restored)).toEqual(lines)
  expect((await restored.doctor()).ok).toBe(true)
})

test('dated backups keep the newest, and each opens as the whole file it was (a restore drill)', async () => {
  let time = Date.parse('2026-03-01T04:00:00Z')
  const cairn = await openCairn({ file: temporaryFile(), vectors: false, now: () => time })
  onTestFinished(() => cairn.close())
  const folder = join(dirname(cairn.file), 'copies')
  await cairn.add({ body: 'The note of every day.' })
  const answers = []
  await expect(cairn.backup(folder, { keep: 0 })).rejects.toThrow('keep must be at least 1')
  for (let day = 1; day <= 4; day++) {
    await cairn.add({ body: `The note of day ${day}.` })
    answers.push(await cairn.backup(folder, { keep: 2 }))
    writeFileSync(join(folder, 'cairn-mine.cairn'), 'not a dated copy')
    time += 86_400_000
  }
  expect(answers.map(({ removed }) => removed.length)).toEqual([0, 0, 1, 1])
  expect(readdirSync(folder).sort()).toEqual([
    'cairn-20260303T040000000Z.cairn',
    'cairn-20260304T040000000Z.cairn',
    'cairn-mine.cairn',
  ])
  for (const [name, notes] of [
    ['cairn-20260303T040000000Z.cairn', 4],
    ['cairn-20260304T040000000Z.cairn', 5],
  ] as const) {
    const restored = await openCairn({ file: join(folder, name), create: false, vectors: false })
    onTestFinished(() => restored.close())
    expect((await restored.doctor()).ok).toBe(true)
    expect((await restored.search('note', { limit: 1 })).total.value).toBe(notes)
    expect((await restored.add({ body: 'Work goes on.' })).created).toBe(true)
  }
})
