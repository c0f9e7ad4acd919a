/** Asks two files the same questions and reports every answer that tells them apart. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { listEndpoints } from '../../src/http/routes.js'
import { CairnError } from '../../src/index.js'
import { OPERATIONS } from '../../src/operations/operations.js'
import type { Names } from './two-files.js'
import { type Input, listInputs, type Question } from './two-files-questions.js'

/** What is asked: an operation or a tool by its name, and its input. */
export type Ask = (question: Question) => Promise<unknown>

/** Reads first, then writes, then what cannot be undone. */
const IN_ORDER = ['reads', 'writes', 'erases'].flatMap((effect) =>
  OPERATIONS.filter((operation) => operation.effect === effect),
)

/** Gives names to the ids that were made since, in the order they appear, and takes the durations out. */
function createSteady(names: Names): (answer: unknown) => string {
  const made = new Map<string, string>()
  const known = JSON.stringify(names)
  return (answer) =>
    (JSON.stringify(answer) ?? '')
      .replace(/(tookMs\\*":) ?[\d.e-]+/g, '$1 0')
      .replace(/\d+(\.\d+)? ms\b/g, 'N ms')
      // What marks the passages of a prompt is made anew each time.
      .replace(/(<\/?)[\w-]{12}(?= passage|>)/g, '$1mark')
      .replace(/(?<![\d.])01[0-9A-HJKMNP-TV-Z]{12,24}\b/g, (id) => {
        if (known.includes(id)) return id
        if (!made.has(id)) made.set(id, `made ${made.size}`)
        return made.get(id) ?? id
      })
}

/** Asks both files the same questions in the same order. */
export async function compare(
  names: Names,
  [alone, among]: readonly [alone: Ask, among: Ask],
  questions: readonly Question[],
): Promise<void> {
  const [steadyAlone, steadyAmong] = [createSteady(names), createSteady(names)]
  const leaks: unknown[] = []
  for (const question of questions) {
    const asked = [alone, among].map((ask) => ask(question).catch(describeFailure))
    const [expected, told] = [steadyAlone(await asked[0]), steadyAmong(await asked[1])]
    if (told !== expected) leaks.push({ question, told, expected })
  }
  if (process.env.SHOW_LEAKS) writeFileSync(process.env.SHOW_LEAKS, JSON.stringify(leaks))
  expect(leaks.slice(0, 1)).toEqual([])
}

export function describeFailure(error: unknown) {
  if (!(error instanceof CairnError)) throw error
  return { code: error.code, message: error.message, hint: error.hint }
}

/**
 * For every operation: the test fails until a new one has inputs. The library answers all of them; another interface gets
 * `most` of each operation, from its first to its last, and four times as many searches.
 */
export function listQuestions(names: Names, most = Number.POSITIVE_INFINITY): Question[] {
  const inputs = listInputs(names)
  return IN_ORDER.flatMap(({ name }) => {
    expect(inputs[name]?.length ?? 0, `inputs for ${name}`).toBeGreaterThan(0)
    const step = Math.ceil(inputs[name].length / (name === 'search' ? 4 * most : most)) || 1
    const asked = inputs[name].filter((_, i) => i % step === 0)
    return asked.map((input) => ({ of: name, input }))
  })
}

export function findOperation(name: string) {
  const found = OPERATIONS.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

/** The requests that run an operation with this input, one for each of its endpoints that can say it. */
export function listRequests(name: string, input: Input) {
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

export type EmptyOpenAlex = Awaited<ReturnType<typeof startEmptyOpenAlex>>

/** OpenAlex, which knows nothing. */
export async function startEmptyOpenAlex() {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(/\/works\/./.test(url) ? 404 : 200, { 'content-type': 'application/json' })
    response.end('{"results":[],"meta":{"count":0,"next_cursor":null}}')
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() }
}
