import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { World } from '../src/interfaces/cli/command.js'
import { COMMANDS } from '../src/interfaces/cli/commands.js'
import { runCli } from '../src/interfaces/cli/run.js'
import { temporaryFile, temporaryFolder } from './support/library.js'

const CLI = join(import.meta.dirname, '../dist/cairn.js')
const NOW = Date.UTC(2026, 5, 15, 12)

type Ran = { readonly code: number; readonly out: string; readonly err: string }

/** A command line in this process, with a world of its own. */
function terminal(file: string, world: Partial<World> = {}) {
  return async (...args: string[]): Promise<Ran> => {
    let out = ''
    let err = ''
    const code = await runCli(args, {
      env: { CAIRN_DB: file },
      home: '/nowhere',
      platform: 'linux',
      columns: 100,
      isTerminal: false,
      readStdin: null,
      now: () => NOW,
      writeOut: (text) => {
        out += text
      },
      writeError: (text) => {
        err += text
      },
      ...world,
    })
    return { code, out, err }
  }
}

const stdin = (text: string) => async (): Promise<Uint8Array> => new TextEncoder().encode(text)

function golden(name: string, text: string): void {
  const file = join(import.meta.dirname, 'golden', name)
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(join(import.meta.dirname, 'golden'), { recursive: true })
    writeFileSync(file, text)
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '(no golden file)')
}

test('the help of every command is as written down, with an example each', async () => {
  const cairn = terminal(temporaryFile())
  let help = (await cairn('--help')).out
  for (const { name, examples } of COMMANDS) {
    const { code, out } = await cairn(name, '--help')
    expect(code).toBe(0)
    expect(examples.length).toBeGreaterThan(0)
    expect(out).toContain(examples[0])
    help += `\n──── cairn ${name} --help\n${out}`
  }
  golden('help.txt', help)
})

test('every error is one sentence with what to do, as written down', async () => {
  const cairn = terminal(temporaryFile())
  const { out } = await cairn('add', 'an apple', '--json')
  const { id } = JSON.parse(out) as { id: string }
  const lines: string[] = []
  const attempts: string[][] = [
    ['serach', 'x'],
    ['search', 'x', '--limt', '3'],
    ['search', 'x', '--limit', 'many'],
    ['search', 'x', '--limit', '0'],
    ['search', 'x', '--limit'],
    ['search', 'x', '--offset', '-1'],
    ['search', 'x', '--since', 'soon'],
    ['search', 'x', '--match', 'most'],
    ['search', 'x', '--id', 'nonsense'],
    ['search', 'x', '--json=yes'],
    ['add'],
    ['add', '  '],
    ['add', 'x', '--kind', 'poem'],
    ['add', 'x', '--importance', '7'],
    ['add', 'x', '--meta', 'novalue'],
    ['add', 'x', 'y'],
    ['add', '--file', 'no/such/file.md'],
    ['get'],
    ['get', 'short'],
    ['get', '7ZZZZZZZZZZ'],
    ['edit', id],
    ['edit', '7ZZZZZZZZZZ', 'text'],
    ['delete', '7ZZZZZZZZZZ'],
    ['restore', id],
    ['purge'],
    ['list', '--cursor', 'nonsense'],
    ['list', 'extra'],
    ['stats', '--log-level', 'loud'],
  ]
  for (const args of attempts) {
    const { code, out: printed, err } = await cairn(...args)
    expect({ args, printed }).toEqual({ args, printed: '' })
    expect(err.trim().split('\n')).toHaveLength(1)
    const shown = args.map((arg) => (arg === id ? 'ID' : arg)).join(' ')
    lines.push(`$ cairn ${shown}\n${err.replaceAll(id, 'ID').trim()}  [exit ${code}]`)
  }
  golden('errors.txt', `${lines.join('\n\n')}\n`)
})

