/** Every operation on every interface: a file with records of another namespace answers as if they were not there. */

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { writeArguments } from '../src/cli/command-line.js'
import { COMMANDS } from '../src/cli/commands.js'
import { listEndpoints } from '../src/http/routes.js'
import { type Cairn, CairnError, openCairn } from '../src/index.js'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { describeTools } from '../src/mcp/call-tool.js'
import { OPERATIONS, perform } from '../src/operations/operations.js'
import { serve } from './support/http.js'
import { terminal } from './support/terminal.js'
import { ASKED_AT, createTwoFiles, OWN } from './support/two-files.js'
import {
  type Input,
  listInputs,
  listToolCalls,
  type Question,
} from './support/two-files-questions.js'

/** What is asked: an operation or a tool by its name, and its input. */
type Ask = (question: Question) => Promise<unknown>

const folder = mkdtempSync(join(tmpdir(), 'cairn-pinned-'))
let files: Awaited<ReturnType<typeof createTwoFiles>>
/** OpenAlex, which knows nothing. */
const openAlex = createServer(({ url = '' }, response) => {
  response.writeHead(/\/works\/./.test(url) ? 404 : 200, { 'content-type': 'application/json' })
  response.end('{"results":[],"meta":{"count":0,"next_cursor":null}}')
})
let openAlexUrl = ''

