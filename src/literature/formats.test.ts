/** Any text can be read, works survive writing and reading, and formats are recognised. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { EXTENSIONS, type ExportFormat, WORK_TYPES, type Work } from '../core/work.js'
import { FORMATS, guessFormat } from './formats.js'
import { anyWorks, line, makeWork, readWorks } from './works.fixture.js'
import type { SkippedWork } from './works-file.js'

const ROOT = join(import.meta.dirname, '../..')
const READABLE = ['bibtex', 'ris', 'csl'] as const

/** Text made of the pieces that formats are made of, so that most of it almost parses. */
const almost = fc
  .array(
    fc.oneof(
      line,
      fc.constantFrom(
        ...[
          '@article{k,',
          '@string{',
          '@comment{',
          '{',
          '}',
          '"',
          '#',
          '=',
          ',',
          '\n',
          'title',
          'crossref={k}',
        ],
        ...[
          'TY  - JOUR\n',
          'ER  - \n',
          'TI  - x\n',
          'AU  - ,\n',
          '[',
          ']',
          '{"title":"x"}',
          '"date-parts":[[',
          '\\',
        ],
      ),
    ),
  )
  .map((parts) => parts.join(''))

describe('reading', () => {
  test.each(READABLE)('%s takes any text without throwing', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(almost, fc.string({ unit: 'binary' })), async (text) => {
        const { works, skipped } = readWorks(name, text)
        const lines = [...works, ...skipped].map((read) => read.line)
        expect(lines.every((at) => at >= 1 && at <= text.split(/\r\n?|\n/).length)).toBe(true)
        expect(skipped.every(({ reason }) => /^[A-Z].*\.$/.test(reason))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test.each(READABLE)(
    '%s keeps the works before the end of a file that is cut off',
    async (name) => {
      const works = ['a', 'b', 'c'].map((title) =>
        makeWork({ title, authors: [{ family: 'Li', given: 'Wu' }] }),
      )
      const text = FORMATS[name].write(works)
      for (let cut = 0; cut <= text.length; cut += 1) {
        const read = readWorks(name, text.slice(0, cut))
        const titles = read?.works.map(({ work }) => work.title) ?? []
        expect('abc'.startsWith(titles.slice(0, -1).join(''))).toBe(true)
      }
    },
  )

  test.each([
    ['bibtex', 'library.bib'],
    ['bibtex', 'broken.bib'],
    ['ris', 'library.ris'],
    ['csl', 'library.json'],
  ] as const)('%s takes %s with any piece of it missing or doubled', async (name, file) => {
    const text = readFileSync(join(ROOT, 'test/fixtures/citations', file), 'utf8')
    const place = fc.nat({ max: text.length })
    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        readWorks(name, text.slice(0, from) + text.slice(to))
      }),
      { numRuns: 100 },
    )
  })

  test.each(READABLE)('%s reads nothing from an empty file', async (name) => {
    expect(readWorks(name, ' \n')).toEqual({ works: [], skipped: [] })
  })
})

describe('docs/formats.md', () => {
  const page = readFileSync(join(ROOT, 'docs/formats.md'), 'utf8')

  test('has a row for every format with its endings', () => {
    for (const [name, extensions] of Object.entries(EXTENSIONS)) {
      expect(page).toContain(
        `| \`${name}\` | ${extensions.map((ending) => `\`${ending}\``).join(', ')} |`,
      )
    }
  })

  test('has a row for every field and every type of a work', () => {
    const fields = Object.keys(makeWork({})).filter(
      (field) => field !== 'type' && field !== 'published',
    )
    const lacking = [...fields, ...WORK_TYPES].filter((name) => !page.includes(`\n| \`${name}\``))
    expect(lacking).toEqual([])
  })
})

describe('guessing a format', () => {
  test('the ending of a name decides, and without one the text', () => {
    expect(guessFormat('', 'My Library.BIB')).toBe('bibtex')
    expect(guessFormat('', 'out.md')).toBe('markdown')
    expect(guessFormat('', 'out.json')).toBe('csl')
    expect(guessFormat('% mine\n@book{a, title={x}}', null)).toBe('bibtex')
    expect(guessFormat('\uFEFFTY  - JOUR\r\n', 'export.txt')).toBe('ris')
    expect(guessFormat('[{"type": "book", "title": "x", "issued": {}}]', null)).toBe('csl')
  })

  test('JSON that is no list of references is not taken for one', () => {
    expect(guessFormat('{"text": "a memory"}', 'records.json')).toBeNull()
    expect(guessFormat('Dear @anna, hello', 'letter.txt')).toBeNull()
  })

  test('whatever is written and can be read is recognised', () => {
    fc.assert(
      fc.property(anyWorks, (works) => {
        for (const name of READABLE) {
          const { write } = FORMATS[name]
          const full = works.map((work) => ({ ...work, doi: '10.1/x' }))
          expect(guessFormat(write(full), null)).toBe(name)
        }
      }),
      { numRuns: 50 },
    )
  })
})

/** What a format cannot hold; docs/formats.md shows the same table. */
const LOST: Readonly<Record<'bibtex' | 'ris' | 'csl', (work: Work) => Work>> = {
  bibtex: (work) => ({ ...work, references: [] }),
  ris: (work) => {
    const isInstitution = work.type === 'thesis' || work.type === 'report'
    return {
      ...work,
      bibtexTitle: null,
      references: [],
      publisher: isInstitution ? null : work.publisher,
      institution: isInstitution ? work.institution : null,
    }
  },
  csl: (work) => ({ ...work, bibtexTitle: null }),
}

async function again(format: ExportFormat, works: readonly Work[]): Promise<Work[]> {
  const { works: found, skipped } = readWorks(format, FORMATS[format].write(works))
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
      { numRuns: 100 },
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
    let skipped: readonly SkippedWork[] = []

    beforeAll(async () => {
      const read = readWorks('bibtex', readFileSync(anthology, 'utf8'))
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
      const some = works.slice(0, 500)
      expect(await again(format, some)).toEqual(some.map(LOST[format]))
    })
  },
)
