/** Chooses passages for a question, and checks each sentence of the reply against the passages it cites. */

import type { AskPassage, AskSentence, Hit, SearchAnswer } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import { isStopWord } from '../query/terms.js'
import { segment } from '../text/segment.js'
import { sentenceEnds } from '../text/sentences.js'
import { cutSnippet } from '../text/snippet.js'
import { tokenize, toTerm } from '../text/tokens.js'
import { findPosition, identify } from './identity.js'
import { readPages } from './page.js'

/** About 350 tokens: several passages must fit the context of a small model. */
export const PASSAGE_CHARACTERS = 1400
/** The constant of reciprocal rank fusion. */
const K = 60
const WEAK_FACTOR = 0.1
/** A sentence must share at least this part of its words with the passages it cites. */
export const MIN_SHARED_WORDS = 0.3
/** Bounds a reply that does not end. */
const MAX_SENTENCES = 60
const LONGEST_SENTENCE = 4000

/** The prompt tells the model to reply this if the passages have no answer. */
const NO_ANSWER = /^\W*not in the passages\W*$/i

/**
 * The best passage of each of the best records. Several searches are fused by rank, Σ 1 / (60 + rank); a weak hit counts a
 * tenth of that.
 */
export function choosePassages(answers: readonly SearchAnswer[], limit: number): AskPassage[] {
  const found = new Map<RecordId, { hit: Hit; score: number }>()
  for (const { hits } of answers) {
    for (const [i, hit] of hits.entries()) {
      const { score = 0, hit: first = hit } = found.get(hit.id) ?? {}
      found.set(hit.id, { hit: first, score: score + (hit.weak ? WEAK_FACTOR : 1) / (K + i + 1) })
    }
  }
  return [...found.values()]
    .sort((a, b) => b.score - a.score || (a.hit.id < b.hit.id ? -1 : 1))
    .slice(0, limit)
    .map(({ hit }, i) => cutPassage(hit, i + 1))
}

function cutPassage({ id, title, record, session, highlights, chunks }: Hit, number: number) {
  const { body } = record
  const patterns = new Map<string, number>()
  const matches = highlights.body.map(({ start, end }) => {
    const term = toTerm(body, start, end)
    const pattern = patterns.get(term) ?? patterns.size
    patterns.set(term, pattern)
    return { start, end, pattern }
  })
  const near = chunks[0] ?? null
  const { text, start } = cutSnippet(body, matches, { maxChars: PASSAGE_CHARACTERS, near })
  const range = { start, end: start + text.length }
  const identity = identify(record, session, { start, match: matches[0]?.start ?? start })
  const { heading } = findPosition(record, start)
  return {
    number,
    id,
    title,
    text,
    ...range,
    date: record.occurredAt ?? record.createdAt,
    identity: heading === null ? identity : { ...identity, heading },
    pages: readPages(record, range),
  }
}

/** Splits a streamed reply into sentences: a sentence is returned once the next one has begun. */
export function createSentenceSplitter() {
  let rest = ''
  let count = 0
  const take = (isEnd: boolean): string[] => {
    rest = moveCitations(rest)
    const pieces = rest.split(/(?<=\n)/).flatMap((line) => {
      const ends = [...sentenceEnds(line), line.length]
      return ends.map((end, i) => line.slice(ends[i - 1] ?? 0, end))
    })
    const last = isEnd || rest.length > LONGEST_SENTENCE ? '' : (pieces.pop() ?? '')
    // The citations of a sentence may follow its full stop.
    const isOpen = last.trim() === '' || last.trim().startsWith('[')
    if (isOpen && !isEnd && rest.length <= LONGEST_SENTENCE) return []
    rest = last
    const sentences = pieces
      .map((piece) => piece.replace(LIST_MARK, '').trim())
      .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
      .slice(0, MAX_SENTENCES - count)
    count += sentences.length
    return sentences
  }
  return {
    add(text: string): string[] {
      rest += text
      return take(false)
    },
    end: () => take(true),
  }
}

