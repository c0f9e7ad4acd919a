/** The programs in examples/ run and print what they promise. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PRINTED = {
  'agent-memory': ["[ '5432 → 6543' ]", 'recalled: The staging database listens on port 6543.'],
  'notes-search': ['imported 3 notes', 'Backups (both)', 'with the tag release: 1'],
  literature: ['imported 2 works', 'found: The PageRank', 'by DOI: robertson2009 2009'],
  'own-embedder': ['The deployment runs every Thursday.', 'own/three-letter-pieces@1'],
}

test.each(Object.entries(PRINTED))('examples/%s.mjs runs', (name, expected) => {
  const program = join(import.meta.dirname, '../examples', `${name}.mjs`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  for (const text of expected) expect(stdout).toContain(text)
})
