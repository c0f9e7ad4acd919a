import { describe, expect, test } from 'vitest'
import { dropUnseen, findPieces } from './markup.js'

const show = (text: string): string[] =>
  findPieces(text).map(({ start, end }) => text.slice(start, end))

test.each([
  ['plain text, 2 * 3 * 4 and a[i] < b', []],
  ['<a href="https://a.example">a</a>', ['<a href="https://a.example">', '</a>']],
  ['<!-- a\n\n<b> --> %%c%% <style>d</style>', ['<!-- a\n\n<b> -->', '%%c%%', '<style>d</style>']],
  ['%%\na %\n%%\nb', ['%%\na %\n%%']],
  ['[a](b_(c) "d") ![e](f) [g][1] [[h|i]]', ['[a](b_(c) "d")', '![e](f)', '[g][1]', '[[h|i]]']],
  ['[![a](b)](c) [ ![d](e) ](f)', ['[![a](b)](c)', '[ ![d](e) ](f)']],
  ['[1]: https://a.example "A"\n[Bob]: yes', ['[1]: https://a.example "A"']],
  [
    'at <https://a.example/b>, 看 https://a.example/路，好',
    ['https://a.example/b', 'https://a.example/路'],
  ],
  ['**a b** _c_ ~~d~~ `e`', ['**a b**', '_c_', '~~d~~', '`e`']],
])('the pieces of %j are %j', (text, pieces) => {
  expect(show(text)).toEqual(pieces)
})

test('a reader sees labels and emphasised words, but no addresses, tags and comments', () => {
  const text = `x <a x="x">x</a> [x](x) ![x](x "x") [x]: [[x|x]] <!-- x --> **x** https://x.example x
[x]: x/x`
  const all = [...text.matchAll(/x/g)].map(({ index }) => ({ start: index, end: index + 1 }))
  const seen = new Set(dropUnseen(text, all, findPieces(text)).map(({ start }) => start))
  expect(
    text.replace(/x/g, (_, at) => (seen.has(at) ? 'X' : '-')),
  ).toBe(`X <a -="-">X</a> [X](-) ![X](- "-") [X]: [[-|X]] <!-- - --> **X** https://-.e-ample X
[-]: -/-`)
})

describe('a megabyte of one sign is searched in linear time', () => {
  const signs =
    '< [ % * ( ` _ # = ! \n | <!-- <script> %%a <p> [a]( [a](b( [[a| https:// **a'.split(' ')
  test.each(signs)('%j', (sign) => {
    const text = sign.repeat(1_000_000 / sign.length)
    const startedAt = performance.now()
    findPieces(text)
    findPieces(`[a]: ${text}`)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})