beforeAll(async () => {
  files = await createTwoFiles(folder)
  await new Promise<void>((listening) => void openAlex.listen(0, '127.0.0.1', listening))
  openAlexUrl = `http://127.0.0.1:${(openAlex.address() as AddressInfo).port}`
})
afterAll(() => {
  openAlex.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A copy of each file for one test: what it writes, it writes to both. */
function copyFiles(name: string): readonly [alone: string, among: string] {
  return [files.alone, files.among].map((file, i) => {
    const copy = join(folder, `${name}-${i}.cairn`)
    copyFileSync(file, copy)
    return copy
  }) as [string, string]
}

async function openPinned(file: string): Promise<Cairn> {
  const options = { file, namespace: OWN, pinned: true, openAlex: { baseUrl: openAlexUrl } }
  const cairn = await openCairn({ ...options, now: () => ASKED_AT })
  onTestFinished(() => cairn.close())
  return cairn
}

/** Reads first, then writes, then what cannot be undone. */
const IN_ORDER = ['reads', 'writes', 'erases'].flatMap((effect) =>
  OPERATIONS.filter((operation) => operation.effect === effect),
)

/** Gives names to the ids that were made since, in the order they appear, and takes the durations out. */
function createSteady(): (answer: unknown) => string {
  const made = new Map<string, string>()
  const known = JSON.stringify(files.names)
  return (answer) =>
    (JSON.stringify(answer) ?? '')
      .replace(/(tookMs\\*":) ?[\d.e-]+/g, '$1 0')
      .replace(/\d+(\.\d+)? ms\b/g, 'N ms')
      .replace(/(?<![\d.])01[0-9A-HJKMNP-TV-Z]{12,24}\b/g, (id) => {
        if (known.includes(id)) return id
        if (!made.has(id)) made.set(id, `made ${made.size}`)
        return made.get(id) ?? id
      })
}

/** Asks both files the same questions in the same order. */
async function compare(asks: readonly [alone: Ask, among: Ask], questions: readonly Question[]) {
  const [steadyAlone, steadyAmong] = [createSteady(), createSteady()]
  const leaks: unknown[] = []
  for (const question of questions) {
    const [alone, among] = asks.map((ask) => ask(question).catch(describeFailure))
    const [expected, told] = [steadyAlone(await alone), steadyAmong(await among)]
    if (told !== expected) leaks.push({ question, told, expected })
  }
  if (process.env.SHOW_LEAKS) writeFileSync(process.env.SHOW_LEAKS, JSON.stringify(leaks))
  expect(leaks.slice(0, 1)).toEqual([])
}

function describeFailure(error: unknown) {
  if (!(error instanceof CairnError)) throw error
  return { code: error.code, message: error.message, hint: error.hint }
}

/**
 * For every operation: the test fails until a new one has inputs. The library answers all of them; another interface gets
 * `most` of each operation, from its first to its last, and four times as many searches.
 */
function listQuestions(most = Number.POSITIVE_INFINITY): Question[] {
  const inputs = listInputs(files.names)
  return IN_ORDER.flatMap(({ name }) => {
    expect(inputs[name]?.length ?? 0, `inputs for ${name}`).toBeGreaterThan(0)
    const step = Math.ceil(inputs[name].length / (name === 'search' ? 4 * most : most)) || 1
    const asked = inputs[name].filter((_, i) => i % step === 0)
    return asked.map((input) => ({ of: name, input }))
  })
}

function findOperation(name: string) {
  const found = OPERATIONS.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

async function both<T>(name: string, open: (file: string) => Promise<T>): Promise<readonly [T, T]> {
  const [alone, among] = copyFiles(name)
  return [await open(alone), await open(among)]
}

test('[A5] the library', async () => {
  const asks = await both('library', async (file): Promise<Ask> => {
    const cairn = await openPinned(file)
    return ({ of, input }) => perform(findOperation(of), cairn, input)
  })
  await compare(asks, listQuestions())
})

test('[A5] HTTP', async () => {
  const asks = await both('http', async (file): Promise<Ask> => {
    const { send } = await serve([], { cairn: await openPinned(file) })
    return async ({ of, input }) => {
      const answers = []
      for (const request of listRequests(of, input)) {
        const { status, text } = await send(request.path, request)
        answers.push({ request, status, text })
      }
      return answers
    }
  })
  await compare(asks, listQuestions(2))
})

/** The requests that run an operation with this input, one for each of its endpoints that can say it. */
function listRequests(name: string, input: Input) {
  return listEndpoints(findOperation(name)).flatMap(({ method, path, parameters, hasBody }) => {
    const rest: Record<string, unknown> = { ...input }
    let full = path
    for (const { name: part, option } of parameters) {
      const values = [rest[option] ?? []].flat()
      if (values.length !== 1) return []
      full = full.replace(`{${part}}`, encodeURIComponent(String(values[0])))
      delete rest[option]
    }
    if (hasBody) return [{ method, path: full, body: rest }]
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(rest)) {
      if (value !== undefined)
        query.set(key, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return [{ method, path: `${full}?${query}` }]
  })
}

test('[A5] the command line', async () => {
  const asks = await both('cli', async (file): Promise<Ask> => {
    const pin = { CAIRN_PINNED: '1', CAIRN_NAMESPACE: OWN, CAIRN_OPENALEX_URL: openAlexUrl }
    const run = terminal(file, { env: { CAIRN_DB: file, ...pin }, now: () => ASKED_AT })
    return async ({ of, input }) => {
      const command = COMMANDS.find(({ performs = [] }) => performs.some((name) => name === of))
      if (command === undefined) return null
      const args = [...command.name.split(' '), ...writeArguments(command, input)]
      return run(...args)
    }
  })
  await compare(asks, listQuestions(2))
})

test('[A5] MCP', async () => {
  const calls = listToolCalls(files.names)
  for (const { name, inputSchema } of describeTools()) {
    const own = calls.filter(({ of }) => of === name)
    expect(own.length, `calls of ${name}`).toBeGreaterThan(0)
    const properties: object = inputSchema.properties ?? {}
    for (const [option, { enum: values = [] }] of Object.entries(properties)) {
      if (option !== 'action' && option !== 'relation') continue
      const called = own.map(({ input }) => input[option])
      expect(called, `${name}: ${option}`).toEqual(expect.arrayContaining(values))
    }
  }
  const asks = await both('mcp', async (file): Promise<Ask> => {
    const { call, read } = talkTo(await openPinned(file))
    return ({ of, input }) => (of === 'resource' ? read(String(input.uri)) : call(of, input))
  })
  await compare(asks, calls)
})
