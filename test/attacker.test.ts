/** Whoever has a token of one namespace tries to learn of another, by every operation, on both backends. */

import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openOver } from '../src/cairn/open.js'
import type { Caller } from '../src/core/caller.js'
import { createIdGenerator } from '../src/core/ids.js'
import { REINFORCEMENT } from '../src/core/salience.js'
import { type Cairn, openCairn } from '../src/index.js'
import { OPERATIONS, perform } from '../src/operations/operations.js'
import type { Driver } from '../src/storage/postgres/driver.js'
import { openPostgres } from '../src/storage/postgres/open-postgres.js'
import { openDatabase } from './support/postgres.js'
import { ASKED_AT, createTwoFiles, OWN } from './support/two-files.js'
import {
  type Ask,
  compare,
  describeFailure,
  type EmptyOpenAlex,
  findOperation,
  listQuestions,
  startEmptyOpenAlex,
} from './support/two-files-ask.js'
import type { Question } from './support/two-files-questions.js'

type Which = 'alone' | 'among'
/** The file of all callers, and every statement that ran on it. */
type Opened = { readonly cairn: Cairn; readonly statements: string[] }

const folder = mkdtempSync(join(tmpdir(), 'cairn-attacker-'))
let files: Awaited<ReturnType<typeof createTwoFiles>>
let openAlex: EmptyOpenAlex
beforeAll(async () => {
  files = await createTwoFiles(folder)
  openAlex = await startEmptyOpenAlex()
})
afterAll(() => {
  openAlex.close()
  rmSync(folder, { recursive: true, force: true })
})

const now = () => ASKED_AT
const options = () => ({ now, openAlex: { baseUrl: openAlex.baseUrl } })
let copies = 0

async function openSqlite(which: Which, cache: false | object = {}): Promise<Opened> {
  copies += 1
  const file = join(folder, `${copies}-${which}.cairn`)
  copyFileSync(files[which], file)
  const statements: string[] = []
  const trace = (sql: string) => statements.push(sql)
  const cairn = await openCairn({ ...options(), cache, file, trace })
  onTestFinished(() => cairn.close())
  return { cairn, statements }
}

async function openPostgresql(which: Which, cache: false | object = {}): Promise<Opened> {
  const { driver, schema } = await openDatabase()
  const statements: string[] = []
  const traced: Driver = {
    ...driver,
    withConnection: (work) =>
      driver.withConnection((connection) =>
        work({
          ...connection,
          query(sql, values) {
            // Nobody waits for the end of a snapshot: it may come with the statements of the next question.
            if (sql !== 'COMMIT') statements.push(sql)
            return connection.query(sql, values)
          },
        }),
      ),
  }
  const arithmetic = { now, decay: 1, reinforcement: REINFORCEMENT }
  const makeId = createIdGenerator({ now, randomBytes })
  const storage = await openPostgres({ ...arithmetic, makeId, driver: traced, schema })
  const file = { file: 'PGlite' }
  const cairn = await openOver({ storage, ...file }, { ...options(), cache, ...file }, arithmetic)
  onTestFinished(() => cairn.close())
  const source = await openCairn({ file: files[which] })
  await cairn.importAll(source.exportAll())
  await source.close()
  return { cairn, statements }
}

const EVE: Caller = { name: 'eve', namespaces: [OWN], role: 'admin' }

