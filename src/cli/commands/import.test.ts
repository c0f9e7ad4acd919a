import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { golden, jsonOf, stdin, steady, terminal } from '../../../test/support/terminal.js'
import { writePdf } from '../../import/pdf/pdf-writer.fixture.js'
import { IMPORT_FORMATS, type ImportReport } from '../../index.js'

const CLI = join(import.meta.dirname, '../../../dist/cairn.cjs')
const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/import')

type Imports = { readonly imports: readonly ImportReport[]; readonly failed: readonly unknown[] }

function bibliography(text: string): string {
  const file = join(temporaryFolder(), 'refs.bib')
  writeFileSync(file, text)
  return file
}

describe('import', () => {
  test('its help names every format', async () => {
    const { out } = await terminal(temporaryFile())('import', '--help')
    for (const name of Object.keys(IMPORT_FORMATS))
      expect(out).toMatch(new RegExp(` ${name}[, \\n]`))
  })

  test('reports as written down what came in, what disagrees and what was skipped', async () => {
    const cairn = terminal(temporaryFile())
    const file = bibliography(
      '@article{stone, title={Stones}, doi={10.5555/a}, volume={1}}\n@misc{lost, note={x}}\n',
    )
    const lines = [
      await cairn('import', file, '--tag', 'geology'),
      await cairn('import', join(FIXTURES, 'vault'), '--dry-run'),
      await cairn('import', join(FIXTURES, 'vault'), join(FIXTURES, 'chat.json')),
      await cairn('import', join(FIXTURES, 'vault')),
    ]
    writeFileSync(
      file,
      '@article{stone, title={Stones}, doi={10.5555/a}, volume={2}, year={1999}}\n',
    )
    lines.push(await cairn('import', file, '--tag', 'geology', '--dry-run'))
    lines.push(await cairn('import', file, '--tag', 'geology'))
    for (const { code, err } of lines) expect({ code, err }).toEqual({ code: 0, err: '' })
    golden('import.txt', lines.map(({ out }) => steady(out)).join('\n'))
  })

  test('its JSON has every count, conflict and reason', async () => {
    const cairn = terminal(temporaryFile())
    const file = bibliography('@article{stone, title={Stones}, doi={10.5555/a}}\n@misc{lost}\n')
    const answer = await jsonOf(cairn)<Imports>('import', file)
    expect(answer).toMatchObject({
      imports: [
        {
          format: 'bibtex',
          read: 1,
          works: { created: 1, updated: 0, unchanged: 0 },
          conflicts: [],
          conflictCount: 0,
          skipped: [{ name: 'refs.bib/lost', line: 2, reason: expect.any(String) }],
          skippedCount: 1,
          dryRun: false,
        },
      ],
      failed: [],
    })
  })

  test('a dry run writes nothing, and more than twenty skipped are for JSON', async () => {
    const cairn = terminal(temporaryFile())
    const lost = Array.from({ length: 30 }, (_, i) => `@misc{lost${i}, note={x}}\n`)
    const file = bibliography(`@misc{stone, title={Stones}}\n${lost.join('')}`)
    const { out } = await cairn('import', file, '--dry-run')
    expect(out).toContain('a dry run: nothing was written')
    expect(out).toContain('created  1 work')
    expect(out).toContain('and 10 more: --json lists them')
    const { imports } = await jsonOf(cairn)<Imports>('import', file, '--dry-run')
    expect(imports[0]?.skipped).toHaveLength(30)
    expect((await jsonOf(cairn)<{ records: object }>('stats')).records).toMatchObject({ work: 0 })
  })

  test('ends with 1 where nothing could be read, and where a path of several is not there', async () => {
    const cairn = terminal(temporaryFile())
    const nothing = await cairn('import', bibliography('@misc{lost, note={x}}\n'))
    expect(nothing.code).toBe(1)
    expect((await cairn('import', 'no/such/place')).code).toBe(1)
    const some = await cairn('import', 'no/such/place', join(FIXTURES, 'vault'))
    expect(some).toMatchObject({ code: 1, err: expect.stringContaining('no/such/place') })
    expect(some.out).toContain('created')
  })

  test('reads standard input; the same again is known, another text is another source', async () => {
    const file = temporaryFile()
    const piped = (text: string) => terminal(file, { readStdin: stdin(text) })('import', '-')
    expect((await piped('@misc{a, title={Stones}}\n')).out).toContain('created  1 work')
    expect((await piped('@misc{a, title={Stones}}\n')).out).toContain('unchanged  1')
    expect((await piped('{"key":"1","body":"one"}\n')).out).toContain('created  1 record')
    expect((await piped('{"key":"1","body":"two"}\n')).out).toContain('created  1 record')
    expect((await piped('TY  - JOUR\nTI  - Rocks\nER  -\n')).out).toContain('(ris)')
    expect((await piped('[{"type":"book","title":"Sand","DOI":"10.5555/s"}]')).out).toContain(
      '(csl)',
    )
    expect((await piped('')).code).toBe(2)
    expect((await piped('\0')).err).toMatch(/^cairn: Standard input is of no kind/)
  })

  test('shows a bar on a terminal and nothing on a pipe', async () => {
    const file = bibliography('@misc{a, title={Stones}}\n')
    const seen = await terminal(temporaryFile(), { isTerminal: true })('import', file)
    expect(seen.err).toContain('█')
    expect((await terminal(temporaryFile())('import', file)).err).toBe('')
  })

  test('hundreds of notes show bytes, rate and time left within a second, and end with how long it took', async () => {
    const folder = temporaryFolder()
    for (let i = 0; i < 400; i++) {
      const words = Array.from({ length: 80 }, (_, at) => `word${(i * at) % 997}`).join(' ')
      writeFileSync(join(folder, `${i}.md`), `# Note ${i}\n\n${words}\n`)
    }
    const startMs = performance.now()
    const shown: { readonly text: string; readonly afterMs: number }[] = []
    const cairn = terminal(temporaryFile(), {
      isTerminal: true,
      now: Date.now,
      writeError: (text) => shown.push({ text, afterMs: performance.now() - startMs }),
    })
    const { out } = await cairn('import', folder)
    expect(shown[0]?.afterMs).toBeLessThan(1000)
    const line = /█.* of [\d.]+ [kM]B · \d+ read · [\d.]+ [kM]B\/s · \d+ s left/
    expect(shown.filter(({ text }) => line.test(text)).length).toBeGreaterThan(0)
    expect(out).toMatch(/created.* 400 records$/m)
    expect(out).toMatch(/took.* [\d.]+ m?s$/m)
    expect(out).toContain('Next: cairn search WORDS finds what came in')
  }, 30_000)
})

