import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { fullLibrary, linesOf } from '../../../test/support/full-library.js'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { jsonOf, stdin, terminal } from '../../../test/support/terminal.js'
import { type ImportReport, type LostEntries, openCairn } from '../../index.js'

describe('cairn export --all and cairn import', () => {
  test('an archive is printed or written, and restores another file by its path', async () => {
    const { cairn, file } = await fullLibrary()
    const lines = await linesOf(cairn)
    const run = terminal(file)
    const text = `${lines.join('\n')}\n`
    expect(await run('export', '--all')).toEqual({ code: 0, out: text, err: '' })
    const output = join(temporaryFolder(), 'all.jsonl')
    expect((await run('export', '--all', '--output', output)).out).toBe(
      `exported ${lines.length} lines to ${output}\n`,
    )
    expect(readFileSync(output, 'utf8')).toBe(text)
    const again = await run('export', '--all', '--output', output)
    expect(again).toMatchObject({ code: 2, out: '' })
    expect(again.err).toContain('exists already')

    const copy = terminal(temporaryFile())
    const planned = await copy('import', output, '--dry-run')
    expect(planned.out).toContain('a dry run: nothing was written')
    const { out } = await copy('import', output)
    expect(out).toMatch(/^all\.jsonl \(archive\)\ncreated +13 records\n/)
    expect(out).toMatch(
      /archive +\d+ revisions, 3 facts, \d+ usages, 2 recalls, 2 imported items, 1 saved lens\n/,
    )
    expect((await copy('export', '--all')).out).toBe(text)
    expect((await copy('import', output, '--format', 'archive')).out).toContain('unchanged')
  })

  test('cairn copy says what it copied, and refuses a target that is not empty', async () => {
    const { cairn, file } = await fullLibrary()
    const lines = await linesOf(cairn)
    const target = temporaryFile()
    // The terminal names its own file by $CAIRN_DB.
    const run = terminal(target)
    expect(await run('copy', '--from', file, '--to', target)).toEqual({
      code: 0,
      out: `copied to ${target}, records: 13 copied, 13 with their vectors\n`,
      err: '',
    })
    expect((await run('export', '--all')).out).toBe(`${lines.join('\n')}\n`)
    const again = await run('copy', '--from', file, '--to', target)
    expect(again).toMatchObject({ code: 2, out: '' })
    expect(again.err).toContain(`The target ${target} is not empty.`)
    const merged = await jsonOf(run)('copy', '--from', file, '--to', target, '--force')
    expect(merged).toMatchObject({ same: { record: 13 }, added: { record: 0 }, waiting: 0 })
    expect((await run('copy', '--from', file)).err).toContain('--to')
  })

  test('what can be read of a damaged file is written, and the rest is named', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, vectors: false })
    await cairn.addMany(Array.from({ length: 200 }, (_, i) => ({ body: `note ${i} `.repeat(50) })))
    const whole = await linesOf(cairn)
    await cairn.close()
    const db = new Database(file)
    const page = db
      .prepare(
        `SELECT pageno FROM dbstat WHERE name = 'records' AND pagetype = 'leaf' LIMIT 1 OFFSET 2`,
      )
      .pluck()
      .get() as number
    db.close()
    writeFileSync(file, readFileSync(file).fill(0, (page - 1) * 8192, page * 8192))
    const run = terminal(file)
    const output = join(temporaryFolder(), 'saved.jsonl')
    const refused = await run('export', '--all', '--output', output)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain(
      `${file} is damaged. Restore a copy; or run \`cairn doctor --repair\``,
    )
    expect(existsSync(output)).toBe(false)
    const saved = await run('export', '--all', '--salvage', '--output', output, '--json')
    expect(saved.code).toBe(1)
    const { lines, lost } = JSON.parse(saved.out) as { lines: number; lost: LostEntries[] }
    expect(lost).toMatchObject([{ kind: 'record', mayBeMore: false, isPartial: false }])
    const names = lost[0]?.names ?? []
    expect(lines + names.length).toBe(whole.length)
    for (const name of names)
      expect(whole.some((line) => line.includes(`"id":"${name}"`))).toBe(true)
    expect(saved.err).toBe(`cairn: lost ${names.length} × record: ${names.join('; ')}.\n`)
    expect((await terminal(temporaryFile())('import', output)).code).toBe(0)
    expect((await run('export', '--salvage')).err).toContain('--salvage belongs to --all.')
  })

  test('what became of every kind of line is in the JSON', async () => {
    const { cairn, file } = await fullLibrary()
    const lines = await linesOf(cairn)
    const output = join(temporaryFolder(), 'all.jsonl')
    const written = await jsonOf(terminal(file))('export', '--all', '--output', output)
    expect(written).toEqual({ format: 'archive', lines: lines.length, output })
    const json = jsonOf(terminal(temporaryFile()))
    const { imports } = await json<{ imports: ImportReport[] }>('import', output)
    expect(imports[0]).toMatchObject({
      format: 'archive',
      created: 13,
      unchanged: 0,
      dryRun: false,
    })
    expect(imports[0]?.archive).toMatchObject({
      added: { record: 13, lens: 1 },
      same: { record: 0 },
    })
  })

  test('an archive is read from standard input too', async () => {
    const { cairn } = await fullLibrary()
    const text = (await linesOf(cairn)).join('\n')
    const { out, code } = await terminal(temporaryFile(), { readStdin: stdin(text) })('import', '-')
    expect({ code, out: out.split('\n')[0] }).toEqual({ code: 0, out: 'standard input (archive)' })
  })

  test('a damaged archive is one sentence with the number of its line', async () => {
    const { cairn } = await fullLibrary()
    const archive = join(temporaryFolder(), 'all.jsonl')
    const lines = await linesOf(cairn)
    writeFileSync(archive, [...lines.slice(0, 4), '{"record":', ...lines.slice(5)].join('\n'))
    const { code, err } = await terminal(temporaryFile())('import', archive)
    expect(code).toBe(1)
    expect(err).toMatch(
      /^cairn: Line 5 of the archive cannot be used: it is not valid JSON\. The lines before it/,
    )
    writeFileSync(archive, Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from([0xff, 0xfe])]))
    expect((await terminal(temporaryFile())('import', archive)).err).toContain(
      'Line 2 of the archive cannot be used: it is not valid UTF-8.',
    )
  })

  test('what an archive cannot be asked for is refused before anything is done', async () => {
    const { file } = await fullLibrary()
    const run = terminal(file)
    for (const flags of [['--tag', 'x'], ['--format', 'ris'], ['01ABCDEFGH']]) {
      const { code, err } = await run('export', '--all', ...flags)
      expect({ code, err }).toEqual({
        code: 2,
        err: 'cairn: --all writes everything, in one format. Leave ids, filters and --format out.\n',
      })
    }
    expect((await run('export', '--all', '--json')).err).toContain('Give --output with --json.')
    const archive = join(temporaryFolder(), 'all.jsonl')
    await run('export', '--all', '--output', archive)
    const { code, err } = await terminal(temporaryFile())('import', archive, '--namespace', 'x')
    expect(code).toBe(2)
    expect(err).toContain('An archive is imported with its own')
  })
})

