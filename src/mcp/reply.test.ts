import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brief, type Data } from './render.js'
import { compose, cutText } from './reply.js'

const items: fc.Arbitrary<Data[]> = fc.array(
  fc.string({ maxLength: 900 }).map((text) => ({ id: '01', text })),
  { maxLength: 30 },
)

describe('a page', () => {
  test('[D3] keeps to its budget, as text and as data, whatever it is made of', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 400, max: 3000 }), (list, budget) => {
        const { text, data, shown } = compose(budget, {
          head: ['head'],
          base: { total: list.length },
          list: 'hits',
          items: list,
          foot: (count, left) => (left === 0 ? null : `${left} more: offset ${count}.`),
        })
        expect(text.length / 4).toBeLessThanOrEqual(budget)
        expect(JSON.stringify(data).length / 4).toBeLessThanOrEqual(budget)
        expect(data.left).toBe(list.length - shown)
        if (list.length > 0) expect(shown).toBeGreaterThan(0)
      }),
    )
  })

  test('shows everything where there is room, and says nothing of more', () => {
    const list = ['a', 'b'].map((text) => ({ text }))
    const reply = compose(400, { head: [], base: {}, list: 'all', items: list })
    expect(reply).toEqual({ text: 'a\nb', data: { all: list, left: 0 }, shown: 2 })
  })
})

describe('a cut', () => {
  test('falls between sentences', () => {
    expect(cutText('One is here. Two is there. Three is gone.', 30)).toBe(
      'One is here. Two is there.',
    )
  })
  test('falls between words where no sentence ends, and never inside a character', () => {
    expect(cutText('alpha beta gamma delta', 13)).toBe('alpha beta')
    expect(cutText('🐧🐧🐧', 3)).toBe('🐧')
  })
  test('is a beginning of the text and no longer than the room', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(200), (text, room) => {
        const cut = cutText(text, room)
        expect(text.startsWith(cut)).toBe(true)
        expect(cut.length).toBeLessThanOrEqual(Math.max(room, 0))
      }),
    )
  })
  test('of one line ends with an ellipsis', () => {
    expect(brief('one\ntwo  three', 20)).toBe('one two three')
    expect(brief('one two three', 9)).toBe('one two…')
  })
})
