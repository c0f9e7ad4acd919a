import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECTORS, type Sector } from '../core/record.js'
import { randomText } from '../text/random-text.fixture.js'
import { classifySector, MOST_READ_CHARS } from './classify-sector.js'
import { SECTOR_RULES } from './sector-rules.js'
import { SECTOR_SENTENCES } from './sector-sentences.fixture.js'
import { UNSEEN, USED_FOR_RULES } from './sector-sentences-later.fixture.js'

type Labelled = { readonly text: string; readonly sector: Sector }

const rightOf = (sentences: readonly Labelled[]): number =>
  sentences.filter(({ text, sector }) => classifySector(text).sector === sector).length /
  sentences.length

const labelled = (sentences: Readonly<Record<Sector, readonly string[]>>): Labelled[] =>
  SECTORS.flatMap((sector) => sentences[sector].map((text) => ({ text, sector })))

describe('accuracy', () => {
  test('[M3] sentences are sorted as a person sorted them, those held out too', () => {
    const all = rightOf(SECTOR_SENTENCES)
    const heldOut = rightOf(SECTOR_SENTENCES.filter(({ heldOut }) => heldOut))
    const unseen = rightOf(labelled(UNSEEN))
    const used = rightOf(labelled(USED_FOR_RULES))
    process.stdout.write(
      `sectors: ${all.toFixed(3)} of all, ${heldOut.toFixed(3)} of the held-out sentences; ` +
        `${used.toFixed(3)} of the hard ones, ${unseen.toFixed(3)} of those written after the rules\n`,
    )
    expect(all).toBeGreaterThanOrEqual(0.8)
    expect(heldOut).toBeGreaterThanOrEqual(0.75)
    expect(unseen).toBeGreaterThanOrEqual(0.55)
  })

  test('there are enough sentences of every sector, and a quarter of each is held out', () => {
    for (const sector of SECTORS) {
      const own = SECTOR_SENTENCES.filter((sentence) => sentence.sector === sector)
      expect(own.length).toBeGreaterThanOrEqual(25)
      expect(own.filter(({ heldOut }) => heldOut)).toHaveLength(8)
    }
    expect(new Set(SECTOR_SENTENCES.map(({ text }) => text)).size).toBe(SECTOR_SENTENCES.length)
  })

  test('a sentence that is taken for another sector is mostly taken for a plain fact', () => {
    const wrong = labelled(UNSEEN)
      .map(({ text, sector }) => ({ sector, given: classifySector(text).sector }))
      .filter(({ sector, given }) => sector !== given)
    const plain = wrong.filter(({ given }) => given === 'semantic')
    expect(plain.length).toBeGreaterThan(wrong.length / 2)
  })
})

describe('reasons', () => {
  test('[M3] the example worked by hand: the rules that were met are named with their words', () => {
    expect(classifySector('Yesterday we fixed the build.')).toEqual({
      sector: 'episodic',
      because: ['a moment in the past: "yesterday"', 'somebody did something: "fixed"'],
    })
  })

  test('a text that meets no rule is a plain fact', () => {
    const nothing = { sector: 'semantic', because: ['nothing says otherwise'] }
    for (const text of ['', ' \n', 'Ginkgo biloba', '日本語のメモ', '🙂', '12345']) {
      const { sector } = classifySector(text)
      expect({ text, sector }).toEqual({ text, sector: 'semantic' })
    }
    expect(classifySector('')).toEqual(nothing)
  })

  test('a lone hint decides nothing', () => {
    expect(classifySector('The fair is in May').sector).toBe('semantic')
  })

  test('two sectors with the same sum make a plain fact, and both are named', () => {
    const { sector, because } = classifySector('Always nervous')
    expect({ sector, because }).toEqual({
      sector: 'semantic',
      because: ['as much says procedural as emotional'],
    })
  })

  test('a cue is a whole word, and a phrase ends with its sentence', () => {
    expect(classifySector('The sadhu lovebird').sector).toBe('semantic')
    expect(classifySector('It is better. To us').because.join()).not.toContain('better to')
  })

  test('a curly apostrophe is an apostrophe', () => {
    expect(classifySector('I can’t stand it')).toEqual(classifySector("I can't stand it"))
  })
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

  test(`only the first ${MOST_READ_CHARS} characters are read`, () => {
    const long = `${'plain words '.repeat(200)}. I hate it, I hate it`
    expect(classifySector(long).sector).toBe('semantic')
  })
})

describe('the table', () => {
  test('every rule has a reason of its own and something to look for', () => {
    const rules = Object.values(SECTOR_RULES).flat()
    expect(new Set(rules.map(({ reason }) => reason)).size).toBe(rules.length)
    const empty = rules.filter(({ cues, shape }) => cues === undefined && shape === undefined)
    expect(empty).toEqual([])
  })

  test('no sector has the same cue twice at the same place', () => {
    const twice = Object.entries(SECTOR_RULES).flatMap(([sector, rules]) => {
      const cues = rules.flatMap(({ cues = '', at = '' }) =>
        cues.split('|').map((cue) => `${sector} ${at} ${cue.trim().replace(/\s+/g, ' ')}`),
      )
      return cues.filter((cue, i) => !cue.endsWith(' ') && cues.indexOf(cue) !== i)
    })
    expect(twice).toEqual([])
  })
})
