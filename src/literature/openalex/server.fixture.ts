/** A real server on this machine that answers like OpenAlex, or misbehaves as a test wants. */

import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAlex, type OpenAlexOptions } from './openalex.js'

export const NOW = Date.parse('2026-01-02T03:04:05Z')

export type Asked = {
  readonly path: string
  readonly params: URLSearchParams
  readonly agent: string
}
export type Answer = (response: ServerResponse, asked: Asked) => void

export function fixture(name: string): unknown {
  const url = new URL(`../../../test/fixtures/openalex/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8'))
}

export const send =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
export const page = (results: readonly unknown[], nextCursor: string | null = null): Answer =>
  send({ meta: { count: results.length, next_cursor: nextCursor }, results })

const running: Server[] = []

export async function stopServers(): Promise<void> {
  for (const server of running.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
}

/** Answers by `answers` in turn, the last one for ever. The clock stands still but for what is slept. */
export async function serve(...answers: readonly Answer[]) {
  const asked: Asked[] = []
  const slept: number[] = []
  const clock = { nowMs: NOW }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://openalex.example')
    const agent = request.headers['user-agent'] ?? ''
    asked.push({ path: url.pathname, params: url.searchParams, agent })
    answers[Math.min(asked.length, answers.length) - 1]?.(response, asked.at(-1) as Asked)
  })
  running.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  const connect = (options: Partial<OpenAlexOptions> = {}) =>
    createOpenAlex({
      baseUrl,
      mailto: null,
      cacheDir: null,
      requestsPerSecond: Number.POSITIVE_INFINITY,
      now: () => clock.nowMs,
      random: () => 0.5,
      sleep: async (delayMs, signal) => {
        signal?.throwIfAborted()
        slept.push(delayMs)
        clock.nowMs += delayMs
      },
      ...options,
    })
  return { baseUrl, asked, slept, clock, connect }
}
