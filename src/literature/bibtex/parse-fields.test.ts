import fc from 'fast-check'
import latexUtensils from 'latex-utensils'
import { describe, expect, test } from 'vitest'
import { readWorks } from '../works.fixture.js'
import { isBalanced } from './latex.js'
import { MAX_FIELDS, parseFields } from './parse-fields.js'

const { bibtexParser } = latexUtensils
type Value = { readonly kind: string; readonly content: string | readonly Value[] }

/** What a full grammar of BibTeX reads; null where it refuses the entry. */
function readByGrammar(body: string): Map<string, string> | null {
  const read = ({ content }: Value): string =>
    typeof content === 'string' ? content : content.map(read).join('')
  const fields = new Map<string, string>()
  try {
    const { content } = bibtexParser.parse(`@entry{key,${body}\n}`)
    for (const { name, value } of content.filter(bibtexParser.isEntry).flatMap((e) => e.content)) {
      const text = read(value as Value)
      const field = name.toLowerCase()
      if (text.trim() !== '' && !fields.has(field)) fields.set(field, text)
    }
    return fields
  } catch {
    return null
  }
}

const PIECES = 'title = { } " # , % @ ( 2019 jul a{b}c "x" {y} Author \\" \n -'.split(' ')
const inner = fc.stringMatching(/^[a-z %,#=\n]{0,8}$/)
const value = fc.oneof(
  inner.map((text) => `{${text}}`),
  inner.map((text) => `"{${text}}${text}"`),
  fc.constantFrom('jul', '2019', '"a" # jul # {b}', '{{x}{y}}'),
)
const field = fc
  .tuple(fc.constantFrom('title', 'YEAR', 'x-y', 'a:b'), value)
  .map((parts) => parts.join(' = '))
/** An entry ends at the brace that closes it, so its body has no such brace. */
const body = fc
  .oneof(
    fc.array(field, { maxLength: 5 }).map((fields) => fields.join(',\n  ')),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(' ')),
  )
  .filter(isBalanced)

test('whatever a grammar of BibTeX reads is read the same', () => {
  let compared = 0
  fc.assert(
    fc.property(body, (text) => {
      const expected = readByGrammar(text)
      if (expected === null) return
      compared += 1
      expect(parseFields(text, (name) => name)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
  expect(compared).toBeGreaterThan(200)
})

test('an entry with more fields than any program writes is refused', () => {
  const many = Array.from({ length: MAX_FIELDS + 1 }, (_, i) => `f${i} = {x}`).join(', ')
  expect(parseFields(many, (name) => name)).toBe('It has more than 200 fields.')
})

describe('a file that would take very long', () => {
  const good = '@misc{good, title = {Kept}}\n'
  const BIG = 30_000
  test.each([
    ['comments that are not closed', '@comment{'.repeat(BIG)],
    ['comments in round brackets', '@comment('.repeat(BIG)],
    ['macros that double', `@string{a0 = "xx"}\n${doubling(60)}@misc{b, title = a60}\n`],
    ['fields without commas', `@misc{b, ${'a = {b} '.repeat(BIG)}}\n`],
    ['spaces after a key', `@misc{b${' '.repeat(BIG * 10)}{}}\n`],
    ['spaces between names', `@misc{b, title={x}, author = {a${' '.repeat(BIG * 10)}b}}\n`],
    ['accents in accents', `@misc{b, title = {${"\\'{".repeat(BIG)}${'}'.repeat(BIG)}}}\n`],
    ['commands that are not closed', `@misc(b, title = "x", note = {${'\\foo{'.repeat(BIG)}`],
    ['entries that refer to two others', `${diamonds(60)}`],
    ['a long chain of references', chain(BIG / 10)],
  ])('%s: read in time, and the good entry is kept', async (_, bad) => {
    const started = performance.now()
    const { works } = readWorks('bibtex', `${good}${bad}\n${good}`)
    expect(performance.now() - started).toBeLessThan(4000)
    expect(works.filter(({ work }) => work.citationKey === 'good')).toHaveLength(2)
  })

  test('entries that use macros of exponential length are skipped and reported', async () => {
    const { works, skipped } = readWorks('bibtex', `${good}@string{a0 = "xx"}\n${doubling(60)}`)
    expect(works).toHaveLength(1)
    expect(skipped[0]).toMatchObject({
      name: '@string',
      reason: 'Its macros stand for too much text.',
    })
  })
})

function doubling(count: number): string {
  return Array.from({ length: count }, (_, i) => `@string{a${i + 1} = a${i} # a${i}}\n`).join('')
}

function diamonds(count: number): string {
  const link = (i: number): string =>
    ['l', 'r'].map((side) => `@xdata{${side}${i}, xdata = {l${i + 1},r${i + 1}}}\n`).join('')
  return `@misc{top, title = {x}, xdata = {l0,r0}}\n${Array.from({ length: count }, (_, i) => link(i)).join('')}`
}

function chain(count: number): string {
  return Array.from(
    { length: count },
    (_, i) => `@misc{c${i}, title={x}, crossref={c${i + 1}}}\n`,
  ).join('')
}
