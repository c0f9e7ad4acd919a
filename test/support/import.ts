/** The fixtures of imports, and questions that several tests of imports ask. */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Cairn } from '../../src/index.js'
import { temporaryFolder } from './library.js'

const FIXTURES = join(import.meta.dirname, '../fixtures/import')
export const fixture = (name: string): string => join(FIXTURES, name)

/** A copy of the vault that a test may change. */
export function vault(): { folder: string; write: (name: string, text: string) => void } {
  const folder = join(temporaryFolder(), 'vault')
  cpSync(fixture('vault'), folder, { recursive: true })
  return {
    folder,
    write: (name, text) => {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    },
  }
}

export async function titled(cairn: Cairn, title: string, deleted = false) {
  const { records } = await cairn.list({ limit: 1000, deleted })
  const found = records.filter((record) => record.title === title)
  expect(found).toHaveLength(1)
  return found[0]!
}

export const linksOf = async (cairn: Cairn, title: string): Promise<string[]> => {
  const { links } = await cairn.links.of((await titled(cairn, title)).id)
  return links
    .filter(({ direction }) => direction === 'out')
    .map(({ type, other }) => `${type} ${other?.title}`)
    .sort()
}
