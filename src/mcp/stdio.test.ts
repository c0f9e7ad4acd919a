/** A client that speaks over standard input and output gets everything, and the file survives its worst day. */

import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { argsOf, talkOver } from '../../test/support/mcp.js'
import { openCairn } from '../index.js'

const NAMES = 'search get timeline briefing remember update forget explore'.split(' ')

describe('a conversation', () => {
  test('[D3] goes from the handshake over every tool to the end', async () => {
    const { client, call } = await talkOver(temporaryFile())
    expect(client.getServerVersion()?.name).toBe('cairn')
    expect(client.getInstructions()).toContain('search')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES)

    const kept = await call('remember', {
      text: 'We deploy on Thursdays, after the nightly backup.',
      tags: ['release'],
      people: ['Priya'],
      facts: [{ type: 'decision', subject: 'we', predicate: 'deploy on', object: 'Thursdays' }],
    })
    expect(kept.data.records[0]).toMatchObject({ created: true, facts: 1 })
    const [{ id }] = kept.data.records
    const again = await call('remember', {
      text: 'We deploy on Thursdays, after the nightly backup.',
    })
    expect(again.data.records[0]).toMatchObject({ id, created: false })
    expect(again.text).toContain('Known already')

    const found = await call('search', { query: 'when do we deploy?' })
    expect(found.data.hits[0]).toMatchObject({ id, facts: [{ type: 'decision' }] })
    expect(found.text).toContain('**deploy**')

    const read = await call('get', { ids: [id.slice(0, 12)] })
    expect(read.data.records[0]).toMatchObject({ id, people: ['Priya'], left: 0 })

    const other = await call('remember', { text: 'The backup runs at two in the morning.' })
    const [{ id: backup }] = other.data.records
    const linked = await call('update', { action: 'link', id, to: backup, type: 'DEPENDS_ON' })
    expect(linked.isError).toBe(false)
    const related = await call('explore', { id, relation: 'related' })
    expect(related.data.links[0]).toMatchObject({
      type: 'DEPENDS_ON',
      author: 'test-client 1.2.3',
      other: { id: backup },
    })

    const edited = await call('update', { action: 'edit', id, text: 'We deploy on Fridays.' })
    expect(edited.data.record.summary).toBe('We deploy on Fridays.')
    const history = await call('explore', { id, relation: 'history' })
    expect(history.data.revisions[0].text).toContain('Thursdays')

    const timeline = await call('timeline', { since: '1d' })
    expect(timeline.data.entries.map((entry: { id: string }) => entry.id)).toEqual([id, backup])
    const [status] = (await client.readResource({ uri: 'cairn://status' })).contents
    expect(status && 'text' in status ? status.text : '').toMatch(
      /records: memory 2, [\s\S]*tags: release 1\n[\s\S]*openSessions\n- .*test-client 1\.2\.3/,
    )
  })

  test('speaks the newer protocol as well', async () => {
    const file = temporaryFile()
    const { client, call } = await talkOver(file, {}, { versionNegotiation: { mode: 'auto' } })
    expect((await client.listTools()).tools).toHaveLength(NAMES.length)
    await call('remember', { text: 'An apple is red.' })
    await client.close()
    const cairn = await openCairn({ file })
    const { sessions } = await cairn.sessions.list()
    expect(sessions).toMatchObject([{ title: 'test-client 1.2.3', state: 'ended' }])
    await cairn.close()
  })

  test('has resources and prompts', async () => {
    const { client, call } = await talkOver(temporaryFile())
    const kept = await call('remember', { text: 'Ports are 5432 and 6543.', title: 'Ports' })
    const [{ id }] = kept.data.records
    await call('update', { action: 'edit', id, text: 'Ports are 5432 and 7000.' })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('cairn://options')
    expect(resources.at(-1)).toMatchObject({ uri: `cairn://record/${id}`, title: 'Ports' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates[0]?.uriTemplate).toBe('cairn://record/{id}')
    const { contents } = await client.readResource({ uri: `cairn://record/${id}` })
    const [page] = contents
    expect(page?.mimeType).toBe('text/markdown')
    expect(page && 'text' in page ? page.text : '').toMatch(
      /^# Ports\n[\s\S]*7000[\s\S]*## history\n/,
    )
    await expect(client.readResource({ uri: 'cairn://record/01ZZZZZZZZ' })).rejects.toThrow(
      /No record has the id "01ZZZZZZZZ"/,
    )
    await expect(client.readResource({ uri: 'cairn://record/%' })).rejects.toThrow(/No record/)
    for (const uri of ['file:///etc', '__proto__']) {
      await expect(client.readResource({ uri })).rejects.toThrow(/no resource of Cairn/)
    }

    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['briefing', 'recall', 'ask', 'summarise'])
    expect(JSON.stringify(await client.getPrompt({ name: 'briefing' }))).toContain(id.slice(0, 14))
    const { messages } = await client.getPrompt({ name: 'recall', arguments: { topic: 'ports' } })
    expect(JSON.stringify(messages)).toContain('what do we know about ports?')
    expect(JSON.stringify(await client.getPrompt({ name: 'summarise' }))).toContain('supersedes')
    await expect(client.getPrompt({ name: 'recal' })).rejects.toThrow(/Did you mean "recall"/)
    await expect(client.getPrompt({ name: 'recall' })).rejects.toThrow(/topic is missing/)
  })

  test('a file that is none is said in a sentence, and the server goes on', async () => {
    const file = temporaryFile()
    const { writeFileSync } = await import('node:fs')
    writeFileSync(file, 'this is no database, and long enough to be looked at as one')
    const { client, call } = await talkOver(file)
    const answer = await call('search', { query: 'x' })
    expect(answer.isError).toBe(true)
    expect(answer.text).toMatch(/is not a/)
    expect((await client.listTools()).tools).toHaveLength(NAMES.length)
  })
})

