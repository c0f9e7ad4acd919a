/** Random edits on both sides of a mirror, and runs that are killed: both sides converge and nothing typed is lost. */

import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import { type Cairn, openCairn } from '../index.js'

const CLI = join(import.meta.dirname, '../../dist/cairn.cjs')

type World = { readonly cairn: Cairn; folder: string; typed: number }
/** `at` chooses a file or a record among those there are. */
type Step = { readonly kind: keyof typeof STEPS; readonly at: number }

function listFiles({ folder }: World): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
}

async function listRecords({ cairn }: World, deleted = false) {
  return (await cairn.list({ limit: 1000, deleted })).records
}

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)]
}

/** Nobody types the same text twice. */
function type(world: World): string {
  world.typed++
  return `typed${world.typed}x`
}

function changeFile(world: World, at: number, change: (text: string) => string): void {
  const name = pick(listFiles(world), at)
  if (name === undefined) return
  const path = join(world.folder, name)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

const STEPS = {
  createFile: async (world: World) => {
    mkdirSync(world.folder, { recursive: true })
    const text = type(world)
    writeFileSync(join(world.folder, `${text}.md`), `${text} in a file\n`)
  },
  editFile: async (world: World, at: number) =>
    changeFile(world, at, (text) => `${text.trimEnd()}\n${type(world)}\n`),
  replaceText: async (world: World, at: number) =>
    changeFile(world, at, (text) => text.replace(/(?<=^|---\n)[^-]*$/, `${type(world)}\n`)),
  tagFile: async (world: World, at: number) =>
    changeFile(world, at, (text) => {
      const tags = `tags: [${type(world)}]\n`
      const old = /^tags:.*\n(?: {2}- .*\n)*/m
      return old.test(text) ? text.replace(old, tags) : text.replace(/^---\n/, `---\n${tags}`)
    }),
  dropFrontMatter: async (world: World, at: number) =>
    changeFile(world, at, (text) => text.replace(/^---\n[\s\S]*?\n---\n/, '')),
  renameFile: async (world: World, at: number) => {
    const name = pick(listFiles(world), at)
    if (name === undefined) return
    renameSync(join(world.folder, name), join(world.folder, `${type(world)}.md`))
  },
  copyFile: async (world: World, at: number) => {
    const name = pick(listFiles(world), at)
    if (name === undefined) return
    const text = readFileSync(join(world.folder, name), 'utf8')
    writeFileSync(join(world.folder, `${type(world)}.md`), `${text.trimEnd()} ${type(world)}\n`)
  },
  deleteFile: async (world: World, at: number) => {
    const name = pick(listFiles(world), at)
    if (name !== undefined) rmSync(join(world.folder, name))
  },
  addRecord: async (world: World) => void (await world.cairn.add({ body: type(world) })),
  editRecord: async (world: World, at: number) => {
    const record = pick(await listRecords(world), at)
    if (record !== undefined) await world.cairn.edit(record.id, { body: type(world) })
  },
  tagRecord: async (world: World, at: number) => {
    const record = pick(await listRecords(world), at)
    if (record !== undefined) await world.cairn.edit(record.id, { tags: [type(world)] })
  },
  deleteRecord: async (world: World, at: number) => {
    const record = pick(await listRecords(world), at)
    if (record !== undefined) await world.cairn.delete([record.id])
  },
  restoreRecord: async (world: World, at: number) => {
    const record = pick(await listRecords(world, true), at)
    if (record !== undefined) await world.cairn.restore([record.id])
  },
  moveFolder: async (world: World) => {
    const to = `${world.folder}-`
    if (existsSync(world.folder)) renameSync(world.folder, to)
    world.folder = to
  },
  run: async (world: World) => {
    const before = await gatherTyped(world)
    const report = await world.cairn.mirror(world.folder)
    expect(report.skipped.filter(({ reason }) => !reason.startsWith('It says the same'))).toEqual(
      [],
    )
    const after = await gatherTyped(world)
    expect([...before].filter((word) => !after.has(word))).toEqual([])
  },
}

/** Every typed word that a file, a record or an earlier version of one still has. */
async function gatherTyped(world: World): Promise<Set<string>> {
  const texts = listFiles(world).map((name) => readFileSync(join(world.folder, name), 'utf8'))
  const records = [...(await listRecords(world)), ...(await listRecords(world, true))]
  for (const { id } of records) texts.push(JSON.stringify(await world.cairn.history(id)))
  return new Set(texts.join('\n').match(/typed\d+x/g))
}

/** The text below the front matter, and the tags. */
function readFileText(world: World, name: string): string {
  const text = readFileSync(join(world.folder, name), 'utf8')
  const tags = /^tags:([\s\S]*?)^(?=\w|---)/m.exec(text)?.[1]?.match(/typed\d+x/g) ?? []
  return `${text.replace(/^---\n[\s\S]*?\n---\n/, '').trim()} ${tags}`
}

const steps = fc.array(
  fc.record({
    kind: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(STEPS) as Step['kind'][])) },
      { weight: 1, arbitrary: fc.constant('run' as const) },
    ),
    at: fc.nat(20),
  }),
  { minLength: 5, maxLength: 25 },
)

