/** Which work a PDF is: by an identifier, by a title in whole lines, and never by chance. */

import { expect, test } from 'vitest'
import { foldText, listKeys } from './identities.js'
import { choosePaperWork, type Paper } from './match-pdf.js'
import { makeWork } from './works.fixture.js'

const stone = [{ family: 'Stone', given: 'Ada' }]
const known = (title: string, details: Parameters<typeof makeWork>[0] = {}) => {
  const work = makeWork({ title, authors: stone, year: 2020, ...details })
  return { work, identities: listKeys(work) }
}
const paper = (lines: readonly string[], details: Partial<Paper> = {}): Paper => ({
  doi: null,
  arxivId: null,
  titles: lines.map(foldText),
  firstPage: lines.join('\n'),
  ...details,
})
const WALLS = known('Old walls of stone')
const MAPS = known('Maps before the surveyors', { doi: '10.1000/maps', arxivId: '1901.00001' })

test.each([
  ['its DOI', paper(['Other'], { doi: '10.1000/MAPS' }), MAPS],
  ['its arXiv id', paper(['Other'], { arxivId: '1901.00001' }), MAPS],
  ['its title', paper(['Old Walls of Stone']), WALLS],
  ['a title below a heading', paper(['Journal of Walls', 'Old walls of stone']), WALLS],
  ['its own title, though it names another', paper(['Old walls of stone', MAPS.work.title]), WALLS],
  ['a DOI of another work', paper([MAPS.work.title], { doi: '10.1000/other' }), null],
  ['a list of titles', paper(['Reading list', WALLS.work.title, MAPS.work.title]), null],
  ['nothing that is stored', paper(['Boats']), null],
])('a PDF with %s', (_, pdf, found) => {
  expect(choosePaperWork(pdf, [WALLS, MAPS])).toBe(found)
})

test('a short title needs its author, and one of two works with a title theirs', () => {
  const preface = known('Preface')
  expect(choosePaperWork(paper(['Preface', 'Ada Stone']), [preface])).toBe(preface)
  expect(choosePaperWork(paper(['Preface', 'Ben Hill']), [preface])).toBeNull()
  expect(choosePaperWork(paper(['Boats', 'Preface', 'Ada Stone']), [preface])).toBeNull()
  const twin = known(WALLS.work.title, { authors: [{ family: 'Hill', given: 'Ben' }] })
  expect(choosePaperWork(paper([WALLS.work.title, 'Ben Hill']), [WALLS, twin])).toBe(twin)
  expect(choosePaperWork(paper([WALLS.work.title]), [WALLS, twin])).toBeNull()
})

test('of a title with and without its subtitle, the longer one counts', () => {
  const whole = known('Old walls of stone: a survey')
  const pdf = paper(['Vol. 3', 'Old walls of stone', 'Old walls of stone: a survey'])
  expect(choosePaperWork(pdf, [WALLS, whole])).toBe(whole)
})