describe('add', () => {
  test('reads an argument, a file or standard input', async () => {
    const file = temporaryFile()
    const folder = temporaryFolder()
    const note = join(folder, 'note.md')
    writeFileSync(note, '# From a file\n\npear')
    expect((await terminal(file)('add', 'apple')).code).toBe(0)
    expect((await terminal(file)('add', '--file', note, '--kind', 'document')).code).toBe(0)
    expect((await terminal(file, { readStdin: stdin('plum\n') })('add')).code).toBe(0)
    expect((await terminal(file, { readStdin: stdin('fig') })('add', '-')).code).toBe(0)
    const { out } = await terminal(file)('list', '--json')
    const { records } = JSON.parse(out) as { records: { body: string; source: string | null }[] }
    expect(records.map(({ body }) => body).sort()).toEqual([
      '# From a file\n\npear',
      'apple',
      'fig',
      'plum',
    ])
    expect(records.find(({ body }) => body.includes('pear'))?.source).toBe(note)
  })

  test('keeps everything that was given', async () => {
    const cairn = terminal(temporaryFile())
    const { out } = await cairn(
      ...[
        'add',
        'apple',
        '--title',
        'T',
        '--kind',
        'work',
        '--tag',
        'a',
        '--tag',
        'b',
        '--source',
        's',
      ],
      ...['--person', 'Ada', '--occurred', '2026-06-01T00:00:00Z', '--importance', '0.9'],
      ...['--meta', 'year=2017', '--meta', 'venue=NeurIPS', '--namespace', 'papers', '--json'],
    )
    const { id, created, duplicateOf, nearDuplicates } = JSON.parse(out) as Record<string, unknown>
    expect({ created, duplicateOf, nearDuplicates }).toEqual({
      created: true,
      duplicateOf: null,
      nearDuplicates: [],
    })
    const { records } = JSON.parse((await cairn('get', String(id), '--json')).out) as {
      records: unknown[]
    }
    expect(records[0]).toMatchObject({
      kind: 'work',
      namespace: 'papers',
      title: 'T',
      tags: ['a', 'b'],
      people: ['Ada'],
      source: 's',
      importance: 0.9,
      occurredAt: '2026-06-01T00:00:00.000Z',
      metadata: { year: 2017, venue: 'NeurIPS' },
    })
  })

  test('[M14] the same text again is the same record, and says so', async () => {
    const cairn = terminal(temporaryFile())
    const first = JSON.parse((await cairn('add', 'apple', '--json')).out) as { id: string }
    const again = JSON.parse((await cairn('add', 'apple', '--json')).out) as unknown
    expect(again).toEqual({
      id: first.id,
      created: false,
      duplicateOf: first.id,
      nearDuplicates: [],
    })
    expect((await cairn('add', 'apple')).out).toContain('already there')
  })

  test('binary files and broken encodings are refused', async () => {
    const file = temporaryFile()
    const bad = join(temporaryFolder(), 'picture.bin')
    for (const bytes of [Uint8Array.of(0x89, 0x50, 0, 1), Uint8Array.of(0x61, 0xff, 0xfe)]) {
      writeFileSync(bad, bytes)
      const { code, err } = await terminal(file)('add', '--file', bad)
      expect({ code, err }).toEqual({
        code: 2,
        err: `cairn: ${bad} is not UTF-8 text. Convert it to text first.\n`,
      })
    }
  })
})

