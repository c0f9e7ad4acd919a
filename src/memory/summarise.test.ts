import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomText } from '../text/random-text.fixture.js'
import { findContentWords, splitNote } from './sentences.js'
import { isQuoted, MAX_CHARS, type Note, scoreSentence, summarise } from './summarise.js'

const note = (id: string, text: string, changes: Partial<Note> = {}): Note => ({
  id,
  text,
  salience: 0.5,
  importance: 0.5,
  atMs: 1000,
  ...changes,
})

describe('which sentences', () => {
  test('[M8] the most informative sentences, in the order of time', () => {
    const notes = [
      note('c', 'Lunch was late.', { salience: 0.1, atMs: 1 }),
      note('b', 'The release moves to 12 March because the audit slipped. OK.', { atMs: 9 }),
      note('a', 'Priya owns the migration of the billing tables.', { salience: 0.9, atMs: 5 }),
    ]
    expect(summarise(notes, { maxSentences: 2 })).toBe(
      'Priya owns the migration of the billing tables. The release moves to 12 March because the audit slipped.',
    )
  })

  test('[M8] the points of the example worked by hand', () => {
    expect(scoreSentence({ salience: 0.5, importance: 0.5 }, 1, 6)).toBeCloseTo(0.24, 10)
  })

  test('a note that is more salient, an earlier sentence and more content count for more', () => {
    const unit = fc.double({ min: 0.05, max: 1, noNaN: true })
    fc.assert(
      fc.property(unit, unit, fc.nat(20), fc.integer({ min: 1, max: 40 }), (s, i, place, words) => {
        const points = scoreSentence({ salience: s, importance: i }, place, words)
        expect(points).toBeGreaterThan(0)
        expect(points).toBeLessThan(1)
        expect(scoreSentence({ salience: 1, importance: i }, place, words)).toBeGreaterThanOrEqual(
          points,
        )
        expect(scoreSentence({ salience: s, importance: i }, place + 1, words)).toBeLessThan(points)
        expect(scoreSentence({ salience: s, importance: i }, place, words + 1)).toBeGreaterThan(
          points,
        )
      }),
    )
  })

  test('a repeated statement is shown once, unless a number or a negation differs', () => {
    const twice = [note('a', 'The cache is cold.'), note('b', 'the CACHE is  cold!')]
    expect(summarise(twice)).toBe('The cache is cold.')
    const port = [
      note('a', 'The staging database of the billing team listens on port 5432.'),
      note('b', 'The staging database of the billing team listens on port 6543.'),
    ]
    expect(summarise(port)).toContain('6543')
    expect(summarise(port)).toContain('5432')
  })

  test('texts without content words have no summary', () => {
    expect(summarise([])).toBeNull()
    expect(
      summarise([note('a', ''), note('b', ' \n '), note('c', '…'), note('d', 'Hi!')]),
    ).toBeNull()
    expect(summarise([note('a', 'One sentence.')], { maxSentences: 0 })).toBeNull()
    expect(summarise([note('a', 'One sentence.')], { maxChars: 0 })).toBeNull()
  })

  test('code is not a sentence, and a sentence without a full stop is followed by a dot', () => {
    const text = '# Plan\n- buy milk\n- call Anna\n```\nrm -rf build\n```'
    expect(summarise([note('a', text)])).toBe('Plan · buy milk · call Anna')
  })

  test('a sentence continues over the end of a wrapped line', () => {
    const text = `The review of the second quarter showed that support answers faster\nthan in spring. Fine.`
    expect(summarise([note('a', text)], { maxSentences: 1 })).toBe(
      'The review of the second quarter showed that support answers faster than in spring.',
    )
  })

  test('Chinese sentences are separated without spaces', () => {
    const text = '我们决定使用新的数据库。测试在周五开始。'
    expect(summarise([note('a', text)])).toBe('我们决定使用新的数据库。 测试在周五开始。')
  })
})

describe('how long', () => {
  test('a single sentence that is too long is cut at a word', () => {
    const text = `We talked about ${'many different things and '.repeat(40)}lunch.`
    const summary = summarise([note('a', text)]) ?? ''
    expect(summary.length).toBeLessThanOrEqual(MAX_CHARS)
    expect(summary.endsWith('…')).toBe(true)
    expect(text.startsWith(`${summary.slice(0, -1)} `)).toBe(true)
  })

  test('a shorter sentence that fits is taken whole instead', () => {
    const notes = [note('a', `${'long words '.repeat(20)}end.`), note('b', 'Ana pays.')]
    expect(summarise(notes, { maxChars: 20 })).toBe('Ana pays.')
  })

  const words = fc
    .array(fc.constantFrom('Anna', 'sleeps', 'well.', 'port', '5432', '\n', 'tea!', '- ', 'the'), {
      maxLength: 25,
    })
    .map((parts) => parts.join(' '))
  const notes = fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 2 }),
      text: fc.oneof(words, randomText),
      salience: fc.constantFrom(0.05, 0.5, 1),
      importance: fc.constantFrom(0, 0.5, 1),
      atMs: fc.nat(3),
    }),
    { selector: ({ id }) => id, maxLength: 8 },
  )

  test('[M8] a summary is made of sentences of the notes and is never longer than it may be', () => {
    fc.assert(
      fc.property(notes, fc.integer({ min: 0, max: 80 }), fc.nat(6), (notes, maxChars, count) => {
        const summary = summarise(notes, { maxChars, maxSentences: count })
        if (summary === null) return
        expect(summary.length).toBeLessThanOrEqual(maxChars)
        expect(summary).not.toBe('')
        const sentences = notes.flatMap(({ text }) => splitNote(text))
        let rest = summary
        for (let shown = 0; rest !== ''; shown++) {
          expect(shown).toBeLessThan(count)
          const isCut = sentences.some((sentence) => sentence.startsWith(rest.slice(0, -1)))
          if (isCut && rest.endsWith('…')) return
          const next = sentences
            .filter((sentence) => rest.startsWith(sentence))
            .sort((a, b) => b.length - a.length)[0]
          expect({ summary, next }).not.toEqual({ summary, next: undefined })
          rest = rest.slice(next?.length).replace(/^ (?:· )?/, '')
        }
      }),
      { numRuns: 150 },
    )
  })

  test('the order in which notes come makes no difference', () => {
    fc.assert(
      fc.property(notes, (notes) => {
        expect(summarise([...notes].reverse())).toBe(summarise(notes))
      }),
    )
  })
})

test('content words carry information, each once', () => {
  expect([...findContentWords('The port of the port is 5432, isn’t it?')]).toEqual([
    'port',
    '5432',
    'isn’t',
  ])
  expect([...findContentWords('数据库')]).toEqual(['数据', '据库'])
})

test('[M12] a summary is known to quote a text by any telling sentence of it, whole or cut', () => {
  const text = 'Ok. The pump in the cellar was replaced. It hums.'
  const summary = summarise([note('a', text), note('b', 'Nothing else happened today.')]) ?? ''
  expect(isQuoted(summary, text)).toBe(true)
  expect(isQuoted(summary, 'Ok. The pump in the attic was replaced.')).toBe(false)
  expect(isQuoted('The book is ok.', 'Ok')).toBe(false)
  const long = `word${' word'.repeat(300)} end`
  expect(isQuoted(summarise([note('a', long)]) ?? '', long)).toBe(true)
})
