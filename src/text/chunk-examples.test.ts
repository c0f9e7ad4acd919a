/** Typical texts are cut at paragraphs, sentences and lines. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StaticEmbedder } from '../embedding/static/static-embedder.js'
import { chunkText } from './chunk.js'

const embedder = new StaticEmbedder()
const byModel = (part: string) => embedder.countTokens(part)
const words = (part: string) => part.match(/\S+/g)?.length ?? 0
const cut = (text: string, maxTokens: number, overlapTokens = 0, countTokens = words) =>
  chunkText(text, { countTokens, maxTokens, overlapTokens }).map(({ start, end }) =>
    text.slice(start, end),
  )

describe('prose', () => {
  test('a text that fits is one chunk; white space gives no chunk', () => {
    expect(
      chunkText('  One two.\n', { countTokens: words, maxTokens: 2, overlapTokens: 1 }),
    ).toEqual([{ start: 2, end: 10 }])
    expect(cut('', 5)).toEqual([])
    expect(cut(' \n\t\u00a0', 5)).toEqual([])
  })

  test('[L3] 512 tokens with an overlap of 50, from sentence to sentence, counted by the model', () => {
    const text = Array.from(
      { length: 400 },
      (_, i) => `Experiment ${i} was run in the cold wind tunnel by Dr. King, and it failed.`,
    ).join(' ')
    const chunks = chunkText(text, { countTokens: byModel, maxTokens: 512, overlapTokens: 50 })
    expect(chunks.length).toBeGreaterThan(10)
    for (const [i, chunk] of chunks.entries()) {
      const part = text.slice(chunk.start, chunk.end)
      expect(part).toMatch(/^Experiment .* failed\.$/)
      if (i === chunks.length - 1) continue
      expect(byModel(part)).toBeGreaterThan(480)
      const shared = text.slice(chunks[i + 1]!.start, chunk.end)
      expect(shared).toMatch(/^Experiment .* failed\.$/)
      expect(byModel(shared)).toBeGreaterThan(25)
    }
  })

  test('[L3] if sentences fit, every chunk begins and ends with a sentence', () => {
    const sentence = fc.integer({ min: 1, max: 9 }).map((n) => `${'Word '.repeat(n)}end.`)
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 40 }), (sentences) => {
        const parts = cut(sentences.join(' '), 20, 10)
        for (const part of parts) expect(part).toMatch(/^(?:Word|end).*end\.$/)
      }),
    )
  })

  test('[L3] chunks of prose always overlap, by a word if a sentence is too long', () => {
    const sentence = fc.integer({ min: 0, max: 30 }).map((n) => `${'Word '.repeat(n)}end.`)
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 4, max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        (sentences, maxTokens, overlapTokens) => {
          const text = sentences.join(' ')
          const chunks = chunkText(text, { countTokens: words, maxTokens, overlapTokens })
          for (const [i, { start }] of chunks.entries()) {
            if (i > 0) expect(start).toBeLessThan(chunks[i - 1]!.end)
          }
        },
      ),
    )
    expect(cut('A b c d e f g. H i j k.', 7, 2)).toEqual(['A b c d e f g.', 'f g. H i j k.'])
  })

  test.each([
    'Dr. Ada L. King et al. paid 3.50 for it.',
    'Use a tunnel, e.g. No. 5 of Fig. 2, i.e. the U.S. one.',
    'Pipes, valves etc. were closed.',
  ])('"%s" is one sentence', (sentence) => {
    const size = words(sentence)
    expect(cut(`${sentence} It was cold.`, size)).toEqual([sentence, 'It was cold.'])
  })

  test('Chinese and Japanese end their sentences without a space', () => {
    const letters = (part: string) => part.replace(/\s/g, '').length
    expect(cut('今日は晴れ。「本当？」明日は雨！', 9, 0, letters)).toEqual([
      '今日は晴れ。',
      '「本当？」',
      '明日は雨！',
    ])
  })

  test('a sentence that is too long is cut between lines, then words, then whole letters', () => {
    expect(cut('a b c d\ne f g', 4)).toEqual(['a b c d', 'e f g'])
    expect(cut('a b c d e f g', 4)).toEqual(['a b c d', 'e f g'])
    const letters = (part: string) => [...part].length
    const family = '👨‍👩‍👧'
    for (const letter of [family, '🇸🇪', 'e\u0301', '각'.normalize('NFD'), '5\ufe0f\u20e3']) {
      for (const part of cut(letter.repeat(9), 6, 0, letters)) {
        expect(part.replaceAll(letter, '')).toBe('')
      }
    }
  })

  test('a sentence of several lines is repeated by whole lines', () => {
    expect(cut('A b c d\ne f. G h i j k l.', 9, 3)).toEqual(['A b c d\ne f.', 'e f. G h i j k l.'])
  })

  test('a chunk ends with a paragraph rather than one sentence later', () => {
    expect(cut('A b c. D e f g.\n\nH. I j k l m n o.', 8)).toEqual([
      'A b c. D e f g.',
      'H. I j k l m n o.',
    ])
  })
})

describe('Markdown', () => {
  test('a heading stays with the text that follows', () => {
    expect(cut('A b c d.\n\n# One two\n\n## Deep\n\nE f g h. I j.', 10)).toEqual([
      'A b c d.',
      '# One two\n\n## Deep\n\nE f g h.',
      'I j.',
    ])
    expect(cut('A b c d.\n\nUnder lined\n======\n\nE f g h.', 8)).toEqual([
      'A b c d.',
      'Under lined\n======\n\nE f g h.',
    ])
    // If the next sentence does not fit with its heading, its first words do.
    expect(cut('# One\n\nA b c d e f g h.', 8)).toEqual(['# One\n\nA b c d e f', 'g h.'])
  })

  test('lists are cut between items', () => {
    expect(cut('- a b c. d e\n- f g\n- h i\n1. j k\n2. l m', 9)).toEqual([
      '- a b c. d e\n- f g',
      '- h i\n1. j k\n2. l m',
    ])
  })

  test('code that fits is kept whole, even if the overlap is lost', () => {
    const code = '```ts\nlet a = 1\n\n# no heading\nlet b = 2\n```'
    expect(cut(`A b c d e f.\n\n${code}\n\nG h.`, 13, 4)).toEqual(['A b c d e f.', code, 'G h.'])
    const tilde = code.replaceAll('```', '~~~')
    expect(cut(`A b c d e f.\n\n${tilde}\n\nG h.`, 13)).toContain(tilde)
    const indented = '    let a = 1\n\n    let b = 2'
    expect(cut(`A b c d e.\n\n${indented}\n\nG h.`, 9)).toEqual([
      'A b c d e.',
      indented.trim(),
      'G h.',
    ])
    const afterList = `- a b\n\nC d e.\n\n${indented}`
    expect(cut(afterList, 10)).toEqual(['- a b\n\nC d e.', indented.trim()])
    // Under a list item, the same lines are text of the item.
    const inList = `- a b\n\n${indented}`
    expect(cut(inList, 9)).toEqual(['- a b\n\n    let a = 1', 'let b = 2'])
  })

  test('code that is too long is cut between lines and overlaps by lines', () => {
    const code = Array.from({ length: 12 }, (_, i) => `let v${i} = ${i}. // note`)
    const parts = cut(['```', ...code, '```'].join('\n'), 20, 8)
    expect(parts.length).toBeGreaterThan(2)
    for (const line of parts.join('\n').split('\n')) expect(['```', ...code]).toContain(line)
    expect(parts[1]?.split('\n')[0]).toBe(parts[0]?.split('\n').at(-1))
    expect(parts.at(-1)?.split('\n').length).toBeGreaterThan(1)
  })
})
