/** Whatever a record says, its file says, and reading the file gives the record back. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CairnRecord } from '../../core/record.js'
import { findChanges, readNote, suggestName, writeNote } from './mirrored-note.js'

const RECORD = {
  id: '01K9ZQ3F8Q0G2M4T6W8Y0A2C4E',
  kind: 'memory',
  namespace: 'default',
  title: null,
  body: 'The text.',
  tags: [],
  people: [],
  source: null,
  metadata: {},
  importance: 0.5,
  sector: null,
  tier: 'project',
  occurredAt: null,
  createdAt: '2026-06-01T12:00:00.000Z',
} as unknown as CairnRecord

/** As records have them: well-formed, one line, trimmed. */
const line = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(
  (text) =>
    text
      .toWellFormed()
      .replace(/\p{Cc}/gu, '')
      .trim() || 'x',
)
const body = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('---\na: 1\n---\nb', '# T\r\n\r\n- a\n', '+++\nx\n+++', 'id: 5', '\ufeff---\n'),
  )
  .map((text) => `${text.toWellFormed().replaceAll('\u0000', '')}.`)
const key = fc.constantFrom('id', 'title', 'tags', 'metadata', 'conflict', 'a b', 'x: y', '#', '7')
const record = fc.record({
  title: fc.option(line),
  body,
  tags: fc.array(fc.oneof(line, fc.constantFrom('#a', 'a, b', 'null', '12'))),
  people: fc.array(line),
  metadata: fc
    .dictionary(fc.oneof(key, line), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
    .map((value) => JSON.parse(JSON.stringify(value))),
  importance: fc.constantFrom(0, 0.5, 0.7),
})

describe('a record as a note', () => {
  test('is read as it was written, also into the file of another version', async () => {
    await fc.assert(
      fc.asyncProperty(record, record, async (first, second) => {
        const before = { ...RECORD, ...first }
        const after = { ...RECORD, ...second, occurredAt: '2026-05-01T10:00:00.000Z' }
        const text = await writeNote(before as CairnRecord)
        expect(findChanges((await readNote(text)).fields, before as CairnRecord)).toEqual({})
        const next = await readNote(await writeNote(after as CairnRecord, text))
        expect(findChanges(next.fields, after as CairnRecord)).toEqual({})
        expect(next.created).toBe(RECORD.createdAt)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['A plain title', 'A plain title'],
    ['a/b\\c: d? "e" [[f]] #g', 'a b c d e f g'],
    ['...', 'note'],
    ['con', 'note con'],
    ['Aux.draft', 'note Aux.draft'],
    ['consent', 'consent'],
    ['# A heading\nand more', 'A heading'],
    ['word '.repeat(40), 'word '.repeat(16).trim()],
    ['漢'.repeat(100), '漢'.repeat(26)],
  ])('the name for %j is %j', (title, name) => {
    expect(suggestName({ title, body: '' })).toBe(name)
  })

  test('a record that could not be read back is refused', async () => {
    const wrong = { ...RECORD, body: 'a\u0000b' }
    await expect(writeNote(wrong)).rejects.toThrow('cannot be written as a Markdown file')
  })
})
