/** Works of every shape, with the characters that break formats. */

import fc from 'fast-check'
import { NO_DETAILS, type PersonName, WORK_TYPES, type Work } from '../core/work.js'

export const NO_WORK: Work = {
  ...NO_DETAILS,
  title: '',
  abstract: null,
  tags: [],
  references: [],
}

export function workOf(details: Partial<Work>): Work {
  return { ...NO_WORK, ...details }
}

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

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value)
const paragraphs = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n\n'))
const digits = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0123456789'), { minLength: length, maxLength: length })
    .map((d) => d.join(''))

const name: fc.Arbitrary<PersonName> = fc.record({ family: line, given: maybe(line) })
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
  abstract: maybe(paragraphs),
  tags: fc.uniqueArray(line, { maxLength: 3 }),
  authors: fc.array(name, { maxLength: 3 }),
  editors: fc.array(name, { maxLength: 2 }),
  venue: maybe(line),
  doi: maybe(line.map((text) => `10.1000/${text.toLowerCase()}`)),
  openAlexId: maybe(digits(6).map((id) => `W${id}`)),
  arxivId: maybe(
    fc.oneof(
      digits(9).map((d) => `${d.slice(0, 4)}.${d.slice(4)}`),
      fc.constant('cs/0112017'),
    ),
  ),
  isbn: maybe(digits(13)),
  issn: maybe(digits(8).map((d) => `${d.slice(0, 4)}-${d.slice(4)}`)),
  url: maybe(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), line)),
  volume: maybe(line),
  issue: maybe(line),
  pages: maybe(fc.constantFrom('7', '5998-6008', '5-5', 'e12', 'A-1-A-9', '1-4, 7-9', 'xii-xx')),
  publisher: maybe(line),
  place: maybe(line),
  series: maybe(line),
  edition: maybe(line),
  institution: maybe(line),
  language: maybe(line),
  note: maybe(paragraphs),
  references: fc.array(
    line.map((text) => `key:${text}`),
    { maxLength: 2 },
  ),
})

/** Any work, with a key of its own in a list of works. */
export const anyWorks: fc.Arbitrary<readonly Work[]> = fc
  .array(fc.tuple(details, date), { minLength: 1, maxLength: 3 })
  .map((works) =>
    works.map(([work, published], i) => workOf({ ...work, ...published, citationKey: `key:${i}` })),
  )
