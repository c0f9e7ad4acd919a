import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECTORS, type Sector } from '../core/record.js'
import { randomText } from '../text/random-text.fixture.js'
import { classifySector, MOST_READ_CHARS, SECTOR_CUES } from './classify-sector.js'
import { UNSEEN, VARIED } from './sector-sentences.fixture.js'

type Labelled = { readonly text: string; readonly sector: Sector }

const measureAccuracy = (sentences: readonly Labelled[]): number =>
  sentences.filter(({ text, sector }) => classifySector(text).sector === sector).length /
  sentences.length

const getSector = (text: string) => classifySector(text).sector

describe('accuracy', () => {
  test('[M3] most sentences get the sector that a person gave them, held-out ones too', () => {
    const unseen = SECTORS.flatMap((sector) => UNSEEN[sector].map((text) => ({ text, sector })))
    expect(measureAccuracy(VARIED.filter(({ heldOut }) => !heldOut))).toBeGreaterThanOrEqual(0.85)
    expect(measureAccuracy(VARIED.filter(({ heldOut }) => heldOut))).toBeGreaterThanOrEqual(0.8)
    expect(measureAccuracy(unseen)).toBeGreaterThanOrEqual(0.66)
  })
})

describe('reasons', () => {
  test('[M3] the example worked by hand: the cues that were met are named with their words', () => {
    expect(classifySector('Yesterday we fixed the build.')).toEqual({
      sector: 'episodic',
      because: ['a time in the past: "yesterday"', 'somebody did something: "fixed"'],
    })
  })

  test('a text without cues is semantic', () => {
    const nothing = { sector: 'semantic', because: ['no cue says otherwise'] }
    expect(classifySector('Lorem ipsum')).toEqual(nothing)
    expect(classifySector('')).toEqual(nothing)
  })

  test('a lone hint decides nothing', () => {
    expect(getSector('The fair in May')).toBe('semantic')
  })

  test('a tie is semantic, and both sectors are named', () => {
    expect(classifySector('Please, what a sorrow')).toEqual({
      sector: 'semantic',
      because: ['equal points for procedural and emotional'],
    })
  })

  test('a cue is a whole word, and a curly apostrophe is an apostrophe', () => {
    expect(getSector('The sadhu lovebird')).toBe('semantic')
    expect(classifySector('I can’t stand it')).toEqual(classifySector("I can't stand it"))
  })

  test('every cue has a reason of its own', () => {
    const reasons = Object.values(SECTOR_CUES).flatMap((cues) => cues.map(({ reason }) => reason))
    expect(new Set(reasons).size).toBe(reasons.length)
  })
})

test.each([
  ['Lena unlocked the shed', 'episodic'],
  ['He is left-handed', 'semantic'],
  ['Test the backup', 'procedural'],
  ['Test failed', 'episodic'],
  ['He felt low', 'emotional'],
  ['The level is low, by default', 'semantic'],
  ['I feel that the schedule is tight', 'reflective'],
])('%j is %s', (text, sector) => {
  expect(getSector(text)).toBe(sector)
})

describe('any text', () => {
  test('every text has a sector and a reason, the same each time', () => {
    fc.assert(
      fc.property(fc.oneof(randomText, fc.string()), (text) => {
        const classified = classifySector(text)
        expect(SECTORS).toContain(classified.sector)
        expect(classified.because.length).toBeGreaterThan(0)
        expect(classifySector(text)).toEqual(classified)
      }),
    )
  })

  test(`only the first ${MOST_READ_CHARS} characters count`, () => {
    expect(getSector(`${'plain words '.repeat(200)}. I hate it, I hate it`)).toBe('semantic')
  })
})
