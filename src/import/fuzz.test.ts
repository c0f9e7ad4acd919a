/** Damaged files and arbitrary bytes give entries or reasons, in every format. */

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertInput } from '../schemas/check.js'
import { recordInput } from '../schemas/record-requests.js'
import type { ImportFormat } from './importer.js'
import { IMPORTERS } from './importers.js'
import { fileOf, fixture, readAll } from './reading.fixture.js'

const SAMPLES: readonly (readonly [string, ImportFormat])[] = [
  ['vault/Garden.md', 'markdown'],
  ['vault/Broken front.md', 'markdown'],
  ['text/latin.txt', 'text'],
  ['records.jsonl', 'jsonl'],
  ['chatgpt.json', 'chatgpt'],
  ['claude.json', 'claude'],
  ['claude-code.jsonl', 'claude-code'],
  ['codex/2026/02/03/rollout-2026-02-03T10-00-00-abc.jsonl', 'codex'],
  ['gemini/session-2026-06-02T10-00-5c1e8a90.jsonl', 'gemini'],
  ['chat.json', 'chat'],
  ['chat.jsonl', 'chat'],
  ['beir/corpus.jsonl', 'beir'],
  ['mail.mbox', 'mbox'],
  ['library.bib', 'bibtex'],
  ['../citations/library.ris', 'ris'],
  ['../citations/library.json', 'csl'],
]

type Cut = { at: number; length: number; put: Uint8Array }

const cut: fc.Arbitrary<Cut> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(40),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .constantFrom(
        '"',
        '{',
        '}',
        '[',
        ']',
        'null',
        '\n',
        '\\',
        '123',
        'true',
        '---\n',
        '\u0000',
        '-1e999',
      )
      .map((text) => Buffer.from(text)),
  ),
})

function mutate(bytes: Buffer, cuts: readonly Cut[]): Buffer {
  let changed = bytes
  for (const { at, length, put } of cuts) {
    const start = Math.floor(at * changed.length)
    changed = Buffer.concat([changed.subarray(0, start), put, changed.subarray(start + length)])
  }
  return changed
}

/** Everything that comes out is whole: a record that can be stored, a work, or a reason. */
async function expectWhole(path: string, format: ImportFormat): Promise<void> {
  const { items } = await readAll(path, format)
  for (const item of items) {
    if (item.kind === 'skipped') expect(item.reason).toMatch(/\S/)
    else if (item.kind !== 'ignored') expect(item.key).not.toBe('')
    if (item.kind === 'record') assertInput(recordInput, item.record)
  }
}

test.each(SAMPLES)('%s, cut and mixed up, gives items or reasons', async (name, format) => {
  const bytes = readFileSync(fixture(name))
  const cuts = fc.array(cut, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(cuts, async (mutations) => {
      await expectWhole(fileOf(basename(name), mutate(bytes, mutations)), format)
    }),
    { numRuns: 30 },
  )
})

const WITHOUT_BYTES: readonly string[] = ['git', 'pdf', 'archive', 'zotero']

test.each(IMPORTERS.map(({ name }) => name).filter((name) => !WITHOUT_BYTES.includes(name)))(
  'any JSON and any bytes, read as %s, give items or reasons',
  async (format) => {
    const anything = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.array(fc.json(), { maxLength: 4 }).map((lines) => Buffer.from(lines.join('\n'))),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    )
    await fc.assert(
      fc.asyncProperty(anything, (bytes) => expectWhole(fileOf('rollout-x.jsonl', bytes), format)),
      { numRuns: 25 },
    )
  },
)
