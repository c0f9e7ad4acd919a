/** LaTeX and text are two spellings of one thing. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { line } from '../works.fixture.js'
import { isBalanced, latexToText, textToLatex } from './latex.js'

describe('LaTeX as a reader sees it', () => {
  test.each([
    ['{\\"u} \\"{u} \\"u', 'ü ü ü'],
    ["\\'{\\i} \\'\\i{} \\^{\\i}", 'í í î'],
    [
      '\\c{c} \\c c \\v{s} \\H{o} \\k{a} \\r{a} \\u{g} \\.z \\=a \\d{h} \\b{d}',
      'ç ç š ő ą å ğ ż ā ḥ ḏ',
    ],
    ['Stra{\\ss}e, \\ss{} x, \\o re, \\AE, {\\L}ukasz', 'Straße, ß x, øre, Æ, Łukasz'],
    ['\\emph{a} \\textit{b} {\\bf c} \\textbf{d\\textsc{e}}', 'a b c de'],
    ['a -- b --- c', 'a – b — c'],
    ["``x'' `y'", "“x” `y'"],
    ['A~B \\& C\\_d 5\\% \\#1 \\{x\\} \\$', 'A B & C_d 5% #1 {x} $'],
    ['$\\alpha$-entmax, $x^2$, $O(\\log n)$', 'α-entmax, x^2, O(logn)'],
    ['$5 and $6', '$5 and $6'],
    ['$\\frac{1}{2}$ \\enquote{q} \\href{http://a}{b}', '1/2 “q” b (http://a)'],
    ['{NASA} and {{Double}}', 'NASA and Double'],
    ['\\mathcalH-divergence \\foo{bar}', '\\mathcalH-divergence \\foo{bar}'],
    ['50% of it', '50% of it'],
    ['\\', '\\'],
    ['\\"', '"'],
    ['\\~{} \\^{}', '~ ^'],
  ])('%s → %s', (latex, text) => {
    expect(latexToText(latex)).toBe(text)
  })

  test('an address keeps its tilde and hyphens, and loses its escapes', () => {
    expect(latexToText('http://a/~b--c', 'verbatim')).toBe('http://a/~b--c')
    expect(latexToText('http://a/\\~{}b\\_c\\%20', 'verbatim')).toBe('http://a/~b_c%20')
  })
})

describe('text as LaTeX', () => {
  test('special characters are escaped and accents stay', () => {
    expect(textToLatex('a&b_c 5% $1 #2 ~ ^ \\ é')).toBe(
      'a\\&b\\_c 5\\% \\$1 \\#2 \\textasciitilde{} \\textasciicircum{} \\textbackslash{} é',
    )
  })

  test('braces are escaped in pairs, and a lone one is named', () => {
    expect(textToLatex('{a}')).toBe('\\{a\\}')
    expect(textToLatex('}{')).toBe('\\textbraceright{}\\textbraceleft{}')
  })

  test('any line comes back, in braces that BibTeX can count', () => {
    fc.assert(
      fc.property(line, (text) => {
        expect(isBalanced(textToLatex(text))).toBe(true)
        expect(latexToText(textToLatex(text))).toBe(text)
      }),
    )
  })
})
