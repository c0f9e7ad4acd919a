/** Paths find their importer, or one clear error. */

import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CairnError } from '../core/errors.js'
import { FORMAT_DESCRIPTIONS } from './importer.js'
import { chooseImporter, IMPORTERS } from './importers.js'
import { createPdfWorker } from './pdf/worker.js'
import { fileOf, fixture, folderOf, readAll } from './reading.fixture.js'

const choose = async (path: string, format?: string) =>
  (await chooseImporter(path, { format })).importer.name

async function refusalOf(asked: Promise<unknown>): Promise<CairnError> {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof CairnError)) throw new Error(`no CairnError but ${String(error)}`)
  return error
}

describe('choosing', () => {
  test.each([
    ['vault', 'folder'],
    ['vault/Garden.md', 'markdown'],
    ['text', 'folder'],
    ['text/pump.txt', 'text'],
    ['text/latin.txt', 'text'],
    ['text/wide.txt', 'text'],
    ['records.jsonl', 'jsonl'],
    ['chatgpt.json', 'chatgpt'],
    ['claude.json', 'claude'],
    ['claude-code.jsonl', 'claude-code'],
    ['codex', 'folder'],
    ['codex/2026/02/03/rollout-2026-02-03T10-00-00-abc.jsonl', 'codex'],
    ['chat.json', 'chat'],
    ['chat.jsonl', 'chat'],
    ['beir', 'beir'],
    ['beir/corpus.jsonl', 'beir'],
    ['mail.mbox', 'mbox'],
    ['library.bib', 'bibtex'],
    ['../citations/library.ris', 'ris'],
    ['../citations/library.json', 'csl'],
  ])('%s is read as %s', async (name, format) => {
    expect(await choose(fixture(name))).toBe(format)
  })

  test('every described format has one importer', () => {
    expect(IMPORTERS.map(({ name }) => name).sort()).toEqual(
      Object.keys(FORMAT_DESCRIPTIONS).sort(),
    )
  })

  test('a named format is believed, whatever the file looks like', async () => {
    expect(await choose(fixture('vault'), 'text')).toBe('text')
  })
})

describe('what cannot be read', () => {
  test('an object with _id and a date is a record of another program, not a document of BEIR', async () => {
    const choose = async (line: string) =>
      (await chooseImporter(fileOf('x.jsonl', `${line}\n`))).importer.name
    expect(await choose('{"_id":"5","text":"x","timestamp":"2024-01-01"}')).toBe('jsonl')
    expect(await choose('{"_id":"5","title":"","text":"x","metadata":{}}')).toBe('beir')
  })

  test('a path that leads nowhere is one sentence', async () => {
    const refusal = await refusalOf(chooseImporter('no/such/thing'))
    expect(refusal.code).toBe('unreadable_file')
    expect(refusal.message).toBe('There is nothing at no/such/thing.')
  })

  test('an unknown format is answered with those there are', async () => {
    const refusal = await refusalOf(chooseImporter(fixture('vault'), { format: 'odt' }))
    expect(refusal.message).toBe('There is no format "odt".')
    expect(refusal.hint).toContain('claude-code, codex, csl')
  })

  test('a file of an unknown kind is refused with a list of the formats', async () => {
    const refusal = await refusalOf(chooseImporter(fileOf('x.bin', new Uint8Array([1, 0, 2]))))
    expect(refusal.message).toContain('is of no kind that can be imported')
    expect(refusal.hint).toContain('Name its format')
    const empty = folderOf({})
    mkdirSync(`${empty}/sub`)
    expect((await refusalOf(chooseImporter(empty))).message).toContain('no file in the folder')
    expect((await refusalOf(chooseImporter(fileOf('e.txt', '')))).message).toContain('is empty')
  })

  test('every importer refuses a path that is gone with a sentence, not with a crash', async () => {
    for (const importer of IMPORTERS) {
      const reading = async () => {
        const path = '/no/such/place'
        if (importer.name === 'archive') for await (const _ of importer.readLines(path, {})) break
        else for await (const _ of importer.read(path, { pdfWorker: createPdfWorker() })) break
      }
      expect((await refusalOf(reading())).code).toBe('unreadable_file')
    }
  })

  test('an import that is called off stops reading', async () => {
    const controller = new AbortController()
    controller.abort()
    const reading = readAll(fixture('vault'), 'markdown', { signal: controller.signal })
    await expect(reading).rejects.toThrow(/abort/i)
  })
})
