import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { stdin, terminal } from '../../../test/support/terminal.js'

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

  test('names the way to add a file if the text is the name of one', async () => {
    const note = join(temporaryFolder(), 'note.md')
    writeFileSync(note, 'pear')
    const { out } = await terminal(temporaryFile())('add', note)
    expect(out).toContain(`to add the file: cairn add --file ${note}\n`)
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
      facts: [],
      contradictions: [],
      degraded: null,
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
