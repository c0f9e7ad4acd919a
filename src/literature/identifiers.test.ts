/** Whatever form a person copies, it is read as the one that is stored, and other text is left alone. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  makeArxivDoi,
  normalizeArxiv,
  normalizeDoi,
  normalizeOpenAlex,
  printIdentifier,
  readIdentifier,
} from './identifiers.js'

describe('a typed identifier', () => {
  test.each([
    ['10.1145/3292500.3330701', 'doi:10.1145/3292500.3330701'],
    ['10.1000/ABC.Def', 'doi:10.1000/abc.def'],
    ['doi:10.1000/182', 'doi:10.1000/182'],
    ['DOI: 10.1000/182.', 'doi:10.1000/182'],
    ['doi 10.1000/182', 'doi:10.1000/182'],
    ['https://doi.org/10.1000/182', 'doi:10.1000/182'],
    ['http://dx.doi.org/10.1000/182', 'doi:10.1000/182'],
    ['doi.org/10.1000/182', 'doi:10.1000/182'],
    ['https://doi.org/10.1000%2F182?utm_source=x#top', 'doi:10.1000/182'],
    ['(https://doi.org/10.1000/182),', 'doi:10.1000/182'],
    ['<https://doi.org/doi:10.1000/182>', 'doi:10.1000/182'],
    ['10.1016/s0140-6736(05)67889-0', 'doi:10.1016/s0140-6736(05)67889-0'],
    ['(see 10.1000/182)', null],
    ['(10.1016/0022(79)90001-(x))', 'doi:10.1016/0022(79)90001-(x)'],
    [
      '10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2',
      'doi:10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2',
    ],
    ['https://dl.acm.org/doi/10.1145/3292500.3330701', 'doi:10.1145/3292500.3330701'],
    ['https://onlinelibrary.wiley.com/doi/10.1002/asi.1/full', 'doi:10.1002/asi.1'],
    [
      'https://www.biorxiv.org/content/10.1101/2020.01.01.000001v2.full',
      'doi:10.1101/2020.01.01.000001',
    ],
    ['doi.acm.org/10.1145/362384.362685', 'doi:10.1145/362384.362685'],
    ['http://doi.acm.org/10.1145/362384.362685', 'doi:10.1145/362384.362685'],
    [
      'https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0177678',
      'doi:10.1371/journal.pone.0177678',
    ],
    ['https://proxy.example.edu/login?url=https://doi.org/10.1000/182', 'doi:10.1000/182'],
    ['https://link.springer.com/content/pdf/10.1007/bf01386390.pdf', 'doi:10.1007/bf01386390'],
    ['https://example.org/search?q=10', null],
    ['https://api.openalex.org/works/doi:10.1000/182', 'doi:10.1000/182'],
    ['10.48550/arXiv.1706.03762', 'doi:10.48550/arxiv.1706.03762'],
    ['1706.03762', 'arxiv:1706.03762'],
    ['arXiv:1706.03762v5', 'arxiv:1706.03762'],
    ['arXiv:1706.03762v5 [cs.CL]', 'arxiv:1706.03762'],
    ['arxiv: 0704.0001.', 'arxiv:0704.0001'],
    ['https://arxiv.org/abs/1706.03762v5', 'arxiv:1706.03762'],
    ['http://arxiv.org/pdf/1706.03762v5.pdf', 'arxiv:1706.03762'],
    ['export.arxiv.org/abs/cs/0112017v1', 'arxiv:cs/0112017'],
    ['cs/0112017', 'arxiv:cs/0112017'],
    ['arXiv:hep-th/9901001v3', 'arxiv:hep-th/9901001'],
    ['math.GT/0309136', 'arxiv:math/0309136'],
    ['W2741809807', 'openalex:W2741809807'],
    ['w2741809807,', 'openalex:W2741809807'],
    ['openalex:W2741809807', 'openalex:W2741809807'],
    ['https://openalex.org/W2741809807', 'openalex:W2741809807'],
    ['https://api.openalex.org/works/W2741809807?select=id', 'openalex:W2741809807'],
    ['openalex.org/works/w2741809807', 'openalex:W2741809807'],
    ['', null],
    ['   ', null],
    ['attention is all you need', null],
    ['10.1000', null],
    ['10.1/x', null],
    ['1706.037', null],
    ['A2741809807', null],
    ['https://example.org/W2741809807', null],
    ['https://example.org/abs/1706.03762', null],
    ['https://doi.org/', null],
    ['https://doi.org/10.1000/%E0%A4%A', 'doi:10.1000/%e0%a4%a'],
  ])('%j is %j', (typed, expected) => {
    const read = readIdentifier(typed)
    expect(read === null ? null : printIdentifier(read)).toBe(expected)
  })

  test('a DOI that arXiv made leads to the id, and back', () => {
    expect(normalizeArxiv('https://doi.org/10.48550/arXiv.1706.03762')).toBe('1706.03762')
    expect(normalizeArxiv('10.48550/arxiv.cs/0112017')).toBe('cs/0112017')
    expect(makeArxivDoi('1706.03762')).toBe('10.48550/arxiv.1706.03762')
    expect(normalizeArxiv('10.48550/arxiv.10.48550/arxiv.1')).toBeNull()
  })
})

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })
const suffix = fc.string({
  unit: fc.constantFrom(...'abcxyzABC0123456789-._;()/:<>'),
  minLength: 1,
  maxLength: 20,
})
/** DOIs as they are registered: they neither begin nor end in the signs of a sentence. */
const dois = fc
  .tuple(digits(4, 5), suffix)
  .map(([prefix, rest]) => `10.${prefix}/a${rest}9`)
  .filter((doi) => !doi.includes('..') && !doi.includes('/./'))
