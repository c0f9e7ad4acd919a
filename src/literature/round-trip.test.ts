/** A work that is written and read again is the same work. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Work } from '../core/work.js'
import { anyWorks } from './citations.fixture.js'
import { FORMATS, type FormatName } from './formats.js'
import type { Skipped } from './read-works.js'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** What a format has no place for; docs/formats.md shows the same table. */
const LOST: Readonly<Record<'bibtex' | 'ris' | 'csl', (work: Work) => Work>> = {
  bibtex: (work) => ({ ...work, references: [] }),
  ris: (work) => {
    const isInstitution = work.type === 'thesis' || work.type === 'report'
    return {
      ...work,
      references: [],
      publisher: isInstitution ? null : work.publisher,
      institution: isInstitution ? work.institution : null,
    }
  },
  csl: (work) => work,
}

async function again(format: FormatName, works: readonly Work[]): Promise<Work[]> {
  const { write, read } = FORMATS[format]
  const { works: found, skipped } = (await read?.(write(works))) ?? { works: [], skipped: [] }
  expect(skipped).toEqual([])
  return found.map(({ work }) => work)
}

describe('any work is the same after writing and reading', () => {
  test.each(['bibtex', 'ris', 'csl'] as const)('%s', async (format) => {
    await fc.assert(
      fc.asyncProperty(anyWorks, async (works) => {
        const given = format === 'ris' ? works.map(withPlainNames) : works
        expect(await again(format, given)).toEqual(given.map(LOST[format]))
      }),
      { numRuns: 200 },
    )
  })
})

/** RIS takes names apart at their commas. */
function withPlainNames(work: Work): Work {
  const plain = (text: string): string => text.replace(/[,\s]+/g, ' ').trim() || 'x'
  const names = (people: Work['authors']): Work['authors'] =>
    people.map(({ family, given }) => ({
      family: plain(family),
      given: given === null ? null : plain(given),
    }))
  return { ...work, authors: names(work.authors), editors: names(work.editors) }
}

const anthology = join(ROOT, '..', 'shared', 'inputs', 'acl_2019.bib')

describe.skipIf(!existsSync(anthology))(
  'three thousand real entries, where they are at hand',
  () => {
    let works: readonly Work[] = []
    let skipped: readonly Skipped[] = []

    beforeAll(async () => {
      const read = await FORMATS.bibtex.read?.(readFileSync(anthology, 'utf8'))
      works = read?.works.map(({ work }) => work) ?? []
      skipped = read?.skipped ?? []
    })

    test('every entry is read with a title, a year and people', () => {
      expect(skipped).toEqual([])
      expect(works.length).toBe(3000)
      expect(works.filter(({ title, year }) => title === '' || year !== 2019)).toEqual([])
      expect(works.filter(({ authors, editors }) => authors.length + editors.length === 0)).toEqual(
        [],
      )
    })

    test.each(['bibtex', 'ris', 'csl'] as const)('%s loses nothing of them', async (format) => {
      expect(await again(format, works)).toEqual(works.map(LOST[format]))
    })
  },
)
