import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECTORS, type Sector } from '../core/record.js'
import { randomText } from '../text/random-text.fixture.js'
import { classifySector, MOST_READ_CHARS } from './classify-sector.js'
import { SECTOR_RULES } from './sector-rules.js'
import { SECTOR_SENTENCES } from './sector-sentences.fixture.js'
import { UNSEEN_AT_FIRST, USED_FOR_RULES } from './sector-sentences-later.fixture.js'
import { TRIED_OUT } from './sector-sentences-tried.fixture.js'
import { UNSEEN } from './sector-sentences-unseen.fixture.js'
import { VARIED } from './sector-sentences-varied.fixture.js'
import { WORD_CLASSES } from './word-classes.js'

type Labelled = { readonly text: string; readonly sector: Sector }

const rightOf = (sentences: readonly Labelled[]): number =>
  sentences.filter(({ text, sector }) => classifySector(text).sector === sector).length /
  sentences.length

const labelled = (sentences: Readonly<Record<Sector, readonly string[]>>): Labelled[] =>
  SECTORS.flatMap((sector) => sentences[sector].map((text) => ({ text, sector })))

describe('accuracy', () => {
  test('[M3] sentences are sorted as a person sorted them, those held out too', () => {
    const heldOut = VARIED.filter((sentence) => sentence.heldOut)
    const development = [
      ...VARIED.filter((sentence) => !sentence.heldOut),
      ...SECTOR_SENTENCES,
      ...[USED_FOR_RULES, UNSEEN_AT_FIRST, TRIED_OUT].flatMap(labelled),
    ]
    const right = {
      all: rightOf([...development, ...heldOut, ...labelled(UNSEEN)]),
      development: rightOf(development),
      heldOut: rightOf(heldOut),
      unseen: rightOf(labelled(UNSEEN)),
    }
    process.stdout.write(
      `sectors: ${right.all.toFixed(3)} of all, ${right.development.toFixed(3)} of those for development, ` +
        `${right.heldOut.toFixed(3)} of those held out, ${right.unseen.toFixed(3)} of those written after the rules\n`,
    )
    expect(right.all).toBeGreaterThanOrEqual(0.8)
    expect(right.heldOut).toBeGreaterThanOrEqual(0.9)
    expect(right.unseen).toBeGreaterThanOrEqual(0.66)
  })

  test('the sentences of the first rules are still sorted, those held out from them too', () => {
    expect(rightOf(SECTOR_SENTENCES)).toBeGreaterThanOrEqual(0.95)
    expect(rightOf(SECTOR_SENTENCES.filter(({ heldOut }) => heldOut))).toBeGreaterThanOrEqual(0.75)
    expect(rightOf(labelled(UNSEEN_AT_FIRST))).toBeGreaterThanOrEqual(0.55)
  })

  test('there are enough sentences of every sector, and a part of them is held out', () => {
    for (const sector of SECTORS) {
      const own = VARIED.filter((sentence) => sentence.sector === sector)
      expect(own).toHaveLength(60)
      expect(own.filter(({ heldOut }) => heldOut)).toHaveLength(20)
      const first = SECTOR_SENTENCES.filter((sentence) => sentence.sector === sector)
      expect(first).toHaveLength(32)
      expect(first.filter(({ heldOut }) => heldOut)).toHaveLength(8)
      expect(UNSEEN[sector]).toHaveLength(10)
    }
    const later = [USED_FOR_RULES, UNSEEN_AT_FIRST, TRIED_OUT, UNSEEN].flatMap(labelled)
    const texts = [...VARIED, ...SECTOR_SENTENCES, ...later].map(({ text }) => text)
    expect(new Set(texts).size).toBe(texts.length)
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
      because: [
        'a moment in the past: "yesterday"',
        'who did it: "we fixed"',
        'somebody did something: "fixed"',
      ],
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
    const { sector, because } = classifySector('Please love it')
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

describe('how a thing is said', () => {
  const sectorOf = (text: string) => classifySector(text).sector

  test('a word in -ed tells an event, unless it describes', () => {
    expect(sectorOf('Lena unlocked the shed')).toBe('episodic')
    expect(sectorOf('Unused tables')).toBe('semantic')
    expect(sectorOf('He is left-handed')).toBe('semantic')
  })

  test('a noun that is a verb too is an order only with an object', () => {
    expect(sectorOf('Test the backup')).toBe('procedural')
    expect(sectorOf('Test failed')).toBe('episodic')
  })

  test('a mood is a feeling where somebody has it', () => {
    expect(sectorOf('He felt low')).toBe('emotional')
    expect(sectorOf('The level is low')).toBe('semantic')
  })

  test('a comparison is a thought where somebody thinks of himself', () => {
    expect(sectorOf('We argue more than we listen')).toBe('reflective')
    expect(sectorOf('Line 4 is faster than line 5')).toBe('semantic')
  })

  test('"I feel that" is a judgement and no feeling', () => {
    expect(sectorOf('I feel that the schedule is tight')).toBe('reflective')
    expect(sectorOf('I feel like we need a plan')).not.toBe('emotional')
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

  test('every class that a cue names is a class of words', () => {
    const cues = Object.values(SECTOR_RULES).flatMap((rules) =>
      rules.map((rule) => rule.cues ?? ''),
    )
    const named = cues.flatMap((written) =>
      [...written.matchAll(/<(\w+)>/g)].map(([, name]) => name),
    )
    expect([...new Set(named)].sort()).toEqual(Object.keys(WORD_CLASSES).sort())
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