test('a hit in a PDF says its page, and the record how many it has', async () => {
  const folder = temporaryFolder()
  const texts = ['The first page is about stones.', 'The second page tells of a harbour.']
  const pages = texts.map((text) => [{ text, y: 700 }])
  writeFileSync(join(folder, 'walk.pdf'), writePdf({ pages }))
  const cairn = terminal(temporaryFile())
  await cairn('import', join(folder, 'walk.pdf'))
  const { out } = await cairn('search', 'harbour', '--mode', 'keyword')
  expect(out).toContain('· p. 2')
  const { hits } = await jsonOf(cairn)<{ hits: { id: string; chunks: object[] }[] }>(
    'search',
    'harbour',
  )
  expect(hits[0]).toMatchObject({ pages: { first: 2, last: 2 } })
  expect(hits[0]?.chunks[0]).toMatchObject({ pages: { first: 1, last: 2 } })
  expect((await cairn('get', hits[0]?.id ?? '')).out).toMatch(/^pages +2$/m)
})

describe('watch', () => {
  test.skipIf(process.platform === 'win32')(
    'tells each change in a line and ends cleanly when it is told to',
    async () => {
      const folder = join(temporaryFolder(), 'notes')
      mkdirSync(folder)
      writeFileSync(join(folder, 'a.md'), '# Stones\n\nA pile of stones.\n')
      const file = temporaryFile()
      const child = spawn(process.execPath, [CLI, 'watch', folder, '--db', file])
      let out = ''
      let err = ''
      child.stdout.on('data', (part: Buffer) => {
        out += part.toString()
      })
      child.stderr.on('data', (part: Buffer) => {
        err += part.toString()
      })
      const until = async (text: string): Promise<void> => {
        for (let tries = 0; tries < 600 && !out.includes(text); tries++) {
          await new Promise((resolve) => setTimeout(resolve, 25))
        }
        expect(out + err).toContain(text)
      }
      await until('created  1 record')
      writeFileSync(join(folder, 'b.md'), '# Harbour\n\nA wall of stones.\n')
      await until('1 created')
      rmSync(join(folder, 'a.md'))
      await until('1 deleted')
      child.kill('SIGTERM')
      const code = await new Promise((resolve) => child.on('close', resolve))
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out.trim().split('\n').slice(-2).join(' ')).toMatch(
        /^\d\d:\d\d:\d\d {2}1 created \d\d:\d\d:\d\d {2}1 deleted$/,
      )
    },
    40_000,
  )

  test('prints a report a line as JSON', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.md'), '# Stones\n\nA pile of stones.\n')
    const controller = new AbortController()
    const out: string[] = []
    const cairn = terminal(temporaryFile(), {
      stopSignal: () => controller.signal,
      writeOut: (text) => {
        out.push(text)
        controller.abort()
      },
    })
    expect((await cairn('watch', folder, '--json')).code).toBe(0)
    expect(out.map((line) => JSON.parse(line))).toMatchObject([{ created: 1 }])
  })
})

