/** The chunks of any text hold all of it, fit the model, and repeat no more than allowed. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StaticEmbedder } from '../embedding/static/static-embedder.js'
import { isBreak } from './breaks.js'
import { type Chunk, chunkText } from './chunk.js'

const embedder = new StaticEmbedder()
const words = (part: string) => part.match(/\S+/g)?.length ?? 0
const counters = {
  'the bundled model': (part: string) => embedder.countTokens(part),
  words,
  'words between two markers': (part: string) => words(part) + 2,
  // Counts of parts do not add up: spaces count, and the rest is rounded.
  'characters, four to a token': (part: string) => Math.ceil(part.length / 4),
}
type Counter = (part: string) => number

const slices = (text: string, chunks: readonly Chunk[]) =>
  chunks.map(({ start, end }) => text.slice(start, end))
const cut = (text: string, maxTokens: number, overlapTokens = 0, countTokens: Counter = words) =>
  slices(text, chunkText(text, { countTokens, maxTokens, overlapTokens }))

const latin = fc.constantFrom(
  'wind',
  'Tunnel',
  'a',
  'flow.',
  'e.g.',
  'Dr.',
  'end!',
  'why?',
  '3.14,',
)
const wide = fc.constantFrom(
  '風洞実験は、',
  '終わった。',
  '本当？',
  '👨‍👩‍👧',
  '🇸🇪🇳🇴',
  'e\u0301',
  '각',
)
const gap = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  '\n',
  '\n\n',
  '\n# Part\n',
  '\n- ',
  '\n```\n',
  '\n\n    x = 1\n',
)
const mixed = fc
  .array(fc.tuple(fc.oneof(latin, latin, wide), gap), { maxLength: 90 })
  .map((pairs) => pairs.flat().join(''))
const anything = fc.oneof(
  mixed,
  fc.string({ unit: 'binary', maxLength: 150 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map((codes) => String.fromCharCode(...codes)),
  fc.string({ unit: fc.constantFrom('x', '中', '\u0301', '🇸🇪', '。', '.', ' '), maxLength: 200 }),
)
const sizes = fc.record({
  maxTokens: fc.integer({ min: 3, max: 40 }),
  overlapTokens: fc.integer({ min: 0, max: 10 }),
})

function isOneLetter(text: string): boolean {
  for (let at = 1; at < text.length; at++) if (isBreak(text, at)) return false
  return true
}

describe.each(Object.entries(counters))('chunks counted by %s', (_, countTokens) => {
  const fixed = countTokens('')
  const check = (property: (text: string, chunks: readonly Chunk[], size: Sizes) => void) =>
    fc.assert(
      fc.property(anything, sizes, (text, size) => {
        property(text, chunkText(text, { countTokens, ...size }), size)
      }),
      { numRuns: 300 },
    )
  type Sizes = { readonly maxTokens: number; readonly overlapTokens: number }

  test('[L3] no chunk counts more than the model reads', () => {
    check((text, chunks, { maxTokens }) => {
      for (const part of slices(text, chunks)) {
        expect(countTokens(part) <= maxTokens || isOneLetter(part)).toBe(true)
      }
    })
  })

  test('[L3] chunks are trimmed ranges that together hold every letter', () => {
    check((text, chunks) => {
      let end = 0
      for (const chunk of chunks) {
        expect(text.slice(end, Math.max(end, chunk.start)).trim()).toBe('')
        const part = text.slice(chunk.start, chunk.end)
        expect(part).toBe(part.trim())
        expect(part).not.toBe('')
        end = chunk.end
      }
      expect(text.slice(end).trim()).toBe('')
    })
  })

  test('[L3] no overlap has more tokens than allowed, and starts and ends only increase', () => {
    check((text, chunks, { overlapTokens }) => {
      for (const [i, { start, end }] of chunks.entries()) {
        const last = chunks[i - 1]
        if (last === undefined) continue
        expect(start).toBeGreaterThan(last.start)
        expect(end).toBeGreaterThan(last.end)
        const shared = text.slice(start, Math.max(start, last.end))
        expect(countTokens(shared) - fixed).toBeLessThanOrEqual(overlapTokens)
      }
    })
  })

  test('no surrogate pair is split', () => {
    const isTorn = (text: string, at: number) =>
      /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
    check((text, chunks) => {
      for (const { start, end } of chunks) {
        expect(isTorn(text, start)).toBe(false)
        expect(isTorn(text, end)).toBe(false)
      }
    })
  })

  test('the same text gives the same chunks', () => {
    check((text, chunks, size) => {
      expect(chunkText(text, { countTokens, ...size })).toEqual(chunks)
    })
  })
})

describe('hostile and huge texts', () => {
  // Quadratic work would exceed the time limit of the suite.
  test.each([
    ['prose', 'The wind blew from the west, and no one knew why. '.repeat(6000)],
    ['one sentence', 'wind '.repeat(60_000)],
    ['one word', 'x'.repeat(300_000)],
    ['Chinese', '风从西边吹来没有人知道为什么'.repeat(20_000)],
    ['marks', '\u0301'.repeat(300_000)],
    ['flags', '🇸🇪'.repeat(75_000)],
    ['dots', '.'.repeat(300_000)],
    ['line breaks', 'a\n\n'.repeat(100_000)],
    ['headings', '# a\n'.repeat(75_000)],
    ['fences', '```\na\n'.repeat(50_000)],
  ])('a long text of %s is cut to its end', (_, text) => {
    for (const countTokens of [
      counters['the bundled model'],
      counters['characters, four to a token'],
    ]) {
      const chunks = chunkText(text, { countTokens, maxTokens: 512, overlapTokens: 50 })
      expect(chunks.at(-1)?.end).toBe(text.trimEnd().length)
    }
  })

  test('invalid sizes still give chunks', () => {
    for (const maxTokens of [-1, 0, 1, Number.NaN]) {
      for (const overlapTokens of [-1, 0, 5, Number.NaN]) {
        expect(cut('One two. Three.', maxTokens, overlapTokens).length).toBeGreaterThan(0)
      }
    }
  })
})
