import { expect, test } from 'vitest'
import { guessAuthors, guessTitle } from './first-page.js'
import type { Line } from './lines.js'

const line = (text: string, size: number): Line => ({
  text,
  size,
  left: 0,
  right: 100,
  height: 0,
  angle: 0,
})
const BODY = ['We study cairns.', 'They mark paths.', 'Stones are piled.', 'Paths are long.']

test('the title of a PDF without metadata is the text in the largest letters of the first page', () => {
  const page = [
    line('Journal of Paths, vol. 3', 9),
    line('On Cairns and', 18),
    line('the Paths They Mark', 18),
    line('Ada Stone', 12),
    ...BODY.map((text) => line(text, 10)),
  ]
  expect(guessTitle(page)).toBe('On Cairns and the Paths They Mark')
})

test('a page without larger letters has no title', () => {
  expect(guessTitle(BODY.map((text) => line(text, 10)))).toBeNull()
  expect(guessTitle([])).toBeNull()
})

test.each([
  ['Ada Stone', ['Ada Stone']],
  [
    'Ada M. Stone1,∗, José Hill2 and Ludwig van Beethoven†',
    ['Ada M. Stone', 'José Hill', 'Ludwig van Beethoven'],
  ],
  ['by Ada Stone & J. Hill', ['Ada Stone', 'J. Hill']],
  ['University of Salt', []],
  ['We study how cairns mark paths.', []],
  ['Technical Report', []],
  ['ada@stone.org', []],
])('the authors in the line "%s" below the title are %j', (text, authors) => {
  const page = [
    line('On Cairns and', 18),
    line('the Paths They Mark', 18),
    line(text, 12),
    ...BODY.map((one) => line(one, 10)),
  ]
  expect(guessAuthors(page, 'On Cairns and the Paths They Mark')).toEqual(authors)
})

test('authors on several lines are read until a line that names none, and only below the title', () => {
  const page = [
    'Ada Stone',
    'On Cairns',
    'Ben Hill',
    'Ann Ode',
    'University of Salt',
    'Not Me',
  ].map((text) => line(text, 10))
  expect(guessAuthors(page, 'On Cairns')).toEqual(['Ben Hill', 'Ann Ode'])
  expect(guessAuthors(page, 'Another title')).toEqual([])
})