// A third of a second for each: every run reads and writes real files.
test('random edits on both sides converge, and nothing typed is lost', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const home = mkdtempSync(join(tmpdir(), 'cairn-mirror-'))
      const cairn = await openCairn({ file: join(home, 'a.cairn'), vectors: false })
      const world: World = { cairn, folder: join(home, 'notes'), typed: 0 }
      try {
        for (const { kind, at } of list) await STEPS[kind](world, at)
        await STEPS.run(world)
        const { skipped, unresolved, ...quiet } = await cairn.mirror(world.folder)
        expect({ changes: quiet.changes, conflicts: quiet.conflicts }).toEqual({
          changes: [],
          conflicts: [],
        })
        const left = [...unresolved, ...skipped.map(({ name }) => name)]
        const own = listFiles(world).filter((name) => !left.includes(name))
        const records = (await listRecords(world)).map(({ body, tags }) => `${body.trim()} ${tags}`)
        expect(own.map((name) => readFileText(world, name)).sort()).toEqual(records.sort())
      } finally {
        await cairn.close()
        rmSync(home, { recursive: true })
      }
    }),
    { numRuns: Number(process.env.MIRROR_RUNS ?? 8) },
  )
})

/** Runs `cairn mirror`, and kills it once the folder is as told. Returns whether it was killed. */
async function runUntil(world: { file: string; folder: string }, isReached: () => boolean) {
  const child = spawn(process.execPath, [CLI, 'mirror', world.folder, '--db', world.file, '--json'])
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const timer = setInterval(() => {
    if (isReached()) child.kill('SIGKILL')
  }, 3)
  await ended
  clearInterval(timer)
  expect([0, null]).toContain(child.exitCode)
  return child.signalCode === 'SIGKILL'
}

// Real processes: each takes a third of a second to start.
test('a run that is killed again and again loses nothing and does nothing twice', async () => {
  const home = temporaryFolder()
  const [file, folder] = [join(home, 'a.cairn'), join(home, 'notes')]
  mkdirSync(folder)
  const numbers = Array.from({ length: 30 }, (_, i) => i)
  for (const i of numbers) writeFileSync(join(folder, `file${i}.md`), `In file ${i}.\n`)
  const open = () => openCairn({ file, vectors: false })
  const first = await open()
  await first.addMany(numbers.map((i) => ({ body: `In record ${i}.`, title: `record${i}` })))
  await first.close()
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  // The child process may remove a file after it was listed.
  const holds = (name: string, pattern: RegExp): boolean => {
    try {
      return pattern.test(read(name))
    } catch (error) {
      if (existsSync(join(folder, name))) throw error
      return false
    }
  }
  const count = (pattern: RegExp): number =>
    listFiles({ folder } as World).filter((name) => holds(name, pattern)).length

  let kills = 0
  for (const limit of [5, 35]) {
    kills += Number(await runUntil({ file, folder }, () => count(/^id: /m) >= limit))
  }
  expect(await runUntil({ file, folder }, () => false)).toBe(false)
  const cairn = await open()
  const bodies = async () =>
    (await cairn.list({ limit: 1000 })).records.map(({ body }) => body).sort()
  const wanted = numbers.flatMap((i) => [`In file ${i}.`, `In record ${i}.`]).sort()
  expect(await bodies()).toEqual(wanted)
  expect(count(/^id: /m)).toBe(60)

  for (const i of numbers) {
    const name = i % 2 ? `file${i}.md` : `record${i}.md`
    writeFileSync(join(folder, name), read(name).replace(`${i}.\n`, `${i}, edited.\n`))
  }
  for (const { id, body, title } of (await cairn.list({ limit: 1000 })).records) {
    const i = Number(/\d+/.exec(body)?.[0])
    const isFile = title?.startsWith('file')
    if (i % 5 === 0 && isFile) await cairn.edit(id, { body: `In both ${i}.` })
    if (i % 10 === 1 && !isFile) rmSync(join(folder, `${title}.md`))
    if (i % 10 === 2 && isFile) await cairn.delete([id])
  }
  await cairn.close()
  for (const limit of [3]) {
    kills += Number(await runUntil({ file, folder }, () => count(/^In both/m) >= limit))
  }
  expect(await runUntil({ file, folder }, () => false)).toBe(false)
  expect(kills).toBeGreaterThan(1)

  const after = await open()
  onTestFinished(() => after.close())
  const records = (await after.list({ limit: 1000 })).records.map(({ body }) => body)
  expect(records).toHaveLength(60 - 3 - 3)
  expect(new Set(records).size).toBe(records.length)
  // The twelfth part was edited on both sides: the file counts, and the record's version is in a copy, once.
  const copies = readdirSync(folder).filter((name) => name.includes('(conflict '))
  expect(copies.map((name) => /file\d+/.exec(name)?.[0]).sort()).toEqual(
    numbers
      .filter((i) => i % 5 === 0 && i % 2 === 1)
      .map((i) => `file${i}`)
      .sort(),
  )
  expect(readdirSync(folder).filter((name) => !name.endsWith('.md'))).toEqual([])
  expect(await after.mirror(folder)).toMatchObject({ changes: [], conflicts: [], skipped: [] })
})

test('two runs at once are one after the other', async () => {
  const home = temporaryFolder()
  const options = { file: join(home, 'a.cairn'), vectors: false } as const
  const [one, other] = await Promise.all([openCairn(options), openCairn(options)])
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])))
  await one.addMany(Array.from({ length: 20 }, (_, i) => ({ body: `Note ${i}.` })))
  const folder = join(home, 'notes')
  const reports = await Promise.all([one.mirror(folder), other.mirror(folder)])
  expect(reports.map(({ files }) => files.created).sort()).toEqual([0, 20])
  expect(readdirSync(folder)).toHaveLength(20)
})