describe('standard output', () => {
  test('[M13] carries the protocol and nothing else', async () => {
    const file = temporaryFile()
    const child = spawn(process.execPath, argsOf(file), { stdio: ['pipe', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.on('data', (part) => {
      out += part
    })
    child.stderr.on('data', (part) => {
      err += part
    })
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'raw', version: '1' }
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    send({ method: 'notifications/initialized' })
    child.stdin.write('this is not JSON\n')
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'remember', arguments: { text: 'apple' } },
    })
    send({ id: 3, method: 'tools/call', params: { name: 'search', arguments: { query: 'apple' } } })
    send({ id: 4, method: 'no/such' })
    while (![1, 2, 3, 4].every((id) => out.includes(`"id":${id}`)))
      await new Promise((resolve) => setTimeout(resolve, 20))
    child.stdin.end()
    const code = await new Promise((resolve) => child.on('close', resolve))
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number })
    expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
    expect(lines.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4])
    expect(err).toContain('info mcp.call')
    expect(code).toBe(0)
  })
})

describe('the session', () => {
  test('[M8] begins with the first trace, holds what was done, and ends with the connection', async () => {
    const file = temporaryFile()
    const { client, call } = await talkOver(file)
    await call('timeline', {})
    await call('search', { query: 'nothing', recall: false })
    const [status] = (await client.readResource({ uri: 'cairn://status' })).contents
    expect(JSON.stringify(status)).toContain('session: none')
    const kept = await call('remember', { text: 'The kettle is blue. It was a gift.' })
    const [{ id }] = kept.data.records
    await call('search', { query: 'kettle' })
    await call('update', { action: 'edit', id, tags: ['kitchen'] })
    await call('update', { action: 'reinforce', ids: [id], amount: 0.2 })
    await client.close()

    const cairn = await openCairn({ file })
    const { sessions } = await cairn.sessions.list()
    expect(sessions).toMatchObject([
      {
        title: 'test-client 1.2.3',
        state: 'ended',
        counts: { created: 1, recalled: 1, updated: 1, reinforced: 1 },
      },
    ])
    expect(sessions[0]?.summary).toContain('kettle')
    await cairn.close()
  })

  test('[M4] a search is a recall that why shows, unless told otherwise', async () => {
    const file = temporaryFile()
    const { call } = await talkOver(file)
    const kept = await call('remember', { text: 'The kettle is blue.' })
    const [{ id }] = kept.data.records
    await call('search', { query: 'kettle', recall: false })
    expect((await call('explore', { id, relation: 'why' })).data.trace).toEqual([])
    await call('search', { query: 'blue kettle' })
    const why = await call('explore', { id, relation: 'why' })
    expect(why.data.trace[0].recall).toMatchObject({ query: 'blue kettle', rank: 1 })
  })

  test.skipIf(process.platform === 'win32')('[M8] ends on SIGTERM', async () => {
    const file = temporaryFile()
    const { pid, call } = await talkOver(file)
    await call('remember', { text: 'The kettle is blue.' })
    process.kill(pid ?? 0, 'SIGTERM')
    await gone(pid ?? 0)
    const cairn = await openCairn({ file })
    expect((await cairn.sessions.list()).sessions).toMatchObject([{ state: 'ended' }])
    await cairn.close()
  })
})

