import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Cairn } from '../cairn/cairn.js'
import { indexSet } from './evaluate.js'

/** What would be added, with one record for each body; `indexSet` sees nothing else of a library. */
function recordingLibrary() {
  const added: Record<string, unknown>[] = []
  const sizes: number[] = []
  const addMany = async (inputs: readonly Record<string, unknown>[]) => {
    sizes.push(inputs.length)
    added.push(...inputs)
    return inputs.map(({ body }) => ({ id: `record of ${String(body)}` }))
  }
  return { cairn: { addMany } as unknown as Cairn, added, sizes }
}

function setOf(documents: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const corpusFile = join(folder, 'corpus.jsonl')
  writeFileSync(corpusFile, documents.map((one) => JSON.stringify(one)).join('\n'))
  return { name: 'set', corpusFile, documents: documents.length, queries: [] }
}

test('a turn of a chat has its session, its speaker and a time after the turn before', async () => {
  const { cairn, added } = recordingLibrary()
  const turns = [
    { _id: 1, title: '', text: 'Hello.', metadata: { session: 3, speaker: 'Ana' } },
    { _id: 2, title: '', text: 'Good day.', metadata: { session: 'evening', speaker: '' } },
  ]
  await indexSet(cairn, setOf(turns), () => {})
  const at = Date.UTC(2020, 0, 1)
  expect(added).toEqual([
    { title: null, body: 'Hello.', people: ['Ana'], session: '3', occurredAt: at + 1000 },
    { title: null, body: 'Good day.', people: [], session: 'evening', occurredAt: at + 2000 },
  ])
})

test('a date that can be read is when it was, and a part of a work has the work as its source', async () => {
  const { cairn, added } = recordingLibrary()
  const parts = [
    { _id: 1, text: 'a', metadata: { date_time: '1:56 pm on 8 May, 2023' } },
    { _id: 2, text: 'b', metadata: { date_time: '1:56 pm on 8 May, 2023', paper: 'atlas' } },
    { _id: 3, text: 'c', metadata: { date_time: 'some day', paper: '' } },
  ]
  const { toRecords } = await indexSet(cairn, setOf(parts), () => {})
  const said = Date.UTC(2023, 4, 8, 13, 56)
  expect(added.map(({ occurredAt, source }) => ({ occurredAt, source }))).toEqual([
    { occurredAt: said + 1000, source: undefined },
    { occurredAt: said + 2000, source: 'atlas' },
    { occurredAt: Date.UTC(2020, 0, 1) + 3000, source: undefined },
  ])
  expect(toRecords.get('atlas')).toEqual(['record of b'])
})

test('a document has a title and a text, or is its title; without a session it names none', async () => {
  const { cairn, added } = recordingLibrary()
  const documents = [
    { _id: 'both', title: 'Tides', text: 'The sea rises.', metadata: null },
    { _id: 'title', title: 'Tides', text: ' ' },
    { _id: 'neither', title: '', text: null },
  ]
  await indexSet(cairn, setOf(documents), () => {})
  expect(added.map(({ title, body }) => [title, body])).toEqual([
    ['Tides', 'The sea rises.'],
    [null, 'Tides'],
  ])
  expect(added.every((input) => !('session' in input))).toBe(true)
})

test('a record stands for every document with its text, in batches and in order', async () => {
  const { cairn, sizes } = recordingLibrary()
  const documents = Array.from({ length: 300 }, (_, i) => ({ _id: `d${i}`, text: `t${i % 299}` }))
  const progress: number[] = []
  const { ofRecord, toRecords } = await indexSet(cairn, setOf(documents), (done) => {
    progress.push(done)
  })
  const ids = new Map<string, readonly string[]>(ofRecord)
  expect(sizes).toEqual([256, 44])
  expect(progress).toEqual([0, 256, 300])
  expect(ids.get('record of t0')).toEqual(['d0', 'd299'])
  expect(toRecords.get('d299')).toEqual(['record of t0'])
})