const LIST_MARK = /^\s*(?:[-*•+]|#{1,6}|\d{1,2}[.)])\s+/

/** `It is so. [1]` and `It is so.[1]` become `It is so [1].` */
function moveCitations(text: string): string {
  return text
    .replace(/[【［]/g, '[')
    .replace(/[】］]/g, ']')
    .replace(
      /([.!?…。！？]+)\s*((?:\[(?:passages? )?#?\d[^\][\n]{0,60}\]\s*)+)/gi,
      (_, stop, cited) => {
        return ` ${cited.trim()}${stop} `
      },
    )
}

export function isNoAnswer(sentence: string): boolean {
  return NO_ANSWER.test(sentence)
}

/**
 * Removes citations of unknown passages and reports a problem of the sentence. The sentence is supported if the passages it
 * cites have all of its numbers and 30 % of its words, compared by stem.
 */
export function checkSentence(
  sentence: string,
  passages: readonly AskPassage[],
  question: string,
): AskSentence {
  const cited = new Set<AskPassage>()
  let citesUnknown = false
  const text = sentence
    // Nested brackets could leave an unchecked number behind.
    .replace(/\[(?=[^\]]*\[)/g, '')
    .replace(/\[([^\][\n]{1,60})\]/g, (whole, inside: string) => {
      const parts = inside.split(/[\s,;&]+/).filter((part) => /[\p{L}\p{N}]/u.test(part))
      const names = parts.filter((part) => !/^(?:passages?|and|und|et|y)$/i.test(part))
      if (names.length === 0 || !names.every(isCitation)) return whole
      const given = names.flatMap((name) => findPassage(name, passages) ?? [])
      if (given.length < names.length) citesUnknown = true
      for (const passage of given) cited.add(passage)
      return given.length === 0 ? '' : ` [${given.map(({ number }) => number).join(', ')}]`
    })
    .replace(/\s+(?=[.!?…,;)]|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (cited.size === 0) {
    return { text, citations: [], problem: citesUnknown ? 'unknown_source' : 'no_source' }
  }
  const claim = findWords(text.replace(/\[[\d, ]+\]/g, ' '))
  const sources = [...cited].map((passage) => ({ passage, words: findWords(print(passage)) }))
  // A passage that shares no word with the sentence is not a source.
  const real = sources.filter(
    ({ words }) => claim.size === 0 || [...claim].some((word) => words.has(word)),
  )
  const known = new Set(real.flatMap(({ words }) => [...words]))
  const asked = findWords(question)
  const shared = [...claim].filter((word) => known.has(word))
  const isNumber = (word: string) => /^\p{N}/u.test(word)
  const isSupported =
    real.length > 0 &&
    shared.length >= MIN_SHARED_WORDS * claim.size &&
    [...claim].every((word) => !isNumber(word) || known.has(word) || asked.has(word))
  const kept = isSupported ? real.map(({ passage }) => passage) : [...cited]
  return {
    text,
    citations: kept.map(({ id }) => id),
    problem: isSupported ? null : 'not_in_source',
  }
}

/** A passage number, or at least eight characters of an id. */
function isCitation(name: string): boolean {
  return /^#?\d{1,6}$/.test(name) || /^01[0-9A-HJKMNP-TV-Z]{6,24}$/i.test(name)
}

function findPassage(name: string, passages: readonly AskPassage[]): AskPassage | null {
  const bare = name.replace('#', '').toUpperCase()
  const byNumber = passages.find(({ number }) => String(number) === bare)
  return byNumber ?? passages.find(({ id }) => bare.length >= 8 && id.startsWith(bare)) ?? null
}

function print({ title, text, date, identity }: AskPassage): string {
  return [title, text, date.slice(0, 10), ...Object.values(identity).flat()].join('\n')
}

/** The stems of the words that are not stop words. Scripts without spaces give pairs of letters. */
function findWords(text: string): ReadonlySet<string> {
  const form = segment(text)?.text ?? text
  const words = tokenize(form).filter(
    ({ start, end }) =>
      !isStopWord(form.slice(start, end)) && !/^yes$/i.test(form.slice(start, end)),
  )
  return new Set(words.map(({ term }) => term))
}