describe('a bad day', () => {
  test('[M8] a kill in the middle of writing loses nothing that was acknowledged, and abandons the session', async () => {
    const file = temporaryFile()
    const { pid, call } = await talkOver(file)
    const kept: string[] = []
    const writing = (async () => {
      for (let i = 0; i < 1000; i++) {
        const { data } = await call('remember', { text: `note ${i} of the day it was killed` })
        kept.push(data.records[0].id)
      }
    })()
    while (kept.length < 15) await new Promise((resolve) => setTimeout(resolve, 5))
    process.kill(pid ?? 0, 'SIGKILL')
    await expect(writing).rejects.toThrow()
    await gone(pid ?? 0)
    const cairn = await openCairn({ file })
    expect((await cairn.sessions.list()).sessions).toMatchObject([{ state: 'abandoned' }])
    expect((await cairn.doctor()).ok).toBe(true)
    expect((await cairn.get(kept)).missing).toEqual([])
    await cairn.close()
  })

  test('what was cancelled is not answered, and the next call is', async () => {
    const file = temporaryFile()
    const { client, call } = await talkOver(file)
    await call('timeline')
    const stop = new AbortController()
    const records = Array.from({ length: 100 }, (_, i) => ({ text: `note ${i} that may be cut` }))
    const pending = client.callTool(
      { name: 'remember', arguments: { records } },
      { signal: stop.signal },
    )
    setTimeout(() => stop.abort(), 30)
    await expect(pending).rejects.toThrow()
    const { data } = await call('timeline', { limit: 200, budget: 50_000 })
    expect(data.entries.length).toBeLessThan(100)
    expect((await call('remember', { text: 'and on it goes' })).isError).toBe(false)
  })

  test('a message over 10 MB is answered with a sentence, and the next call works', async () => {
    const { call } = await talkOver(temporaryFile())
    const long = call('remember', { text: 'x'.repeat(11 * 1024 * 1024) })
    await expect(long).rejects.toThrow('A message has at most 10485760 bytes')
    expect((await call('remember', { text: 'and on it goes' })).isError).toBe(false)
  })

  test('[N9] two clients on one file see what the other wrote, each in its own session', async () => {
    const file = temporaryFile()
    const [one, two] = await Promise.all([talkOver(file), talkOver(file)])
    const kept = await Promise.all(
      Array.from({ length: 10 }, (_, i) => [
        one.call('remember', { text: `apple number ${i}` }),
        two.call('remember', { text: `pear number ${i}` }),
      ]).flat(),
    )
    expect(kept.filter(({ isError }) => isError)).toEqual([])
    expect((await one.call('search', { query: 'pear' })).data.total.value).toBe(10)
    expect((await two.call('search', { query: 'apple' })).data.total.value).toBe(10)
    await Promise.all([one.client.close(), two.client.close()])
    const cairn = await openCairn({ file })
    expect((await cairn.sessions.list()).sessions.map(({ state }) => state)).toEqual([
      'ended',
      'ended',
    ])
    expect((await cairn.doctor()).ok).toBe(true)
    await cairn.close()
  })
})

/** Until no process has this number any more. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