describe('cairn backup', () => {
  test('copies the file and says how large the copy is', async () => {
    const { file } = await fullLibrary()
    const run = terminal(file)
    const target = temporaryFile()
    expect((await run('backup', target)).out).toMatch(/^copied \d+ kB to .*test\.cairn\n$/)
    expect(existsSync(target)).toBe(true)
    const refused = await run('backup', target)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('is there already. Name another one, or give --force.')
    const answer = await jsonOf(run)('backup', target, '--force')
    expect(answer).toEqual({ file: target, bytes: readFileSync(target).length, removed: [] })
    expect((await run('backup')).err).toContain('cairn backup needs FILE')
  })

  test('shows how far it is on a terminal', async () => {
    const { file } = await fullLibrary()
    const { err } = await terminal(file, { isTerminal: true })('backup', temporaryFile())
    expect(err).toMatch(/\d+ of \d+ pages/)
  })
})

describe('cairn stats', () => {
  test('tells what takes how much room, and all of it together is the file', async () => {
    const { cairn, file } = await fullLibrary()
    await cairn.close()
    type Sizes = { file: number; wal: number; free: number; parts: Record<string, number> }
    const { sizes, bytes } = await jsonOf(terminal(file))<{ sizes: Sizes; bytes: number }>('stats')
    expect(sizes.file).toBe(bytes)
    const used = Object.values(sizes.parts).reduce((sum, part) => sum + part, 0)
    expect(used + sizes.free).toBe(bytes)
    for (const part of ['texts', 'fullText', 'vectors', 'past', 'works', 'links', 'facts']) {
      expect(sizes.parts[part], part).toBeGreaterThan(0)
    }
    expect((await terminal(file)('stats')).out).toMatch(/sizes {7}.*full-text index \d+ kB/)
  })
})
