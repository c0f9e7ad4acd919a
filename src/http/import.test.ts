/** Files that are sent are imported under their own names, within limits, and none of them stays behind. */

import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { type Served, serve } from '../../test/support/http.js'

const left = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`cairn-upload-${process.pid}-`))

function formOf(files: Readonly<Record<string, string>>, fields: [string, string][] = []) {
  const form = new FormData()
  for (const [name, text] of Object.entries(files)) form.append('file', new Blob([text]), name)
  for (const [name, value] of fields) form.append(name, value)
  return form
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
type Answer = { status: number; json: any; text: string }

async function post(
  { url }: Served,
  body: FormData | string | Uint8Array<ArrayBuffer>,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/import${query}`, { method: 'POST', body, headers })
  const text = await response.text()
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : null }
}

function eventsOf(text: string): { event: string; data: Record<string, unknown> }[] {
  return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }))
}

describe('what is sent', () => {
  test('as a form is imported under the name it has, and a second time only what changed', async () => {
    const served = await serve()
    const form = () =>
      formOf({ 'notes.md': '# Kettle\n\nThe kettle is blue.' }, [
        ['tags', 'a'],
        ['tags', 'b'],
      ])
    const first = await post(served, form())
    expect(first).toMatchObject({
      status: 200,
      json: { reports: [{ source: 'notes.md', format: 'markdown', created: 1, dryRun: false }] },
    })
    expect((await post(served, form())).json.reports).toMatchObject([{ created: 0, unchanged: 1 }])
    const { records } = await served.cairn.list()
    expect(records).toMatchObject([{ tags: ['a', 'b'], title: 'Kettle' }])
    expect(JSON.stringify(records)).not.toContain('cairn-upload')
    expect(left()).toEqual([])
  })

  test('as the body itself has its name and options in the address', async () => {
    const served = await serve()
    const bib = '@article{k1, title={A work}, year={2019}, doi={10.1000/a}}'
    const dry = await post(served, bib, { query: '?name=library.bib&dryRun=true' })
    expect(dry.json.reports).toMatchObject([
      { source: 'library.bib', format: 'bibtex', dryRun: true },
    ])
    expect((await served.cairn.list()).records).toEqual([])
    await post(served, bib, { query: '?name=library.bib&namespace=papers&tags=x' })
    expect((await served.cairn.list()).records).toMatchObject([
      { namespace: 'papers', kind: 'work' },
    ])
  })

  test('as a folder keeps its folders, and each file and folder at the top has a report', async () => {
    const served = await serve()
    const files = {
      'vault/one.md': 'One leads to [[two]].',
      'vault/deep/two.md': 'Two.',
      'other.txt': 'A plain text.',
    }
    const { json } = await post(served, formOf(files))
    expect(json.reports).toMatchObject([
      { source: 'vault', format: 'folder', created: 2, links: 1 },
      { source: 'other.txt', format: 'text', created: 1 },
    ])
    // Another folder of that name does not take away what the first one brought.
    const again = await post(served, formOf({ 'vault/three.md': 'Three.' }))
    expect(again.json.reports).toMatchObject([{ created: 1, deleted: 0 }])
    const pruned = await post(served, formOf({ 'vault/three.md': 'Three.' }, [['prune', 'true']]))
    expect(pruned.json.reports).toMatchObject([{ unchanged: 1, deleted: 2 }])
  })

  test('is told of while it happens, where events are asked for', async () => {
    const served = await serve()
    const lines = Array.from({ length: 240 }, (_, i) => JSON.stringify({ body: `line ${i}` }))
    const headers = { accept: 'text/event-stream' }
    const { text } = await post(served, formOf({ 'lines.jsonl': lines.join('\n') }), { headers })
    const events = eventsOf(text)
    const reads = events.filter(({ data }) => data.phase === 'reading').map(({ data }) => data.read)
    expect(reads).toEqual([0, 50, 100, 150, 200, 240])
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { reports: [{ source: 'lines.jsonl', created: 240 }] },
    })
    expect(events.slice(0, -1).every(({ event }) => event === 'progress')).toBe(true)
    expect(left()).toEqual([])
  })
})

describe('what cannot be taken', () => {
  test('names that lead elsewhere, repositories and double names are refused', async () => {
    const served = await serve()
    const names = [
      '../x.md',
      '/etc/x.md',
      'a/../../x.md',
      '..\\x.md',
      'a/.git/config',
      'r.git/HEAD',
    ]
    for (const name of names) {
      const sent = await post(served, formOf({ [name]: 'x', 'good.md': 'good' }))
      expect({ name, ...sent }).toMatchObject({
        status: 400,
        json: { error: { code: 'bad_input' } },
      })
      const raw = await post(served, 'x', { query: `?name=${encodeURIComponent(name)}` })
      expect(raw.status).toBe(400)
    }
    const twice = formOf({ 'a.md': 'one' })
    twice.append('file', new Blob(['two']), 'a.md')
    expect((await post(served, twice)).json.error.message).toBe('Two files have the name "a.md".')
    const both = formOf({ a: 'a file', 'a/b.md': 'in a folder' })
    expect((await post(served, both)).status).toBe(400)
    expect((await served.cairn.list()).records).toEqual([])
    expect(left()).toEqual([])
  })

  test('wrong options, no file at all and broken forms are one sentence', async () => {
    const served = await serve()
    const file = { 'a.md': 'x' }
    const cases: [FormData | string, string, Record<string, string>, number][] = [
      [
        formOf(file, [['dryRun', 'perhaps']]),
        'dryRun must be true or false, not "perhaps".',
        {},
        400,
      ],
      [formOf(file, [['path', '/etc']]), 'There is no option "path".', {}, 400],
      [formOf(file, [['format', 'git']]), 'The history of a repository cannot be sent.', {}, 400],
      [formOf({}, [['tags', 'a']]), 'There is no file in this form.', {}, 400],
      ['x', 'There is no file in this request.', { 'content-type': 'text/plain' }, 415],
      ['x', 'The form has no boundary.', { 'content-type': 'multipart/form-data' }, 400],
      [
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nhalf',
        'The form is incomplete or malformed.',
        { 'content-type': 'multipart/form-data; boundary=b' },
        400,
      ],
    ]
    for (const [body, message, headers, status] of cases) {
      expect(await post(served, body, { headers })).toMatchObject({
        status,
        json: { error: { message } },
      })
    }
    expect(left()).toEqual([])
  })

  test('what cannot be read is told by its own name, not by where it lay', async () => {
    const served = await serve()
    const bytes = Uint8Array.from({ length: 600 }, (_, i) => (i * 37) % 256)
    const unknown = await post(served, bytes, { query: '?name=thing.bin' })
    expect(unknown).toMatchObject({ status: 400, json: { error: { code: 'bad_input' } } })
    expect(unknown.json.error.message).toMatch(/^thing\.bin is of no kind/)
    const empty = await post(served, formOf({ 'empty.md': '' }))
    expect(empty.json.error.message).toBe('empty.md is empty.')
    const broken = await post(served, formOf({ 'a.pdf': '%PDF-1.4 nothing' }))
    expect(broken.text).toContain('a.pdf')
    const headers = { accept: 'text/event-stream' }
    const told = await post(served, formOf({ 'empty.md': '' }), { headers })
    expect(eventsOf(told.text)).toMatchObject([
      { event: 'error', data: { error: { code: 'bad_input', message: 'empty.md is empty.' } } },
    ])
    for (const { text } of [unknown, empty, broken, told]) expect(text).not.toContain(tmpdir())
    expect(left()).toEqual([])
  })

  test('too much and too many are refused, announced or not', async () => {
    const served = await serve([], { limits: { uploadBytes: 10_000, uploadFiles: 3 } })
    const large = 'x'.repeat(20_000)
    expect((await post(served, formOf({ 'a.md': large }))).status).toBe(413)
    const status = await new Promise((resolve, reject) => {
      const { port } = served
      const asked = { host: '127.0.0.1', port, path: '/api/import?name=a.md', method: 'POST' }
      const sent = request(asked, (response) => resolve(response.resume().statusCode))
      sent.on('error', reject)
      sent.write(large.slice(0, 9000))
      setTimeout(() => sent.end(large), 20)
    })
    expect(status).toBe(413)
    // Again and again: files that are about to be opened must not come into a folder that is being removed.
    for (let i = 0; i < 20; i++) {
      const many = formOf({ a: '1', b: '2', c: '3', d: '4' })
      const { json } = await post(served, many)
      expect(json.error.message).toBe('At most 3 files are taken at once.')
    }
    expect(left()).toEqual([])
  })

  test('a sender that falls silent or hangs up leaves nothing behind', async () => {
    const served = await serve([], { limits: { bodyMs: 100 } })
    const { port } = served
    const asked = { host: '127.0.0.1', port, path: '/api/import?name=a.md', method: 'POST' }
    const status = await new Promise((resolve, reject) => {
      const slow = request(asked, (response) => resolve(response.resume().statusCode))
      slow.on('error', reject)
      slow.write('# begun')
    })
    expect(status).toBe(408)
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const gone = request({ ...asked, headers })
    gone.on('error', () => {})
    gone.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nhalf')
    await new Promise((resolve) => setTimeout(resolve, 50))
    gone.destroy()
    await expect.poll(left).toEqual([])
    expect((await served.send('/api/stats')).status).toBe(200)
  })
})
