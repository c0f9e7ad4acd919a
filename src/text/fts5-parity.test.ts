/** Tokens and stems computed in memory equal those that FTS5 computes in its index. */

import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { randomText } from './random-text.fixture.js'
import { stem } from './stem.js'
import { tokenize } from './tokens.js'

const db = new Database(':memory:')
db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')`)
db.exec(`CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')`)
const add = db.prepare('INSERT INTO t(rowid, x) VALUES (?, ?)')
const empty = db.prepare('DELETE FROM t')
const vocabulary = db.prepare('SELECT doc, offset, term FROM v').raw()
const fill = db.transaction((texts: readonly string[]) => {
  empty.run()
  for (const [i, text] of texts.entries()) add.run(i, text)
})
afterAll(() => void db.close())

/** The FTS5 terms of each text. */
function fts5Terms(texts: readonly string[]): string[][] {
  fill(texts)
  const all: string[][] = texts.map(() => [])
  for (const [doc, offset, term] of vocabulary.all() as [number, number, string][]) {
    all[doc]![offset] = term
  }
  return all
}

/** Compares many texts at once, because one FTS5 table per text would take minutes. */
function expectSameTerms(texts: readonly string[]): void {
  const real = fts5Terms(texts)
  for (const [i, text] of texts.entries()) {
    const ours = tokenize(text).map((token) => token.term)
    if (ours.join('\u0000') !== real[i]!.join('\u0000')) expect(ours, text).toEqual(real[i])
  }
}

const ROOTS = (
  'a b y be by tr sky cr tree agre hop hopp fil fall hiss fizz plast motor conflat troubl siz ' +
  'happ relat condit ration val hesit digit conform radic differ vile analog oper feudal decis ' +
  'hope call form sensit sensib tripl electr good reviv allow infer airlin gyroscop adjust defens ' +
  'irrit replac depend adopt commun activ angul homolog effect bowdler probat rat ceas contr roll ' +
  'univers organ authent deploy generaliz oscill yyy yay ayay eye oxy wxy theo psycho geolog ' +
  'archiv store index queri sear match rank vector embed memor cach scor toke quot q zz ll abyss ' +
  'x1 v2 2024 \u043c\u0438\u0440 \u3082 \u4e2d ab\u3082 o\u00e6 ss sses ies'
).split(' ')
const SUFFIXES = (
  'al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ity ous ive ize ' +
  'ational tional enci ency anci ancy izer logi logy bli bly alli ally entli ently eli ely ousli ' +
  'ously ization ation ator alism iveness fulness ousness aliti ality iviti ivity biliti bility ' +
  'icate ative alize iciti icity ical ful ness eed ed ing at bl iz s es sses ies y e ll lly ee ' +
  'ings edly ers izations fully lessness less ish est ward'
).split(' ')

function madeWords(): string[] {
  const words = new Set<string>()
  for (const root of ROOTS) {
    words.add(root)
    for (const suffix of SUFFIXES) {
      words.add(root + suffix)
      for (const second of ['s', 'ed', 'ing', 'ly', 'ness', 'y', 'e', 'al']) {
        words.add(root + suffix + second)
      }
    }
  }
  return [...words]
}

describe('the terms of tokenize are the terms of FTS5', () => {
  test('half a surrogate pair separates words', () => {
    expectSameTerms(['one\ud83dtwo', '\udc00one', 'one\udc00\ud83d'])
  })

  test('every code point, alone and inside a word', () => {
    const texts: string[] = []
    for (let page = 0; page < 0x110000; page += 4096) {
      // Beyond the BMP the classes are long ranges, so a sample of them is enough for every run.
      const step = page < 0x10000 ? 1 : 61
      let text = ''
      for (let code = page; code < page + 4096; code += step) {
        if (code >= 0xd800 && code < 0xe000) continue
        const character = String.fromCodePoint(code)
        text += `${character} x${character}Z `
      }
      texts.push(text)
    }
    expectSameTerms(texts)
  })

  test('ten thousand random texts of mixed scripts', () => {
    expectSameTerms(fc.sample(randomText, { numRuns: 10_000, seed: 61 }))
  })

  test('more than ten thousand generated words, stemmed', () => {
    const words = madeWords()
    expect(words.length).toBeGreaterThan(10_000)
    // One text per word: a word that FTS5 splits would otherwise shift all that follow.
    const real = fts5Terms(words)
    expect(words.filter((word, i) => stem(word) !== real[i]![0])).toEqual([])
  })
})
