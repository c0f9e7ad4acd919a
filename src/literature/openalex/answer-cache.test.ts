/** An answer is asked for once a week, and the files it is kept in hold nothing about who asked. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAnswerCache } from './answer-cache.js'
import { fixture, NOW, page, send, serve, stopServers } from './server.fixture.js'

const DAY_MS = 86_400_000
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-openalex-'))
})
afterEach(async () => {
  await stopServers()
  rmSync(folder, { recursive: true, force: true })
})

const fine = send(fixture('work'))
const files = () => readdirSync(folder).map((name) => join(folder, name))

describe('an answer that was asked for', () => {
  test('is not asked for again, by this client or by another', async () => {
    const server = await serve(fine)
    const openAlex = server.connect({ cacheDir: folder })
    const first = await openAlex.work('W4000000001')
    expect(await openAlex.work('https://openalex.org/w4000000001')).toEqual(first)
    const other = server.connect({ cacheDir: folder, apiKey: 'k2', mailto: 'you@example.org' })
    expect(await other.work('W4000000001')).toEqual(first)
    expect(server.asked).toHaveLength(1)
    expect(openAlex.counts()).toEqual({ requests: 1, fromCache: 1, skipped: 0 })
    expect(other.counts()).toEqual({ requests: 0, fromCache: 1, skipped: 0 })
  })

  test('answers whole lists, page by page', async () => {
    const server = await serve(send(fixture('first-page')), send(fixture('last-page')))
    const openAlex = server.connect({ cacheDir: folder })
    const first = await openAlex.search('fog', { limit: 50 })
    expect(await openAlex.search('fog', { limit: 50 })).toEqual(first)
    expect(server.asked).toHaveLength(2)
  })

  test('is asked for again after a week, or after the time that was set', async () => {
    const server = await serve(fine)
    const openAlex = server.connect({ cacheDir: folder })
    await openAlex.work('W1')
    server.clock.nowMs = NOW + 7 * DAY_MS - 1
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(1)
    server.clock.nowMs = NOW + 7 * DAY_MS
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(2)
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(2)
    await server.connect({ cacheDir: folder, cacheTimeToLiveMs: 0 }).work('W1')
    expect(server.asked).toHaveLength(3)
  })

  test('is asked for again when the clock was set back', async () => {
    const server = await serve(fine)
    await server.connect({ cacheDir: folder }).work('W1')
    server.clock.nowMs = NOW - DAY_MS
    await server.connect({ cacheDir: folder }).work('W1')
    expect(server.asked).toHaveLength(2)
  })

  test('is kept nowhere without a folder', async () => {
    const server = await serve(fine)
    const openAlex = server.connect()
    await openAlex.work('W1')
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(2)
  })

  test('is not shared by two addresses', async () => {
    const [one, other] = [await serve(fine), await serve(fine)]
    await one.connect({ cacheDir: folder }).work('W1')
    await other.connect({ cacheDir: folder }).work('W1')
    expect(other.asked).toHaveLength(1)
  })
})

describe('a file of the cache', () => {
  test.each([
    ['empty', ''],
    ['cut off', '{"url":"http'],
    ['null', 'null'],
    ['of another address', `{"url":"x","storedAtMs":${NOW},"answer":{"id":"W1"}}`],
    ['without an answer', `{"storedAtMs":${NOW}}`],
    ['bytes', Buffer.from([0, 255, 254, 0])],
  ])('that is %s is ignored and written anew', async (_, content) => {
    const server = await serve(fine)
    await server.connect({ cacheDir: folder }).work('W1')
    const [path = ''] = files()
    writeFileSync(path, content)
    expect(await server.connect({ cacheDir: folder }).work('W1')).not.toBeNull()
    expect(await server.connect({ cacheDir: folder }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
    expect(files()).toEqual([path])
  })

  test('whose answer is no work is ignored', async () => {
    const server = await serve(fine)
    await server.connect({ cacheDir: folder }).work('W1')
    const [path = ''] = files()
    const entry = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...entry, answer: { hello: 'world' } }))
    expect(await server.connect({ cacheDir: folder }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
  })

  test('is not written for what is not there, refused or wrong', async () => {
    const server = await serve(send({}, 404), send({}, 403), send({ hello: 'world' }))
    const openAlex = server.connect({ cacheDir: folder })
    expect(await openAlex.work('W1')).toBeNull()
    await expect(openAlex.work('W1')).rejects.toThrow()
    await expect(openAlex.work('W1')).rejects.toThrow()
    expect(files()).toEqual([])
  })

  test('holds neither the key nor the mail address, even when an answer repeats them', async () => {
    const [key, mailto] = ['oa-secret-zebra', 'someone+alex@example.org']
    const echo = { ...(fixture('work') as object), note: `for ${mailto}` }
    const echoedKey = { ...(fixture('work') as object), api_url: `?api_key=${key}` }
    const server = await serve(fine, page([fixture('work')]), send(echo), send(echoedKey))
    const openAlex = server.connect({ cacheDir: folder, apiKey: key, mailto })
    await openAlex.work('W1')
    await openAlex.search('fog', { limit: 1 })
    await openAlex.work('W2')
    await openAlex.work('W3')
    expect(server.asked.every(({ params }) => params.get('api_key') === key)).toBe(true)
    expect(files()).toHaveLength(2)
    const written = files()
      .map((path) => path + readFileSync(path, 'utf8'))
      .join('\n')
    expect(written).toContain('"url"')
    expect(written).not.toMatch(/oa-secret|zebra|someone|api_key|mailto/)
  })

  test('is whole however many write it at once', async () => {
    const cache = createAnswerCache(folder, { timeToLiveMs: DAY_MS, now: () => NOW })
    const answers = Array.from({ length: 20 }, (_, i) => ({ id: i, text: 'x'.repeat(20_000 + i) }))
    const reads = await Promise.all(
      answers.map(async (answer) => {
        await cache.write('http://openalex.example/', answer)
        return cache.read('http://openalex.example/')
      }),
    )
    expect(
      reads.every((read) =>
        answers.some((answer) => JSON.stringify(answer) === JSON.stringify(read)),
      ),
    ).toBe(true)
    expect(files()).toHaveLength(1)
  })

  test('that cannot be written costs nothing but a request', async () => {
    const server = await serve(fine)
    const taken = join(folder, 'taken')
    writeFileSync(taken, 'a file where the folder would be')
    expect(await server.connect({ cacheDir: taken }).work('W1')).not.toBeNull()
    expect(await server.connect({ cacheDir: taken }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
  })

  test('is not there before an answer is', async () => {
    const server = await serve(send({}, 404))
    const later = join(folder, 'later')
    expect(await server.connect({ cacheDir: later }).work('W1')).toBeNull()
    expect(existsSync(later)).toBe(false)
  })
})