const arxivIds = fc.oneof(
  fc.tuple(digits(4, 4), digits(5, 5)).map((parts) => parts.join('.')),
  digits(7, 7).map((number) => `hep-th/${number}`),
)

describe('reading', () => {
  test('no text makes it fail, and normalising twice changes nothing', () => {
    const parts = fc.constantFrom(
      '10.1000/',
      'doi:',
      'https://doi.org/',
      'arxiv:',
      'W12',
      '(',
      '>',
      '%2',
      '.',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .array(fc.oneof(parts, fc.string({ maxLength: 5 })), { maxLength: 8 })
        .map((all) => all.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        for (const normalize of [normalizeDoi, normalizeArxiv, normalizeOpenAlex]) {
          const once = normalize(text)
          if (once !== null) expect(normalize(once)).toBe(once)
        }
        const read = readIdentifier(text)
        if (read !== null) expect(readIdentifier(printIdentifier(read))).toEqual(read)
      }),
      { numRuns: 150 },
    )
  })

  test('the form around a DOI makes no difference', () => {
    const forms: readonly ((doi: string) => string)[] = [
      (doi) => doi.toUpperCase(),
      (doi) => `doi:${doi}`,
      (doi) => `  DOI: ${doi} `,
      (doi) => `https://doi.org/${encodeURIComponent(doi)}`,
      (doi) => `http://dx.doi.org/${doi.split('/').map(encodeURIComponent).join('/')}`,
      (doi) => `"${doi}".`,
    ]
    fc.assert(
      fc.property(dois, fc.constantFrom(...forms), (doi, write) => {
        expect(normalizeDoi(write(doi))).toBe(normalizeDoi(doi))
        expect(normalizeDoi(doi)).toBe(doi.toLowerCase())
      }),
    )
  })

  test('the form around an arXiv id and its version make no difference', () => {
    const forms: readonly ((id: string) => string)[] = [
      (id) => `arXiv:${id}`,
      (id) => `${id}v12`,
      (id) => `https://arxiv.org/abs/${id}v2`,
      (id) => `https://www.arxiv.org/pdf/${id}.pdf`,
      (id) => `https://doi.org/10.48550/arXiv.${id}`,
      (id) => `[${id}]`,
    ]
    fc.assert(
      fc.property(arxivIds, fc.constantFrom(...forms), (id, write) => {
        expect(normalizeArxiv(write(id))).toBe(id)
      }),
    )
  })

  test('a page pasted by mistake is no identifier', () => {
    expect(readIdentifier(`10.1000/${')'.repeat(500_000)}`)).toBeNull()
  })
})
