/** A text is the same in units as in one piece. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Marked } from 'marked'
import { expect, test } from 'vitest'
import { buildPattern } from './mark-text.js'
import { findUnit, isMarkdown, levelHeadings, listHeadings, splitUnits } from './units.js'

const DOCS = join(import.meta.dirname, '../../../docs')
const whole = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(DOCS, name), 'utf8'))
  .join('\n\n')

const line = fc.constantFrom(
  ...['# A', 'A word and more.', '- item', '  more of it', '```js', '```', '~~~', '', '', '1. one'],
  ...['x'.repeat(3000), '| a | b |', '> said'],
)

test('units are the text, in order, and each offset has its own', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.boolean(), (lines, markdown) => {
      const text = lines.join('\n')
      const units = splitUnits(text, { isMarkdown: markdown })
      expect(units.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
      for (const [index, { start, end }] of units.entries()) {
        expect([findUnit(units, start), findUnit(units, end - 1)]).toEqual([index, index])
      }
    }),
  )
})

test('Markdown in units is rendered as it is in one piece', () => {
  const marked = new Marked()
  const units = splitUnits(whole, { isMarkdown: true })
  expect(units.length).toBeGreaterThan(30)
  const parts = units.map(({ start, end }) => marked.parse(whole.slice(start, end)))
  expect(parts.join('')).toBe(marked.parse(whole))
})

test('headings are found outside of code, with plain names', () => {
  const text = '# One\n\n```sh\n# no heading\n```\n\n## Two `x` and [three](a.md) ##\n####### none'
  expect(listHeadings(text)).toEqual([
    { at: 0, depth: 1, text: 'One' },
    { at: 31, depth: 2, text: 'Two x and three' },
  ])
  // No heading takes long, however it is written.
  const wide = `# ${' '.repeat(50_000)}x${'#'.repeat(50_000)}y\n# ${'['.repeat(50_000)}`
  expect(listHeadings(wide).map(({ depth }) => depth)).toEqual([1, 1])
  const levels = levelHeadings(listHeadings('## a\n#### b\n## c\n### d\n# e\n###### f'))
  expect([...levels.values()]).toEqual([2, 3, 3, 4, 2, 3])
})

test('files say by their name whether they are Markdown, notes by how they are written', () => {
  const of = (body: string, path?: string, kind = 'document') =>
    isMarkdown({ kind, body, metadata: path === undefined ? {} : { path } })
  expect(of('plain', 'a/b.md')).toBe(true)
  expect(of('# Heading', 'a/b.txt')).toBe(false)
  expect(of('# Heading', 'a/b.docx')).toBe(true)
  expect(of('We deploy on Thursdays.', undefined, 'memory')).toBe(false)
  expect(of('We deploy:\n- on Thursdays', undefined, 'memory')).toBe(true)
  expect(of('An **abstract**', undefined, 'work')).toBe(false)
})

test('a pattern finds the words as they are written, and whole', () => {
  const pattern = buildPattern(['Releases', 'v1.0', 'release'])
  const found = 'RELEASES, release v1x0, v1.0, prerelease, releases'.match(pattern ?? /$/)
  expect(found).toEqual(['RELEASES', 'release', 'v1.0', 'releases'])
  expect(buildPattern([])).toBeNull()
  expect('用語を検索する'.match(buildPattern(['検索']) ?? /$/)).toEqual(['検索'])
})
