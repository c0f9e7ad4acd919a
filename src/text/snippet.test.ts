import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isBreak } from './breaks.js'
import { createMatcher, type Match, mergeRanges } from './highlight.js'
import { findPieces } from './markup.js'
import { type Cut, cutSnippet } from './snippet.js'

function makeSnippet(body: string, matches: Match[], maxChars: number): Cut {
  return cutSnippet(body, matches, { maxChars })
}

function matchesOf(body: string, ...words: string[]): Match[] {
  const patterns = words.map((each) => ({ words: each.split(' '), lastIsPrefix: false }))
  return createMatcher(patterns)(body)
}

const piece = fc.constantFrom(
  ...['alpha', 'beta', 'gamma', 'a', 'cafe\u0301', 'of', '東京都に住む', '😀', '👩🏽‍🚀', 'ที่นี่'],
  ...[' [alpha](of) ', ' <b x="of"> ', ' **beta gamma** ', ' [[of|alpha]] '],
  ...['. ', ' ', '  ', '\n', '\n\n', ', ', '! ', '。', '” '],
)
const body = fc.array(piece, { maxLength: 120 }).map((parts) => parts.join(''))
const maxChars = fc.integer({ min: 12, max: 260 })

describe('makeSnippet', () => {
  test('an empty text gives an empty snippet', () => {
    expect(makeSnippet('', [], 240)).toEqual({ text: '', start: 0, highlights: [] })
    expect(makeSnippet(' \n ', [], 240)).toMatchObject({ text: '', highlights: [] })
  })

  test('a short text is its own snippet, trimmed', () => {
    expect(makeSnippet('\n one café \n', matchesOf('\n one café \n', 'cafe'), 240)).toEqual({
      text: 'one café',
      start: 2,
      highlights: [{ start: 4, end: 8 }],
    })
  })

  test('without matches it is the beginning, cut between words', () => {
    const text = `  ${'word '.repeat(100)}`
    expect(makeSnippet(text, [], 22)).toEqual({
      text: 'word word word word',
      start: 2,
      highlights: [],
    })
  })

  test('[L2] more distinct words win over more matches, and the earliest of equals wins', () => {
    const filler = ' filler'.repeat(30)
    const text = `alpha alpha alpha.${filler}. Here alpha beta.${filler}. There alpha beta.${filler}`
    const snippet = makeSnippet(text, matchesOf(text, 'alpha', 'beta'), 60)
    expect(snippet.text.startsWith('Here alpha beta.')).toBe(true)
    expect(snippet.highlights).toEqual([
      { start: 5, end: 10 },
      { start: 11, end: 15 },
    ])
  })

  test('it begins with the sentence or the line when that is near', () => {
    const text = `${'Lorem ipsum dolor. '.repeat(20)}We found the needle here. ${'More. '.repeat(50)}`
    const found = makeSnippet(text, matchesOf(text, 'needle'), 100)
    expect(found.text.startsWith('We found the needle here.')).toBe(true)
    const lines = `${'no stop here '.repeat(20)}\n- a needle ${'and on '.repeat(50)}`
    const line = makeSnippet(lines, matchesOf(lines, 'needle'), 100)
    expect(line.text.startsWith('- a needle')).toBe(true)
  })

  test('near the end of the text the snippet takes more of the text before the match', () => {
    const text = `${'Some words before it. '.repeat(20)}The needle.`
    const snippet = makeSnippet(text, matchesOf(text, 'needle'), 100)
    expect(snippet.text.endsWith('The needle.')).toBe(true)
    expect(snippet.text.length).toBeGreaterThan(70)
  })

  test('it begins and ends with whole sentences, also after abbreviations', () => {
    const first = 'It was Dr. Ada L. Smith, e.g. in vol. 3, who found the needle in her garden.'
    const text = `${'Lorem ipsum dolor. '.repeat(9)}${first} ${'Then prof. Meier came. '.repeat(9)}`
    const { text: cut } = makeSnippet(text, matchesOf(text, 'needle'), 160)
    expect(cut.startsWith(first)).toBe(true)
    expect(cut.endsWith('came.')).toBe(true)
  })

  test('it does not end with the next heading', () => {
    const text = `The needle is fine.\n\n## A heading of it\n${'word '.repeat(20)}`
    expect(makeSnippet(text, matchesOf(text, 'needle'), 40).text).toBe('The needle is fine.')
  })

  test.each([
    [
      'the start',
      `${'z'.repeat(30)} <a href="https://a.example/b c d"> needle ${'end '.repeat(9)}`,
    ],
    ['the end', `needle and some more <a href="https://a.example/b c d"> ${'end '.repeat(9)}`],
    ['a match', `${'word '.repeat(5)}[see the needle](https://a.example) ${'end '.repeat(9)}`],
  ])('no link or tag is cut: %s', (_, text) => {
    const pieces = findPieces(text)
    const { start, text: cut } = cutSnippet(text, matchesOf(text, 'needle'), {
      maxChars: 42,
      pieces,
    })
    const ends = [start, start + cut.length]
    expect(cut).toContain('needle')
    for (const one of pieces) expect(ends.some((at) => at > one.start && at < one.end)).toBe(false)
  })

  test('it does not overlap the snippets that were cut before', () => {
    const text = 'A needle here. Middle part. Another needle. Last needle.'
    const taken = [{ start: 15, end: 27 }]
    const rest = { maxChars: 60, taken }
    expect(cutSnippet(text, matchesOf(text, 'needle'), rest).text).toBe(
      'Another needle. Last needle.',
    )
    const early = matchesOf(text, 'needle').slice(0, 1)
    expect(cutSnippet(text, early, rest).text).toBe('A needle here.')
  })

  test('only a match longer than the snippet is cut', () => {
    const text = '東京'.repeat(100)
    const snippet = makeSnippet(text, matchesOf(text, '東京 京東'), 20)
    expect(snippet).toEqual({
      text: '東京'.repeat(10),
      start: 0,
      highlights: [{ start: 0, end: 20 }],
    })
  })

  test('[L2] it is an exact substring within the limit and contains the matches', () => {
    fc.assert(
      fc.property(body, maxChars, (text, max) => {
        const matches = matchesOf(text, 'alpha', 'beta gamma', 'cafe', '東京', 'of')
        const pieces = findPieces(text)
        const snippet = cutSnippet(text, matches, { maxChars: max, pieces })
        const end = snippet.start + snippet.text.length
        for (const one of pieces.filter((piece) => piece.end - piece.start <= max)) {
          expect(one.start >= snippet.start || one.end <= snippet.start).toBe(true)
          if (one.start > snippet.start) expect(one.start >= end || one.end <= end).toBe(true)
        }
        expect(snippet.text).toBe(text.slice(snippet.start, end))
        expect(snippet.text.length).toBeLessThanOrEqual(max)
        expect(snippet.text).toBe(snippet.text.trim())
        const merged = mergeRanges(matches)
        const inside = merged.filter((range) => range.start < end && range.end > snippet.start)
        if (merged.length > 0) expect(inside.length).toBeGreaterThan(0)
        if (merged.every((range) => range.end - range.start <= max)) {
          expect(snippet.highlights).toEqual(
            inside.map((range) => ({
              start: range.start - snippet.start,
              end: range.end - snippet.start,
            })),
          )
          expect(isBreak(text, snippet.start)).toBe(true)
          expect(isBreak(text, end)).toBe(true)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('no other window of the same size holds more distinct words', () => {
    fc.assert(
      fc.property(body, maxChars, (text, max) => {
        const matches = matchesOf(text, 'alpha', 'beta', 'gamma', 'of')
        const snippet = makeSnippet(text, matches, max)
        const distinctIn = (from: number, to: number): number =>
          new Set(matches.filter((m) => m.start >= from && m.end <= to).map((m) => m.pattern)).size
        const ours = distinctIn(snippet.start, snippet.start + snippet.text.length)
        for (const { start } of matches) {
          expect(ours).toBeGreaterThanOrEqual(distinctIn(start, start + max))
        }
      }),
      { numRuns: 300 },
    )
  })
})
