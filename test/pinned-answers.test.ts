/** Every operation on every interface: a file with records of another namespace answers as if they were not there. `attacker.test.ts` asks the library. */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { writeArguments } from '../src/cli/command-line.js'
import { COMMANDS } from '../src/cli/commands.js'
import { type Cairn, openCairn } from '../src/index.js'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { describeTools } from '../src/mcp/call-tool.js'
import { serve } from './support/http.js'
import { terminal } from './support/terminal.js'
import { ASKED_AT, createTwoFiles, OWN } from './support/two-files.js'
import {
  type Ask,
  compare,
  type EmptyOpenAlex,
  listQuestions,
  listRequests,
  startEmptyOpenAlex,
} from './support/two-files-ask.js'
import { listToolCalls } from './support/two-files-questions.js'

const folder = mkdtempSync(join(tmpdir(), 'cairn-pinned-'))
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

/** A copy of each file for one test: what it writes, it writes to both. */
function copyFiles(name: string): readonly [alone: string, among: string] {
  return [files.alone, files.among].map((file, i) => {
    const copy = join(folder, `${name}-${i}.cairn`)
    copyFileSync(file, copy)
    return copy
  }) as [string, string]
}

async function openPinned(file: string): Promise<Cairn> {
  const options = { file, namespace: OWN, pinned: true, openAlex: { baseUrl: openAlex.baseUrl } }
  const cairn = await openCairn({ ...options, now: () => ASKED_AT })
  onTestFinished(() => cairn.close())
  return cairn
}

async function both<T>(name: string, open: (file: string) => Promise<T>): Promise<readonly [T, T]> {
  const [alone, among] = copyFiles(name)
  return [await open(alone), await open(among)]
}

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
  await compare(files.names, asks, listQuestions(files.names, 2))
})

test('[A5] the command line', async () => {
  const asks = await both('cli', async (file): Promise<Ask> => {
    const pin = { CAIRN_PINNED: '1', CAIRN_NAMESPACE: OWN, CAIRN_OPENALEX_URL: openAlex.baseUrl }
    const run = terminal(file, { env: { CAIRN_DB: file, ...pin }, now: () => ASKED_AT })
    return async ({ of, input }) => {
      const command = COMMANDS.find(({ performs = [] }) => performs.some((name) => name === of))
      if (command === undefined) return null
      const args = [...command.name.split(' '), ...writeArguments(command, input)]
      return run(...args)
    }
  })
  await compare(files.names, asks, listQuestions(files.names, 2))
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
  await compare(files.names, asks, calls)
})
