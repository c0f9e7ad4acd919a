/** JSONL, BEIR, text and works are read into entries. */

import { describe, expect, test } from 'vitest'
import { fileOf, fixture, folderOf, readAll } from './reading.fixture.js'

describe('jsonl', () => {
  test('a line is a record with its key, its session and its links', async () => {
    const { records } = await readAll(fixture('records.jsonl'))
    expect(records.map(({ key }) => key)).toEqual([
      'port',
      'port-2',
      records[2]!.hash,
      'turn-1',
      'turn-2',
      'extra',
    ])
    expect(records[1]?.links).toEqual([{ type: 'SUPERSEDES', to: 'port' }])
    expect(records[2]?.links).toEqual([
      { type: 'DEPENDS_ON', to: 'port-2' },
      { type: 'RELATED_TO', to: 'missing' },
    ])
    expect(records[3]?.session).toEqual({
      id: 'release-7',
      title: 'Release 7',
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: null,
    })
    expect(records[4]?.record.session).toBe('release-7')
  })

  test('a line that is wrong is named with its number and reason', async () => {
    const { skipped } = await readAll(fixture('records.jsonl'))
    expect(skipped.map(({ name, line, reason }) => [name, line, reason])).toEqual([
      ['records.jsonl', 3, 'It is not valid JSON.'],
      ['bad', 5, 'importance must be at most 1, not "7".'],
      ['records.jsonl', 10, 'It is not an object.'],
    ])
  })

  test.each([
    ['{"body":"x","key":{}}', 'key must be text.'],
    ['{"body":"x","session":{}}', 'session must be text, or an object with id.'],
    ['{"body":"x","links":"a"}', 'links must be a list.'],
    ['{"body":"x","links":[{}]}', 'a link must name the key it leads to.'],
    ['{"body":"x","links":[{"to":"a","type":"two words"}]}', 'is not a type of link'],
    ['{"body":"x","supersedes":7}', 'supersedes must be text'],
    ['{"body":" "}', 'body must not be empty.'],
    ['{"title":"x"}', 'body is missing.'],
  ])('%s is refused with a sentence', async (line, reason) => {
    const { skipped } = await readAll(fileOf('a.jsonl', line), 'jsonl')
    expect(skipped[0]?.reason).toContain(reason)
  })

  test.each([
    ['{"id":7,"text":"A walk.","created_at":1767225600,"labels":["a"],"colour":"blue"}', {}],
    [
      '{"uuid":"7","Content":"A walk.","date":"2026-01-01T00:00:00Z","tags":["a"],"colour":"blue"}',
      {},
    ],
    [
      '[{"guid":"7","note":"A walk.","timestamp":1767225600000,"keywords":"a","colour":"blue"}]',
      {},
    ],
    [
      '{"_id":"7","body":"A walk.","published":"2026-01-01","name":"Out","author":{"name":"Ana"},"colour":"blue","tag":"a"}',
      { title: 'Out', people: ['Ana'] },
    ],
  ])('%s has its text, id, date and tags found', async (line, more) => {
    const { format, records } = await readAll(fileOf('things.json', line))
    expect(format).toBe('jsonl')
    expect(records[0]?.key).toBe('7')
    expect(records[0]?.record).toEqual({
      body: 'A walk.',
      occurredAt: '2026-01-01T00:00:00.000Z',
      tags: ['a'],
      metadata: { colour: 'blue' },
      ...more,
    })
  })

  test('messages are no records, and data without a text is neither', async () => {
    const message = '{"role":"user","content":"Hello","date":"2026-01-01"}'
    expect((await readAll(fileOf('a.jsonl', message))).format).toBe('chat')
    expect((await readAll(fileOf('a.json', '{"theme":"dark","nested":{"text":"x"}}'))).format).toBe(
      'text',
    )
  })

  test('the same line twice, without keys, is two', async () => {
    const { records } = await readAll(fileOf('a.jsonl', '{"body":"ok"}\r\n{"body":"ok"}\r\n'))
    expect(records.map(({ key }) => key)).toEqual([records[0]!.hash, `${records[0]!.hash}#2`])
  })
})

describe('beir', () => {
  test('documents keep their ids and all that is said about them', async () => {
    const { records, skipped } = await readAll(fixture('beir'))
    expect(records.map(({ key, record }) => [key, record.title, record.body])).toEqual([
      ['d1', 'Tides', 'The moon raises the sea twice a day.'],
      ['d2', null, 'Only a title'],
      ['3', null, 'ok'],
    ])
    expect(records[0]?.record).toMatchObject({ kind: 'document', metadata: { year: 1999 } })
    expect(records[2]?.record).toMatchObject({ session: 'talk', people: ['Ana'] })
    expect(skipped.map(({ line }) => line)).toEqual([4, 5, 6])
  })
})

describe('text', () => {
  test('text in any usual encoding is read, and a file that is not text is reported', async () => {
    const { records, skipped } = await readAll(fixture('text'), 'text')
    expect(records.map(({ key, record }) => [key, record.title, record.body])).toEqual([
      ['latin.txt', 'latin', 'Grüße aus Köln\n'],
      ['pump.txt', 'pump', 'Meeting on Tuesday.\nThe pump is loud.\n'],
      ['wide.txt', 'wide', 'hi there'],
    ])
    expect(skipped).toEqual([
      { kind: 'skipped', name: 'picture.bin', line: null, reason: 'It is not text.' },
    ])
  })

  test('a file of blanks is empty, and a name without an ending is a title', async () => {
    const { records, skipped } = await readAll(folderOf({ 'a.txt': ' \n', README: 'hi' }), 'text')
    expect(skipped[0]?.reason).toBe('It is empty.')
    expect(records[0]?.record.title).toBe('README')
  })
})

describe('works', () => {
  test('entries become works, and broken ones are skipped with a reason', async () => {
    const { items } = await readAll(fixture('library.bib'))
    expect(items).toMatchObject([
      { kind: 'work', key: 'library.bib/lind2020', work: { doi: '10.1000/beans' } },
      { kind: 'skipped', name: 'library.bib/lost', line: 2 },
    ])
  })

  test('two entries of one key are two items', async () => {
    const entry = '@misc{k, title = {A}}\n'
    const { items } = await readAll(fileOf('a.bib', entry + entry.replace('A', 'B')))
    expect(items.map((item) => item.kind === 'work' && item.key)).toEqual(['a.bib/k', 'a.bib/k#2'])
  })
})
