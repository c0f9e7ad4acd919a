/** Works for tests: made by hand, from few values, or with the characters that break formats. */

import fc from 'fast-check'
import {
  type ExportFormat,
  NO_DETAILS,
  type PersonName,
  WORK_TYPES,
  type Work,
} from '../core/work.js'
import { FORMATS } from './formats.js'

export const NO_WORK: Work = { ...NO_DETAILS, title: '', abstract: null, tags: [], references: [] }

export function makeWork(parts: Partial<Work>): Work {
  return { ...NO_WORK, title: 'On Cairns', ...parts }
}

/** The works of a text, and what was skipped, by line. */
export function readWorks(format: ExportFormat, text: string) {
  const entries = [...(FORMATS[format].list?.(text) ?? [])]
  const skipped = entries.filter((entry) => 'reason' in entry)
  return {
    works: entries.filter((entry) => 'work' in entry),
    skipped: skipped.sort((a, b) => a.line - b.line),
  }
}

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const some = (...values: readonly string[]) => orNull(fc.constantFrom(...values))
const people = fc.array(
  fc.record({
    family: fc.constantFrom('Stone', 'van der Berg', 'García Márquez', 'Márquez'),
    given: some('A.', 'Ada', 'Ada M.', 'Bo', 'Gabriel García', ''),
  }),
  { maxLength: 3 },
)

/** From so few values that two works often agree, differ by a little, or lack the same thing. */
export const anyWork: fc.Arbitrary<Work> = fc
  .record({
    title: fc.constantFrom('On Cairns', 'on cairns!', 'Paths', ''),
    abstract: some('Stones mark', 'Stones mark a path.', 'Other words.', ''),
    type: fc.constantFrom(...WORK_TYPES),
    authors: people,
    editors: people,
    venue: some('Journal of Paths', 'journal of paths', 'Stones'),
    year: orNull(fc.constantFrom(2018, 2019)),
    published: some('2018', '2019', '2019-07', '2019-07-28', '2018-02', ''),
    doi: some('10.1000/a', '10.1000/b'),
    openAlexId: some('W1', 'W2'),
    arxivId: some('1706.03762', 'cs/0112017'),
    citationKey: some('stone2019', 'other'),
    pages: some('1', '1-2', '12'),
    tags: fc.array(fc.constantFrom('path', 'Path', 'stone', 'STONE', 'map'), { maxLength: 4 }),
    references: fc.array(fc.constantFrom('openalex:W7', 'doi:10.1000/c', 'key:x'), {
      maxLength: 4,
    }),
  })
  .map(makeWork)

const NASTY = [
  ...'{}\\$&%#_~^"\'`@=,;:<>|()[]-–—/!?*+.',
  '--',
  '---',
  '``',
  "''",
  '\\"u',
  '{\\ss}',
  '\\emph{x}',
  ' and ',
  'and',
  'others',
  '@article{x,',
  '@string(a=',
  'TY  - JOUR',
  'ER  - ',
  'ü',
  'u\u0308',
  'ß',
  '漢字',
  '😀',
  'Ω',
  'a',
  'B',
  'von ',
  ' ',
  ' ',
  '7',
]

/** One line, as readers leave it: no white space at the ends, none twice. */
export const line = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 4, unit: 'grapheme' })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join('').replace(/\s+/g, ' ').trim())
  .map((text) => text || 'x')

const paragraphs = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n\n'))
const digits = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0123456789'), { minLength: length, maxLength: length })
    .map((d) => d.join(''))

const name: fc.Arbitrary<PersonName> = fc.record({ family: line, given: orNull(line) })
const date = fc.oneof(
  fc.constant({ year: null, published: null }),
  fc
    .record({
      year: fc.integer({ min: 1, max: 9999 }),
      exact: fc.constantFrom('', '-07', '-12-31'),
    })
    .map(({ year, exact }) => ({ year, published: `${String(year).padStart(4, '0')}${exact}` })),
)

const details = fc.record({
  type: fc.constantFrom(...WORK_TYPES),
  title: line,
  abstract: orNull(paragraphs),
  tags: fc.uniqueArray(line, { maxLength: 3 }),
  authors: fc.array(name, { maxLength: 3 }),
  editors: fc.array(name, { maxLength: 2 }),
  venue: orNull(line),
  doi: orNull(line.map((text) => `10.1000/${text.toLowerCase()}`)),
  openAlexId: orNull(digits(6).map((id) => `W${id}`)),
  arxivId: orNull(
    fc.oneof(
      digits(9).map((d) => `${d.slice(0, 4)}.${d.slice(4)}`),
      fc.constant('cs/0112017'),
    ),
  ),
  isbn: orNull(digits(13)),
  issn: orNull(digits(8).map((d) => `${d.slice(0, 4)}-${d.slice(4)}`)),
  url: orNull(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), line)),
  volume: orNull(line),
  issue: orNull(line),
  pages: orNull(fc.constantFrom('7', '5998-6008', '5-5', 'e12', 'A-1-A-9', '1-4, 7-9', 'xii-xx')),
  publisher: orNull(line),
  place: orNull(line),
  series: orNull(line),
  edition: orNull(line),
  institution: orNull(line),
  language: orNull(line),
  note: orNull(paragraphs),
  references: fc.array(
    line.map((text) => `key:${text}`),
    { maxLength: 2 },
  ),
})

/** Any work, with a key of its own in a list of works. */
export const anyWorks: fc.Arbitrary<readonly Work[]> = fc
  .array(fc.tuple(details, date), { minLength: 1, maxLength: 3 })
  .map((works) =>
    works.map(([work, published], i) =>
      makeWork({ ...work, ...published, citationKey: `key:${i}` }),
    ),
  )