describe('export', () => {
  test('writes works by any of their names, and a file only where none is', async () => {
    const cairn = terminal(temporaryFile())
    const bib =
      '@article{stone, title={Stones}, doi={10.5555/a}, year={1999}}\n@misc{r, title={R}}\n'
    await cairn('import', bibliography(bib), '--tag', 'geology')
    const byDoi = await cairn('export', '10.5555/A', '--format', 'ris')
    expect(byDoi.out).toContain('DO  - 10.5555/a')
    expect(await jsonOf(cairn)('export', 'stone', '--format', 'csl')).toMatchObject({
      format: 'csl',
      works: 1,
      output: null,
      text: expect.stringContaining('"DOI": "10.5555/a"'),
    })
    expect((await cairn('export', '--tag', 'geology')).out.match(/^@/gm)).toHaveLength(2)
    const none = await cairn('export', '--tag', 'nothing')
    expect(none).toEqual({ code: 0, out: '', err: 'cairn: There is no work to export.\n' })
    const file = join(temporaryFolder(), 'out.md')
    const written = await cairn('export', '--format', 'markdown', '--output', file)
    expect(written.out).toBe(`exported 2 works to ${file}\n`)
    const before = readFileSync(file, 'utf8')
    expect(before).toContain('Stones')
    const refused = await cairn('export', 'r', '--output', file)
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(readFileSync(file, 'utf8')).toBe(before)
    await cairn('export', 'r', '--output', file, '--force', '--format', 'bibtex')
    expect(readFileSync(file, 'utf8')).toContain('@misc{r,')
    const ris = join(temporaryFolder(), 'out.ris')
    await cairn('export', 'stone', '--output', ris)
    expect(readFileSync(ris, 'utf8')).toContain('DO  - 10.5555/a')
    const nowhere = join(temporaryFolder(), 'no', 'folder.bib')
    expect((await cairn('export', '--output', nowhere)).code).toBe(1)
  })
})
