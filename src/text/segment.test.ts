import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { MAY_NEED_CHANGE, needsChange, queryTokens, segment } from './segment.js'
import { tokenize } from './tokens.js'

const db = new Database(':memory:')
db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')`)
const put = db.prepare('INSERT OR REPLACE INTO t(rowid, x) VALUES (1, ?)')
const count = db.prepare('SELECT count(*) FROM t WHERE t MATCH ?').pluck()
afterAll(() => void db.close())

/** Searches FTS5 for a word in a text, both segmented. */
function isFound(word: string): boolean {
  const { words, lastIsPrefix } = queryTokens(word)
  const phrase = `"${words.join(' ').replaceAll('"', '""')}"`
  return count.get(lastIsPrefix ? `${phrase}*` : phrase) === 1
}

const ideograph = fc.constantFrom(
  ...'東京都市大学手机中文日本語々〇한국어서울ひらがなカタカナー𠮷สวดก',
  'ท\u0E35',
  'か\u3099',
)
const latin = fc.constantFrom('iPhone', 'web', 'Café', 'x', '2024', 'C++', 'c#')
const gap = fc.constantFrom(' ', '，', '。', '\n', ' - ', '😀')
const piece = fc.oneof(
  { weight: 6, arbitrary: ideograph },
  { weight: 1, arbitrary: latin },
  { weight: 1, arbitrary: gap },
)
/** Latin words are one piece each, so that a slice of pieces never splits one. */
const pieces = fc.array(piece, { minLength: 1, maxLength: 14 })

/** Two adjacent Latin pieces would be one longer word, and C++ would not be a name. */
function apart(parts: readonly string[]): string[] {
  const isLatin = (part: string | undefined) => part !== undefined && /^[A-Za-z0-9]/.test(part)
  return parts.flatMap((part, i) => (isLatin(part) && isLatin(parts[i - 1]) ? [' ', part] : [part]))
}

describe('segment', () => {
  test('text that needs no change gives null', () => {
    for (const text of ['', 'plain words', 'Café Привет', 'C++11 abc++ a#b', '東', '東 x']) {
      expect(segment(text)).toBeNull()
    }
  })

  test('[N6] a run becomes overlapping pairs and its last letter', () => {
    expect(segment('東京都')?.text).toBe('東京 京都 都')
    expect(segment('iPhone手机壳')?.text).toBe('iPhone 手机 机壳 壳')
    expect(segment('서울에서 봐요')?.text).toBe('서울 울에 에서 서 봐요 요')
    expect(segment('学C++语言。ok')?.text).toBe('学 Cplusplus 语言 言 。ok')
  })

  test('[N6] half-width, compatibility and decomposed letters become the usual ones', () => {
    expect(segment('ﾊﾞｶ')?.text).toBe('バカ カ')
    expect(segment('がぎ'.normalize('NFD'))?.text).toBe('がぎ ぎ')
    expect(segment('가각'.normalize('NFD'))?.text).toBe('가각 각')
    expect(segment('ที่นี่')?.text).toBe('ทน น')
  })

  test('C++ and C# become words of their own, unless they touch a letter or digit', () => {
    expect(segment('C++, c# and g++.')?.text).toBe('Cplusplus, csharp and gplusplus.')
    expect(segment('(F#)')?.text).toBe('(Fsharp)')
    for (const text of ['C++11', 'abc#', 'a1#', 'C#é', 'éC#']) expect(segment(text)).toBeNull()
  })

  test('a megabyte is segmented to its end, with and without runs', () => {
    expect(segment('The quick brown fox. '.repeat(50_000))).toBeNull()
    expect(segment('东京都的居民，iPhone手机壳很好。'.repeat(18_000))?.text.length).toBeGreaterThan(
      1,
    )
  })

  test('each token maps back to its characters in the original', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = apart(parts).join('')
        const segmented = segment(text)
        if (segmented === null) return
        let covered = 0
        for (const { start, end } of tokenize(segmented.text)) {
          const from = segmented.originalStart(start)
          const to = segmented.originalEnd(end)
          const original = text.slice(from, to)
          const again = segment(original)?.text ?? original
          expect(again.split(' ')[0]).toBe(segmented.text.slice(start, end))
          expect(tokenize(text.slice(Math.min(covered, from), from))).toEqual([])
          covered = Math.max(covered, to)
        }
        expect(tokenize(text.slice(covered))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('letters with marks and spelled names map back as a whole', () => {
    const text = 'x ﾊﾞｶ C++'
    const segmented = segment(text)
    const tokens = tokenize(segmented?.text ?? '')
    const places = tokens.map(({ start, end }) =>
      text.slice(segmented?.originalStart(start), segmented?.originalEnd(end)),
    )
    expect(places).toEqual(['x', 'ﾊﾞｶ', 'ｶ', 'C++'])
  })
})

describe('queryTokens', () => {
  test('a plain word stays one word', () => {
    expect(queryTokens('word')).toEqual({
      words: ['word'],
      lastIsPrefix: false,
      isSegmented: false,
    })
    expect(queryTokens('')).toEqual({ words: [''], lastIsPrefix: false, isSegmented: false })
  })

  test('a run becomes its pairs, and its last letter only when something follows', () => {
    expect(queryTokens('東京都').words).toEqual(['東京', '京都'])
    expect(queryTokens('手机iPhone').words).toEqual(['手机', '机', 'iPhone'])
    expect(queryTokens('東京。').words).toEqual(['東京'])
    expect(queryTokens('都')).toEqual({ words: ['都'], lastIsPrefix: true, isSegmented: true })
    expect(queryTokens('C++').words).toEqual(['Cplusplus'])
  })

  test('[N6] every slice of one to six characters of a text finds the text', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const units = apart(parts)
        const text = units.join('')
        put.run(segment(text)?.text ?? text)
        for (let from = 0; from < units.length; from++) {
          for (let to = from + 1; to <= Math.min(units.length, from + 6); to++) {
            const word = units.slice(from, to).join('')
            if (tokenize(word).length === 0) continue
            if (!isFound(word)) expect.fail(`${JSON.stringify(word)} is not found in ${text}`)
          }
        }
      }),
      { numRuns: 600 },
    )
  })

  test('[N6] a word that is not in the text is not found', () => {
    put.run(segment('京都と東京と大阪')?.text ?? '')
    for (const word of ['東京', '京都', '大阪', '阪', 'と']) expect(isFound(word)).toBe(true)
    for (const word of ['東都', '都京', '京阪', '北', '東京都']) expect(isFound(word)).toBe(false)
  })

  test('C is not C++, and C++ is not C', () => {
    put.run(segment('I write C++')?.text ?? '')
    expect(isFound('c++')).toBe(true)
    expect(isFound('c')).toBe(false)
    put.run('I write C')
    expect(isFound('C++')).toBe(false)
  })
})

test('the cheap test never rejects a text that needs a change', () => {
  // Letters beyond these are surrogate pairs, which always pass the cheap test.
  for (let code = 0; code <= 0xffff; code++) {
    const letter = String.fromCharCode(code)
    if (needsChange().test(letter)) expect(MAY_NEED_CHANGE.test(letter), letter).toBe(true)
  }
  for (const name of ['C++', 'C#']) expect(MAY_NEED_CHANGE.test(name)).toBe(true)
})
