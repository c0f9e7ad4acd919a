/** Reads fixtures and temporary files as an import would. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type {
  ImportEntry,
  ImportFormat,
  ReadOptions,
  RecordEntry,
  SkippedEntry,
} from './importer.js'
import { chooseImporter } from './importers.js'
import { createPdfWorker } from './pdf/worker.js'

export function fixture(name: string): string {
  return join(import.meta.dirname, '../../test/fixtures/import', name)
}

/** A folder with these files, gone after the test. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

export function fileOf(name: string, content: string | Uint8Array): string {
  return join(folderOf({ [name]: content }), name)
}

export type Read = {
  readonly format: ImportFormat
  readonly items: readonly ImportEntry[]
  readonly records: readonly RecordEntry[]
  readonly skipped: readonly SkippedEntry[]
}

export async function readAll(
  path: string,
  format?: ImportFormat,
  options: Partial<ReadOptions> = {},
): Promise<Read> {
  const { importer, path: whole } = await chooseImporter(path, { format })
  if (importer.name === 'archive') throw new Error('an archive has no items')
  const items: ImportEntry[] = []
  const pdfWorker = createPdfWorker()
  onTestFinished(() => pdfWorker.close())
  for await (const item of importer.read(whole, { pdfWorker, ...options })) items.push(item)
  return {
    format: importer.name,
    items,
    records: items.filter((item) => item.kind === 'record'),
    skipped: items.filter((item) => item.kind === 'skipped'),
  }
}
