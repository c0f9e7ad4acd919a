import { expect, test } from 'vitest'
import type { Line } from './lines.js'
import { guessTitle } from './read-pdf.js'

const line = (text: string, size: number): Line => ({
  text,
  size,
  left: 0,
  right: 100,
  height: 0,
  angle: 0,
})
const BODY = ['We study cairns.', 'They mark paths.', 'Stones are piled.', 'Paths are long.']

test('the title of a PDF without metadata is what the first page has in its largest letters', () => {
  const page = [
    line('Journal of Paths, vol. 3', 9),
    line('On Cairns and', 18),
    line('the Paths They Mark', 18),
    line('Ada Stone', 12),
    ...BODY.map((text) => line(text, 10)),
  ]
  expect(guessTitle(page)).toBe('On Cairns and the Paths They Mark')
})

test('where no letters stand out, or a file name does, there is no title', () => {
  expect(guessTitle(BODY.map((text) => line(text, 10)))).toBeNull()
  expect(guessTitle([line('draft.docx', 18), ...BODY.map((text) => line(text, 10))])).toBeNull()
  expect(guessTitle([])).toBeNull()
})
