/** Identifiers and names are found as people and publishers write them. */

import { describe, expect, test } from 'vitest'
import { findArxivId, findDoi, readDetails } from './details.js'

describe('identifiers', () => {
  test.each([
    ['doi:10.1000/182', '10.1000/182'],
    ['https://doi.org/10.1145/3292500.3330701.', '10.1145/3292500.3330701'],
    ['(DOI 10.1002/(SICI)1097-4571(199009)41:6)', '10.1002/(sici)1097-4571(199009)41:6'],
    ['(see 10.1000/182)', '10.1000/182'],
    ['Cites 10.1000/1, but its own is DOI: 10.1000/ABC-2;', '10.1000/abc-2'],
    ['version 10.12/3 of it', null],
    ['nothing', null],
  ])('the DOI in "%s" is %s', (text, doi) => {
    expect(findDoi(text)).toBe(doi)
  })

  test.each([
    ['arXiv:1706.03762v5 [cs.CL]', '1706.03762'],
    ['https://arxiv.org/abs/2005.11401', '2005.11401'],
    ['arxiv.org/pdf/cs/0112017.pdf', 'cs/0112017'],
    ['arXiv:math.GT/0309136', 'math.GT/0309136'],
    ['doi:10.48550/arXiv.1706.03762', '1706.03762'],
    ['an arXiv preprint of 2017', null],
  ])('the arXiv id in "%s" is %s', (text, id) => {
    expect(findArxivId(text)).toBe(id)
  })
})

const EMPTY = { lines: [], text: '' }

describe('people', () => {
  test.each([
    ['Lovelace, Ada', ['Lovelace, Ada']],
    ['Lovelace, Ada; Turing, Alan', ['Lovelace, Ada', 'Turing, Alan']],
    ['Ada Lovelace, Alan Turing', ['Ada Lovelace', 'Alan Turing']],
    ['A.Lovelace and A.Turing', ['A.Lovelace', 'A.Turing']],
    ['Plato', ['Plato']],
    [' ', []],
  ])('"%s" names %j', (Author, authors) => {
    expect(readDetails({ info: { Author }, xmp: {} }, EMPTY).authors).toEqual(authors)
  })
})

describe('dates', () => {
  test.each([
    ['D:20250208122313Z', '2025-02-08T12:23:13.000Z'],
    ["D:20250208003000+02'00'", '2025-02-07T22:30:00.000Z'],
    ['D:2019', '2019-01-01T00:00:00.000Z'],
    ['2019-07', '2019-07-01T00:00:00.000Z'],
    ['D:20191399', null],
    ['yesterday', null],
  ])('%s is %s', (CreationDate, createdAt) => {
    expect(readDetails({ info: { CreationDate }, xmp: {} }, EMPTY).createdAt).toBe(createdAt)
  })
})