describe('search', () => {
  async function filled() {
    const file = temporaryFile()
    const cairn = terminal(file)
    await cairn('add', 'We deploy on Thursdays.', '--title', 'Release day', '--tag', 'release')
    await cairn('add', 'The staging server deploys itself.', '--tag', 'ops')
    return { file, cairn }
  }

  test('shows hits with matched words, ids and tags', async () => {
    const { cairn } = await filled()
    const { out, err, code } = await cairn('search', 'deploy thursdays')
    expect({ err, code }).toEqual({ err: '', code: 0 })
    const shown = out.replace(/\d+\.\d ms/, 'N ms').replace(/01[0-9A-Z]{6,}/g, 'ID')
    golden('search.txt', shown)
  })

  test('colours on a terminal only, and never with NO_COLOR', async () => {
    const { file } = await filled()
    const colour = '\u001b['
    expect((await terminal(file)('search', 'deploy')).out).not.toContain(colour)
    expect((await terminal(file, { isTerminal: true })('search', 'deploy')).out).toContain(colour)
    const quiet = { isTerminal: true, env: { CAIRN_DB: file, NO_COLOR: '1' } }
    expect((await terminal(file, quiet)('search', 'deploy')).out).not.toContain(colour)
  })

  test('a query word may begin with a dash', async () => {
    const { cairn } = await filled()
    const { out } = await cairn('search', 'deploy', '-staging', '--json')
    const { hits, query } = JSON.parse(out) as {
      hits: { title: string }[]
      query: { readAs: string }
    }
    expect(hits.map(({ title }) => title)).toEqual(['Release day'])
    expect(query.readAs).toBe('deploy -staging')
  })

  test('a number may be below zero', async () => {
    const { cairn } = await filled()
    const { code, out } = await cairn(
      'search',
      'deploy',
      '--mode',
      'semantic',
      '--threshold',
      '-1',
      '--json',
    )
    expect(code).toBe(0)
    expect((JSON.parse(out) as { hits: unknown[] }).hits).toHaveLength(2)
  })

  test('--explain draws a tree that comes to the score', async () => {
    const { cairn } = await filled()
    const { out } = await cairn('search', 'deploy', '--explain', '--mode', 'keyword')
    expect(out).toMatch(/├ as asked +0\.5000/)
    expect(out).toMatch(/× strength/)
  })

  test('--marks gives HTML in which only the marks are markup', async () => {
    const { cairn } = await filled()
    await cairn('add', '<script>alert("deploy & run")</script>')
    const { hits } = JSON.parse((await cairn('search', 'run', '--marks', '--json')).out) as {
      hits: { snippet: { text: string } }[]
    }
    expect(hits[0]?.snippet.text).toBe(
      '&lt;script&gt;alert(&quot;deploy &amp; <mark>run</mark>&quot;)&lt;/script&gt;',
    )
  })

  test('a stored text cannot take over the terminal', async () => {
    const { cairn } = await filled()
    await cairn('add', 'evil \u001b[2J\u001b]0;owned\u0007 \u202egnp.exe deploy')
    for (const args of [['search', 'evil'], ['list']]) {
      const { out } = await cairn(...args)
      for (const char of ['\u001b', '\u0007', '\u202e']) expect(out).not.toContain(char)
    }
  })

  test('--sql prints what ran on standard error and leaves the answer alone', async () => {
    const { cairn } = await filled()
    const { out, err } = await cairn('search', 'deploy', '--sql', '--json')
    expect(() => JSON.parse(out)).not.toThrow()
    expect(err).toContain('records_ft MATCH')
  })

  test('[F1] twenty hits unless told otherwise', async () => {
    const file = temporaryFile()
    const cairn = terminal(file)
    for (let i = 0; i < 25; i++) await cairn('add', `kiwi ${i}`)
    const { hits } = JSON.parse((await cairn('search', 'kiwi', '--json')).out) as {
      hits: unknown[]
    }
    expect(hits).toHaveLength(20)
  })
})

