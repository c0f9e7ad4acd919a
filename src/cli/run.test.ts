import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { jsonOf, terminal } from '../../test/support/terminal.js'

describe('the command line as people type it', () => {
  test('options may stand before the command, and have letters', async () => {
    const file = temporaryFile()
    const cairn = terminal(temporaryFile())
    for (let i = 0; i < 3; i++) await cairn('--db', file, 'add', `pear ${i}`)
    for (const line of [
      ['-d', file, '-n', '2', 'search', 'pear', '-j'],
      ['--limit=2', '-j', '-d', file, 'search', 'pear'],
      ['search', '-n2', 'pear', '-jd', file],
    ]) {
      const { out, err } = await cairn(...line)
      expect(err).toBe('')
      expect((JSON.parse(out) as { hits: unknown[] }).hits).toHaveLength(2)
    }
    expect((await cairn('-d', file, '--help')).out).toContain('Records:')
    expect((await cairn('--help', 'search')).out).toContain('Usage: cairn search')
  })

  test('the names that other tools have are understood', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = await jsonOf(cairn)<{ id: string }>('add', 'a pear')
    expect((await cairn('find', 'pear')).out).toContain(id.slice(0, 8))
    expect((await cairn('show', id)).out).toContain('a pear')
    expect((await cairn('update', id, 'an apple')).out).toContain('an apple')
    expect((await cairn('ls')).out).toContain('an apple')
    expect((await cairn('rm', id)).out).toContain('deleted')
  })

  test('a text that begins with a dash is a text, also as a value', async () => {
    const cairn = terminal(temporaryFile())
    const { id } = await jsonOf(cairn)<{ id: string }>('add', '- buy milk', '--title', '- a list')
    const { records } = await jsonOf(cairn)<{ records: object[] }>('get', id)
    expect(records[0]).toMatchObject({ body: '- buy milk', title: '- a list' })
  })

  test('the help shows the everyday options, and all of them on request', async () => {
    const cairn = terminal(temporaryFile())
    const short = (await cairn('search', '--help')).out
    expect(short).toContain('-n, --limit')
    expect(short).not.toContain('--recency-weight')
    expect(short).toMatch(/`cairn search --help --all` shows all \d+ options\./)
    expect((await cairn('search', '--help', '--all')).out).toContain('--recency-weight')
  })

  test('purge asks where there is somebody to ask', async () => {
    const file = temporaryFile()
    const questions: string[] = []
    const answer = (yes: boolean) =>
      terminal(file, {
        confirm: async (question) => {
          questions.push(question)
          return yes
        },
      })
    const { id } = await jsonOf(answer(false))<{ id: string }>('add', 'a secret')
    const refused = await answer(false)('purge', id)
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toContain('Nothing was purged.')
    expect((await answer(true)('purge', id)).out).toContain('purged')
    expect(questions).toEqual(Array(2).fill(`Purge record ${id}? Nothing can bring it back.`))
  })

  test('open names the file and its line, and says where there is none', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'a.md'), '---\ntags: [x]\n---\n# A\n\nPears are sweet.\n')
    const cairn = terminal(temporaryFile())
    await cairn('import', folder)
    const { hits } = await jsonOf(cairn)<{ hits: { id: string }[] }>('search', 'pears')
    const { out } = await cairn('open', hits[0]?.id ?? '', '--print')
    expect(out).toBe(`${join(folder, 'deep', 'a.md')}:4\n`)
    const { id } = await jsonOf(cairn)<{ id: string }>('add', 'no file')
    expect((await cairn('open', id)).err).toContain('came from no file')
  })

  test('stats fit a terminal of 80 columns', async () => {
    const notes = Array.from({ length: 30 }, (_, i) => ({
      body: `note ${i}`,
      tags: [`a-rather-long-tag-${i}`],
    }))
    const { file } = await libraryOf(notes)
    const { out } = await terminal(file, { columns: 80 })('stats')
    const long = out.split('\n').filter((line) => line.length > 80 && !line.startsWith('file'))
    expect(long).toEqual([])
    expect(out).toContain('more')
  })
})
