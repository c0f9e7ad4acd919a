/** A sentence is supported by the passages it cites, or has a named problem. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AskPassage } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import { checkSentence, createSentenceSplitter, isNoAnswer } from './ask.js'

const IDS = ['01K9ZQ3F000000000000000001', '01K9ZQ4B000000000000000002'] as RecordId[]
const TEXTS = ['We deploy on Thursdays, never before a holiday.', 'The pooler listens on 6543.']
const passages: AskPassage[] = TEXTS.map((text, i) => ({
  number: i + 1,
  id: IDS[i] as RecordId,
  title: null,
  text,
  start: 0,
  end: text.length,
  date: '2026-03-02T00:00:00.000Z',
  identity: {},
  pages: null,
}))
const check = (sentence: string) => checkSentence(sentence, passages, 'Since 2019?')
const split = (text: string, size = text.length) => {
  const splitter = createSentenceSplitter()
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${size || 1}}`, 'g')) ?? []
  return [...pieces.flatMap((piece) => splitter.add(piece)), ...splitter.end()]
}

describe('sentences', () => {
  test('citations belong to the sentence before them, wherever they are written', () => {
    const expected = ['We deploy on Thursdays [1].', 'It listens on 6543 [2].']
    for (const text of [
      'We deploy on Thursdays [1]. It listens on 6543 [2].',
      'We deploy on Thursdays. [1] It listens on 6543.[2]',
      '- We deploy on Thursdays [1].\n- It listens on 6543 [2].\n',
      '## We deploy on Thursdays【1】.\n\nIt listens on 6543.\n[2]',
    ]) {
      const found = split(text).map((one) => check(one).text)
      expect(found).toEqual(expected)
    }
  })

  test('a sentence is returned once, when the next has begun', () => {
    const splitter = createSentenceSplitter()
    expect(splitter.add('It is so.')).toEqual([])
    expect(splitter.add(' [1')).toEqual([])
    expect(splitter.add('] ')).toEqual([])
    expect(splitter.add('A')).toEqual(['It is so [1].'])
    expect(splitter.add('nd so on [2]')).toEqual([])
    expect(splitter.end()).toEqual(['And so on [2]'])
  })

  test('the sentences do not depend on how the reply is cut into pieces', () => {
    const words = fc.array(
      fc.constantFrom('We', 'deploy', 'Dr. Ada', 'at 3.50', '日本', '🚀 now'),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    const end = fc.constantFrom(
      ' [1].',
      '. [2]',
      '.[1, 2]',
      '! [1] [2]',
      '?',
      '。[1]',
      ' [1]\n',
      '.\n[2]',
    )
    const sentence = fc.tuple(words, end).map(([some, how]) => some.join(' ') + how)
    const reply = fc.array(sentence, { maxLength: 8 }).map((some) => some.join(' '))
    fc.assert(
      fc.property(reply, fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(split(text, size)).toEqual(split(text))
      }),
    )
  })

  test('a reply without an end is bounded', () => {
    expect(split('word '.repeat(20_000), 1000).length).toBeLessThanOrEqual(60)
    expect(split('It is so [1]. '.repeat(500), 7)).toHaveLength(60)
  })

  test('the phrase for "no answer" is recognized', () => {
    expect(isNoAnswer('NOT IN THE PASSAGES.')).toBe(true)
    expect(isNoAnswer('**Not in the passages**')).toBe(true)
    expect(isNoAnswer('The day is not in the passages [1].')).toBe(false)
  })
})

describe('citations', () => {
  test('a sentence whose words are in the passage that it cites is supported', () => {
    expect(check('You deploy on Thursdays [1].')).toEqual({
      text: 'You deploy on Thursdays [1].',
      citations: [IDS[0]],
      problem: null,
    })
    expect(check('Deploys are on Thursday and the pooler is on 6543 [1, 2].').citations).toEqual(
      IDS,
    )
    expect(check('Deployed on Thursdays since 2019 (passage [1]).').problem).toBeNull()
    expect(check('The pooler listens [01K9ZQ4B].')).toMatchObject({
      text: 'The pooler listens [2].',
      citations: [IDS[1]],
    })
    expect(check('Yes [1].').problem).toBeNull()
  })

  test('a claim without a source is marked', () => {
    expect(check('We deploy on Thursdays.')).toMatchObject({ citations: [], problem: 'no_source' })
    expect(check('Say [sic] or [see this](https://evil.example).').problem).toBe('no_source')
  })

  test('a citation of an unknown passage is refused and removed from the text', () => {
    expect(check('We deploy on Thursdays [9].')).toEqual({
      text: 'We deploy on Thursdays.',
      citations: [],
      problem: 'unknown_source',
    })
    expect(check('We deploy on Thursdays [1, 9, 01K9ZZZZZZZZ].')).toMatchObject({
      text: 'We deploy on Thursdays [1].',
      problem: null,
    })
  })

  test('a passage that lacks the words of a sentence does not support it', () => {
    expect(check('The moon is made of cheese [1].').problem).toBe('not_in_source')
    expect(check('The pooler listens on 5432 [2].').problem).toBe('not_in_source')
    expect(check('We deploy on Thursdays [1] [2].').citations).toEqual([IDS[0]])
    expect(check('The pooler listens on 6543 [1].').problem).toBe('not_in_source')
  })

  test('no reply can make up an id: every citation was a given passage', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('[', ']', '1', '2', '3', ',', ' ', 'a', '.') }),
        (text) => {
          for (const id of check(text).citations) expect(IDS).toContain(id)
          expect(check(text).text).not.toMatch(/\[[\d, ]*3[\d, ]*\]/)
        },
      ),
    )
  })
})