describe('get, edit, delete, restore, purge', () => {
  test('a record goes through its whole life under a short id', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = JSON.parse((await cairn('add', 'apple', '--meta', 'a=1', '--json')).out) as {
      id: string
    }
    const short = id.slice(0, 10).toLowerCase()
    expect((await cairn('get', short)).out).toContain('apple')
    const edited = await cairn(
      'edit',
      short,
      'pear',
      '--tag',
      'x',
      '--meta',
      'b=2',
      '--meta',
      'a=',
      '--json',
    )
    expect(JSON.parse(edited.out)).toMatchObject({ body: 'pear', tags: ['x'], metadata: { b: 2 } })
    expect(JSON.parse((await cairn('edit', short, '--tag', '', '--json')).out)).toMatchObject({
      tags: [],
      body: 'pear',
    })
    expect(JSON.parse((await cairn('delete', short, '--json')).out)).toEqual({ deleted: [id] })
    const gone = await cairn('get', short, '--json')
    expect(gone.code).toBe(1)
    expect(JSON.parse(gone.out)).toEqual({ records: [], missing: [short] })
    expect((await cairn('list', '--deleted')).out).toContain('pear')
    expect(JSON.parse((await cairn('restore', short, '--json')).out)).toEqual({ restored: [id] })
    await cairn('delete', short)
    expect(JSON.parse((await cairn('purge', '--deleted', '--json')).out)).toMatchObject({
      purged: [id],
    })
    expect((await cairn('restore', short)).code).toBe(1)
  })

  test('one wrong id changes nothing', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = JSON.parse((await cairn('add', 'apple', '--json')).out) as { id: string }
    expect((await cairn('delete', id, '7ZZZZZZZZZZ')).code).toBe(1)
    expect((await cairn('get', id)).code).toBe(0)
  })

  test('get prints what is there and names what is not', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = JSON.parse((await cairn('add', 'apple', '--json')).out) as { id: string }
    const { code, out, err } = await cairn('get', id, '7ZZZZZZZZZZ')
    expect(code).toBe(1)
    expect(out).toContain('apple')
    expect(err).toContain('"7ZZZZZZZZZZ"')
  })
})

test('list, stats and doctor have the shapes that scripts rely on', async () => {
  let time = NOW
  const cairn = terminal(temporaryFile(), { now: () => time++ })
  await cairn('add', 'apple', '--namespace', 'a')
  await cairn('add', 'pear', '--kind', 'document')
  const list = JSON.parse((await cairn('list', '--limit', '1', '--json')).out) as {
    records: unknown[]
    next: string
  }
  expect(list.records).toHaveLength(1)
  const rest = JSON.parse((await cairn('list', '--cursor', list.next, '--json')).out) as unknown
  expect(rest).toMatchObject({ records: [{ body: 'apple' }], next: null })
  const stats = JSON.parse((await cairn('stats', '--json')).out) as unknown
  expect(stats).toMatchObject({
    records: { memory: 1, document: 1, work: 0 },
    chunks: 2,
    vectors: { 'cairn/static@1': 2 },
    waiting: 0,
    namespaces: { a: 1, default: 1 },
    bytes: expect.any(Number),
  })
  const doctor = JSON.parse((await cairn('doctor', '--json')).out) as {
    ok: boolean
    checks: unknown[]
  }
  expect(doctor.ok).toBe(true)
  expect(doctor.checks).toContainEqual({ name: 'fts', ok: true, detail: '' })
})

