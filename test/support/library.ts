/** A test gets a fresh file and leaves nothing behind. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Cairn, type OpenOptions, openCairn, type RecordInput } from '../../src/index.js'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function temporaryFile(): string {
  return join(temporaryFolder(), 'test.cairn')
}

/** An open library with these records in it, in a file of its own. */
export async function libraryOf(
  records: readonly (string | RecordInput)[],
  options: Partial<OpenOptions> = {},
): Promise<Cairn> {
  const cairn = await openCairn({ file: temporaryFile(), ...options })
  onTestFinished(() => cairn.close())
  await cairn.addMany(
    records.map((record) => (typeof record === 'string' ? { body: record } : record)),
  )
  return cairn
}

/** The bodies of the hits, best first. */
export async function bodiesFound(
  cairn: Cairn,
  query: string,
  options: Parameters<Cairn['search']>[1] = {},
): Promise<string[]> {
  const answer = await cairn.search(query, { limit: 50, ...options })
  return answer.hits.map((hit) => hit.record.body)
}