/** PostgreSQL takes twenty times as long, so it gets a part of the questions. */
describe.each([
  ['SQLite', openSqlite, Number.POSITIVE_INFINITY],
  ['PostgreSQL', openPostgresql, 1],
] as const)('over %s', (_, open, most) => {
  test('[A5] every answer is as if nobody else were there', async () => {
    const asks = await Promise.all(
      (['alone', 'among'] as const).map(async (which): Promise<Ask> => {
        const { cairn } = await open(which)
        const view = cairn.as(EVE)
        return ({ of, input }) => perform(findOperation(of), view, input)
      }),
    )
    const examples = most === 1 ? [] : EXAMPLES
    const questions = [...listQuestions(files.names, most), ...examples]
    await compare(files.names, asks as [Ask, Ask], questions)
  }, 180_000)

  test('[A5] what another namespace has takes the same statements as what nobody has', async () => {
    const { cairn, statements } = await open('among', false)
    const view = cairn.as(EVE)
    const trace = async ({ of, input }: Question) => {
      statements.length = 0
      await perform(findOperation(of), view, input).catch(describeFailure)
      return statements.map(withoutValues)
    }
    const asked = listQuestions(files.names, 3 * most).filter(namesForeign)
    expect(asked.length).toBeGreaterThan(25)
    const told: unknown[] = []
    // Fills the caches that any search uses.
    for (let i = 0; i < 3; i++) await view.search('tide', { sessions: [`nobody's ${i}`] })
    for (let i = 0; i < 3; i++)
      await view.search('heron', { ids: { out: ['01KJKB3WVG0W7NXHWF8T1TTXK6'] } })
    for (const question of asked) {
      const unknown = await trace(renameForeign(question, 'V'))
      const foreign = await trace(question)
      if (unknown.join() !== foreign.join()) told.push({ question, unknown, foreign })
    }
    if (process.env.SHOW_LEAKS) writeFileSync(process.env.SHOW_LEAKS, JSON.stringify(told))
    expect(told.slice(0, 1)).toEqual([])
  })

  test('[A5] what others write does not show in what is cached', async () => {
    const { cairn } = await open('among')
    const view = cairn.as(EVE)
    const search = () => view.search('heron', { limit: 2 })
    const [first, second] = [await search(), await search()]
    await cairn.add({ body: 'Somebody else writes.', namespace: 'b' })
    const third = await search()
    const timeless = (answer: object) => ({ ...answer, tookMs: 0 })
    expect([second, third].map(timeless)).toEqual([first, first].map(timeless))
  })
})

/** What their inputs name is a path of this machine. */
const PATHS: readonly string[] = ['import', 'mirror', 'backup', 'copy']
const EXAMPLES: readonly Question[] = OPERATIONS.flatMap(({ name, examples }) =>
  (examples as readonly Question['input'][]).map((input) => ({ of: name, input })),
).filter(({ of }) => !PATHS.includes(of))

const withoutValues = (sql: string) =>
  sql.replace(/'(?:[^']|'')*'/g, '?').replace(/\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/g, '?')

/** Names that only the other namespace has, as words of JSON; not the words of texts, whose lists have to be read. */
function listForeign(letter: string): [name: string, unknown: string][] {
  const { theirs } = files.names
  const ids = Object.values(theirs).map((id): [string, string] => {
    const start = id.slice(0, 14)
    return [start, `${start.slice(0, 10)}${letter.repeat(4)}`]
  })
  const word = letter.toLowerCase().repeat(6)
  return [
    ...ids,
    ['secret2020', `${word}2020`],
    ['10.1000/secret', `10.1000/${word}`],
    ['"theirs"', `"${word}"`],
    ['"standup-o"', `"standup-${letter}"`],
    ['"standup-of-others"', `"standup-of-${word}"`],
    ['"b"', `"${letter}"`],
  ]
}

function renameForeign({ of, input }: Question, letter: string): Question {
  let text = JSON.stringify(input)
  for (const [name, unknown] of listForeign(letter)) text = text.replaceAll(name, unknown)
  return { of, input: JSON.parse(text) }
}

/** They make what their input names. What names no work to `explore` is a query, whose words are searched for. */
const MAKERS: readonly string[] = [
  ...['add', 'add.many', 'session.start', 'lens.save', 'import', 'import.works', 'explore'],
  ...['openalex.get', 'openalex.search', 'openalex.expand'],
]

function namesForeign(question: Question): boolean {
  if (MAKERS.includes(question.of) || 'work' in question.input) return false
  return JSON.stringify(renameForeign(question, 'U')) !== JSON.stringify(question)
}