describe('meaning', () => {
  test('search --mode semantic, similar, embed and models work together', async () => {
    const cairn = terminal(temporaryFile())
    await cairn('add', 'The cat sleeps on the warm windowsill and purrs.')
    const kittens = await cairn('add', 'Kittens nap on a sunny windowsill.', '--json')
    const { id } = JSON.parse(kittens.out) as { id: string }
    const found = await cairn(
      'search',
      'feline rest',
      '--mode',
      'semantic',
      '--threshold',
      '0.1',
      '--json',
    )
    const answer = JSON.parse(found.out) as { hits: { matchType: string; chunks: unknown[] }[] }
    expect(answer.hits[0]).toMatchObject({
      matchType: 'semantic',
      chunks: [{ index: 0, start: 0 }],
    })
    expect((await cairn('similar', id)).out).toContain('cat sleeps')
    expect((await cairn('models')).out).toMatch(
      /cairn\/static@1 {2}in charge {2}256 dimensions {2}2 records \(100 %\)/,
    )
    const built = await cairn('embed', '--model', 'fake', '--json')
    expect(JSON.parse(built.out)).toMatchObject({
      waiting: 0,
      models: [{ state: 'idle' }, { state: 'active' }],
    })
    expect((await cairn('models', '--remove', 'cairn/static@1')).code).toBe(0)
  })

  test('vectors that are off or cannot be had are said in a sentence', async () => {
    const cairn = terminal(temporaryFile())
    await cairn('add', 'The cat sleeps.')
    const off = await cairn('search', 'cat', '--mode', 'semantic', '--no-vector')
    expect(off.out).toContain('Vectors are switched off; these are matches by words.')
    const wrong = await cairn('embed', '--model', 'magic:x')
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toContain(
      'There is no model "magic:x". Give static, onnx:FOLDER, ollama:NAME or openai:NAME.',
    )
    const missing = await cairn('embed', '--model', 'onnx:no/such/folder')
    expect(missing.code).toBe(1)
    expect(missing.err.trim().split('\n')).toHaveLength(1)
  })
})

test('errors are JSON where JSON was asked for', async () => {
  const cairn = terminal(temporaryFile())
  const { code, out, err } = await cairn('search', 'x', '--json')
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(JSON.parse(err)).toMatchObject({
    error: { code: 'no_database', message: expect.any(String), hint: expect.any(String) },
  })
})

test('[M13] the log is JSON lines on standard error, with the query text at debug level only', async () => {
  const file = temporaryFile()
  const logFile = join(temporaryFolder(), 'cairn.log')
  const cairn = terminal(file)
  await cairn('add', 'apple')
  const info = await cairn('search', 'secretquestion', '--log-level', 'info', '--json')
  expect(JSON.parse(info.err)).toMatchObject({
    level: 'info',
    event: 'search',
    queryChars: 14,
    mode: 'hybrid',
    hits: 0,
    ms: expect.any(Number),
  })
  expect(info.err).not.toContain('secretquestion')
  expect(() => JSON.parse(info.out)).not.toThrow()
  await cairn('search', 'secretquestion', '--log-level', 'debug', '--log-file', logFile)
  expect(readFileSync(logFile, 'utf8')).toContain('secretquestion')
  expect((await cairn('search', 'secretquestion')).err).toBe('')
})

describe('as a process', () => {
  test('stdout, stderr and exit codes are as promised', () => {
    const file = temporaryFile()
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args, '--db', file], { encoding: 'utf8', input: '' })
    expect(run('add', 'apple').status).toBe(0)
    expect(run('search', 'apple').status).toBe(0)
    expect(run('search', 'zebra').status).toBe(0)
    expect(run('get', '7ZZZZZZZZZZ').status).toBe(1)
    expect(run('search', '--nonsense').status).toBe(2)
  })

  test('the file may be named by a flag, the environment or the data folder', () => {
    const folder = temporaryFolder()
    const env = { ...process.env, XDG_DATA_HOME: folder, CAIRN_DB: '' }
    delete (env as Record<string, string | undefined>).CAIRN_DB
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', env, input: '' })
    expect(run('add', 'apple').status).toBe(0)
    expect(existsSync(join(folder, 'cairn', 'cairn.db'))).toBe(true)
  })

  test('a reader that closes the pipe early is met with silence', async () => {
    const file = temporaryFile()
    const cairn = terminal(file)
    for (let i = 0; i < 25; i++) await cairn('add', `${'apple '.repeat(1000)} ${i}`)
    const child = spawn('bash', [
      '-c',
      `"${process.execPath}" "${CLI}" list --limit 60 --json --db "${file}" | head -1`,
    ])
    let err = ''
    child.stderr.on('data', (part) => {
      err += part
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })
})
