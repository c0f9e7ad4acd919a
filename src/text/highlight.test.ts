import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Range } from '../core/answer.js'
import { createMatcher, mergeRanges, type Pattern } from './highlight.js'
import { queryTokens } from './segment.js'
import { completePrefix } from './stem.js'
import { foldWord } from './tokens.js'

const db = new Database(':memory:')
db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')`)
const put = db.prepare('INSERT OR REPLACE INTO t(rowid, x) VALUES (1, ?)')
const mark = db.prepare(`SELECT highlight(t, 0, char(1), char(2)) FROM t WHERE t MATCH ?`).pluck()
afterAll(() => void db.close())

function phrase(words: readonly string[], lastIsPrefix = false): Pattern {
  return { words, lastIsPrefix }
}

function typed(word: string): Pattern {
  const { words, lastIsPrefix } = queryTokens(word)
  return phrase(words, lastIsPrefix)
}

const findMatches = (text: string, patterns: readonly Pattern[]) => createMatcher(patterns)(text)

function marked(text: string, ...patterns: Pattern[]): string[] {
  return mergeRanges(findMatches(text, patterns)).map(({ start, end }) => text.slice(start, end))
}

/** The ranges between FTS5's marks. */
function fts5Ranges(text: string, query: string): Range[] {
  put.run(text)
  const ranges: Range[] = []
  let at = 0
  let start = 0
  for (const character of (mark.get(query) as string | undefined) ?? '') {
    if (character === '\u0001') start = at
    else if (character === '\u0002') ranges.push({ start, end: at })
    else at += character.length
  }
  return ranges
}

/** The FTS5 query for a prefix: the prefix itself, or a word with a stem that the prefix misses. */
function toFts5({ words, lastIsPrefix }: Pattern): string {
  const whole = `"${words.join(' ')}"`
  if (!lastIsPrefix) return whole
  const completed = completePrefix(foldWord(words.at(-1) ?? '')).map(
    ({ word }) => `"${[...words.slice(0, -1), word].join(' ')}"`,
  )
  return [`${whole} *`, ...completed].join(' OR ')
}

const WORDS =
  'the search engine searches searching organized organization organ univers universe University café cafe CAFÉ naïve hop hopping hope to be or not x1 deploy deployment deployed well-known e.g. re'.split(
    ' ',
  )
const word = fc.constantFrom(...WORDS, ...WORDS.map((each) => each.normalize('NFD')))
const gap = fc.constantFrom(' ', ', ', '. ', '\n', ' — ', ' 😀 ')
const text = fc.array(fc.tuple(word, gap), { maxLength: 40 }).map((parts) => parts.flat().join(''))
const pattern = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => phrase(words)),
  fc
    .tuple(fc.array(word, { maxLength: 2 }), word, fc.integer({ min: 1, max: 12 }))
    .map(([words, last, length]) =>
      phrase([...words, last.normalize('NFC').slice(0, length)], true),
    ),
)

describe('createMatcher', () => {
  test('no patterns, no text and patterns without a word give no matches', () => {
    expect(findMatches('some text', [])).toEqual([])
    expect(findMatches('', [phrase(['text'])])).toEqual([])
    expect(findMatches('some text', [phrase([]), phrase(['—']), phrase([''], true)])).toEqual([])
  })

  test('[L2] a match names its pattern, and matches are sorted by offset', () => {
    expect(findMatches('to be or not to be', [phrase(['be']), phrase(['not', 'to'])])).toEqual([
      { start: 3, end: 5, pattern: 0 },
      { start: 9, end: 15, pattern: 1 },
      { start: 16, end: 18, pattern: 0 },
    ])
  })

  test('[L2] an accented word is marked whole, composed and decomposed', () => {
    for (const form of ['NFC', 'NFD']) {
      const body = 'un café noir'.normalize(form)
      expect(marked(body, phrase(['cafe']))).toEqual(['café'.normalize(form)])
      expect(marked(body, phrase(['caf'], true))).toEqual(['café'.normalize(form)])
    }
  })

  test('a prefix marks the whole word, even if its stem is shorter than the prefix', () => {
    expect(marked('deploying deployments', phrase(['deploym'], true))).toContain('deployments')
    expect(marked('Authentication fails', phrase(['authentica'], true))).toEqual(['Authentication'])
    expect(marked('the organization', phrase(['the', 'organiz'], true))).toEqual([
      'the organization',
    ])
  })

  test('[N6] one letter is marked alone although a pair was indexed', () => {
    expect(marked('東京都に住む', typed('都'))).toEqual(['都'])
    expect(marked('東京都', typed('都'))).toEqual(['都'])
    expect(marked('都', typed('都'))).toEqual(['都'])
    expect(marked('iPhone手机壳', typed('iPhone手'))).toEqual(['iPhone手'])
    expect(marked('ﾊﾞｶ', typed('バ'))).toEqual(['ﾊﾞ'])
  })

  test('[N6] a longer word is marked as one range, and touching words become one', () => {
    expect(marked('私は東京都に住む', typed('東京都'))).toEqual(['東京都'])
    expect(marked('私は東京都に住む', typed('東京'), typed('都に'))).toEqual(['東京都に'])
    expect(marked('iPhone手机壳 C++', typed('手机'), typed('c++'))).toEqual(['手机', 'C++'])
  })

  test('[L2] the ranges are those of the highlight function of FTS5', () => {
    fc.assert(
      fc.property(text, fc.array(pattern, { minLength: 1, maxLength: 4 }), (body, patterns) => {
        const query = patterns.map((each) => `(${toFts5(each)})`).join(' OR ')
        expect(mergeRanges(findMatches(body, patterns))).toEqual(fts5Ranges(body, query))
      }),
      { numRuns: 300 },
    )
  })
})

describe('mergeRanges', () => {
  test('joins ranges that overlap or touch', () => {
    const ranges = [
      { start: 0, end: 4 },
      { start: 2, end: 3 },
      { start: 4, end: 5 },
      { start: 7, end: 9 },
    ]
    expect(mergeRanges(ranges)).toEqual([
      { start: 0, end: 5 },
      { start: 7, end: 9 },
    ])
    expect(mergeRanges([])).toEqual([])
  })
})
