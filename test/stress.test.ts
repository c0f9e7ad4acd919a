import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'

const RUNNER = join(import.meta.dirname, '../stress/run.mjs')

type Fault = {
  readonly seed: number
  readonly figures: Readonly<Record<string, number | string>>
  readonly problems: readonly string[]
}

/** The short form of `npm run stress -- NAMES`, which lasts as long as one wants: one after the other, in one process. */
async function surviveAll(
  names: readonly string[],
  seconds: number,
  context: TestContext,
): Promise<readonly Fault[]> {
  const child = spawn(process.execPath, [RUNNER, ...names, '--seconds', `${seconds}`, '--json'])
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  await new Promise((resolve) => child.on('close', resolve))
  expect(err).toBe('')
  const { faults } = JSON.parse(out) as { faults: readonly Fault[] }
  expect(faults).toHaveLength(names.length)
  for (const fault of faults) {
    if (typeof fault.figures.skipped === 'string') context.skip(fault.figures.skipped)
    // A busy machine takes longer: times are for `npm run stress` alone.
    expect(fault.problems.filter((sentence) => !/ took \d+ ms/.test(sentence))).toEqual([])
  }
  return faults
}

async function survive(name: string, seconds: number, context: TestContext): Promise<Fault> {
  const [fault] = await surviveAll([name], seconds, context)
  if (fault === undefined) throw new Error(`${name} told nothing`)
  return fault
}

// Several processes each, on a machine that may be busy.
describe.concurrent('faults', { timeout: 180_000 }, () => {
  test('[N9, D1] processes that are killed lose nothing acknowledged, and no search shows a ghost', async (context) => {
    const { figures } = await survive('processes', 0.4, context)
    expect(figures.kills).toBeGreaterThan(0)
    expect(figures.writes).toBeGreaterThan(0)
    expect(figures.searches).toBeGreaterThan(0)
  })

  test('[N4] a clock that jumps back takes nothing away and lets no signal out of its bounds', async (context) => {
    const { figures } = await survive('clock', 0.3, context)
    expect(figures.jumps).toBeGreaterThan(0)
  })

  test('[N9] whatever a killed process leaves beside a file, all that it acknowledged is there', async (context) => {
    const { figures } = await survive('left-log', 0.1, context)
    expect(figures.opened).toBeGreaterThanOrEqual(7)
  })

  test('[N9] nothing is written into a file that was deleted or replaced, and a server goes on with the new one', async (context) => {
    const { figures } = await survive('replaced', 0.1, context)
    expect(figures.refused).toBe(12)
    expect(figures.reopened).toBe(2)
  })

  test('[N2] a server refuses every spelling of a path to another site, and no question keeps it busy', async (context) => {
    const { figures } = await survive('servers', 0.1, context)
    expect(figures.refused).toBeGreaterThan(0)
    expect(figures.questions).toBeGreaterThan(0)
  })

  test('editing and searching in a loop holds no more memory than at first', async (context) => {
    const { figures } = await survive('memory', 0.3, context)
    expect(figures.rounds).toBeGreaterThan(5)
  })

  test('[A1, L8] a model that dies in the middle of an import costs no record, and is made up for later', async (context) => {
    const { figures } = await survive('provider', 0.1, context)
    expect(figures.embeddedLater).toBeGreaterThan(0)
  })

  test('[N10] while another process changes the model every answer is of one model alone', async (context) => {
    const { figures } = await survive('switched-model', 0.4, context)
    expect(figures.switches).toBeGreaterThan(1)
    expect(figures.searches).toBeGreaterThan(1)
  })

  test('[D5] broken queries, files, messages and requests are answered or refused in a sentence', async (context) => {
    // Queries and files are tried in the same way by src/search/any-text.test.ts and src/import/fuzz.test.ts.
    const names = ['fuzz-add', 'fuzz-http', 'long-texts', 'hostile-inputs', 'fuzz-mcp']
    const faults = await surviveAll(names, 0.4, context)
    const [add, http, long, hostile, mcp] = faults.map(({ figures }) => figures)
    for (const figures of [add, http, long]) expect(figures?.inputs).toBeGreaterThan(0)
    expect(hostile?.refused).toBeGreaterThan(0)
    expect(mcp?.['stdio inputs']).toBeGreaterThan(0)
    expect(mcp?.['http inputs']).toBeGreaterThan(0)
  })
})

test('a fault that is not there is refused with the names of those there are', async () => {
  const child = spawn(process.execPath, [RUNNER, 'earthquake'])
  let err = ''
  child.stderr.on('data', (part) => {
    err += part
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code).toBe(2)
  expect(err).toMatch(
    /^There is no fault "earthquake"; there are: changed-vectors, .*switched-model/,
  )
})
