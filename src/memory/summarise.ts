/** Summarises notes by their best sentences, unchanged, in the order of time. */

import { findWordEnd } from '../text/breaks.js'
import { differences } from '../text/differences.js'
import { findContentWords, findQuote, splitNote } from './sentences.js'

export type Note = {
  readonly id: string
  readonly text: string
  /** Effective, 0.05..1. */
  readonly salience: number
  readonly importance: number
  readonly atMs: number
}

type SummaryOptions = { readonly maxSentences?: number; readonly maxChars?: number }

export const MAX_SENTENCES = 5
export const MAX_CHARS = 600

/** The share of a note's salience and importance in the points of its sentences. */
export const NOTE_WEIGHTS = { salience: 0.6, importance: 0.4 }
/** Each sentence before it in the note lowers the points of a sentence. */
export const POSITION_LOSS = 0.25
/** A sentence with this many content words counts half. */
export const HALF_INFORMATION = 4
/** Two sentences with this share of common content words say the same. */
export const SAME_FROM = 0.8

/** How many of the best sentences are offered to a language model. */
const MAX_OFFERED = 60
/** Without a limit, a session of thousands of notes would be compared for seconds. */
const MOST_COMPARED = 400

export type Sentence = {
  readonly text: string
  readonly note: Note
  readonly position: number
  readonly words: ReadonlySet<string>
  readonly points: number
}

/**
 * The best sentences that fit; null if there are none. A sentence that is too long by itself is cut at a word, with
 * "…", only if no other fits.
 */
export function summarise(notes: readonly Note[], options: SummaryOptions = {}): string | null {
  return compose(listSentences(notes), options)
}

/** All sentences that say something, the best first. */
function listSentences(notes: readonly Note[]): Sentence[] {
  return notes.flatMap(scoreSentences).sort(bestFirst).slice(0, MOST_COMPARED)
}

/** The best sentences, in order of time, for somebody else to choose from. */
export function offerSentences(notes: readonly Note[]): readonly Sentence[] {
  return listSentences(notes).slice(0, MAX_OFFERED).sort(oldestFirst)
}

/** The summary of these sentences, the most important first; null if none fits. */
export function summariseChosen(chosen: readonly Sentence[]): string | null {
  return compose([...new Set(chosen)])
}

function compose(sentences: readonly Sentence[], options: SummaryOptions = {}): string | null {
  const { maxSentences = MAX_SENTENCES, maxChars = MAX_CHARS } = options
  if (maxSentences < 1) return null
  const chosen: Sentence[] = []
  let summary = ''
  for (const sentence of sentences) {
    if (chosen.length >= maxSentences) break
    if (chosen.some((other) => isSameStatement(other, sentence))) continue
    const longer = join([...chosen, sentence])
    if (longer.length > maxChars) continue
    chosen.push(sentence)
    summary = longer
  }
  const [best] = sentences
  if (chosen.length > 0 || best === undefined) return summary === '' ? null : summary
  return cut(best.text, maxChars)
}

/**
 * (.6 · salience + .4 · importance) · 1 / (1 + .25 · sentences before it) · n / (n + 4), n its distinct content words.
 * By hand: salience .5, importance .5, second sentence, 6 content words → .5 · 1/1.25 · 6/10 = .24.
 */
export function scoreSentence(
  { salience, importance }: Pick<Note, 'salience' | 'importance'>,
  position: number,
  contentWordCount: number,
): number {
  const worth = NOTE_WEIGHTS.salience * salience + NOTE_WEIGHTS.importance * importance
  const information = contentWordCount / (contentWordCount + HALF_INFORMATION)
  return (worth / (1 + POSITION_LOSS * position)) * information
}

const TITLE_WORDS = { least: 3, most: 10 }
const MAX_TITLE_CHARS = 80

/** A title of three to ten words that stand together in one of the texts; null if they do not. */
export function readTitle(given: string, texts: readonly string[]): string | null {
  const title = given.trim().replace(/^["“]|["”.]+$/g, '')
  const words = title.split(/\s+/).length
  if (words < TITLE_WORDS.least || words > TITLE_WORDS.most || title.length > MAX_TITLE_CHARS) {
    return null
  }
  const found = texts.map((text) => findQuote(title, text)).find((quote) => quote !== null)
  return found?.replace(/\s+/g, ' ') ?? null
}

/** Whether a title was taken from this text, or might have been. */
export function isTitledFrom(title: string, text: string): boolean {
  return readTitle(title, [text]) !== null
}

/** Whether a summary contains a sentence of this text, whole or cut. */
export function isQuoted(summary: string, text: string): boolean {
  const cutAt = summary.endsWith('…') ? summary.slice(0, -1) : null
  const informative = splitNote(text).filter((sentence) => findContentWords(sentence).size > 0)
  return informative.some(
    (sentence) => summary.includes(sentence) || (cutAt !== null && sentence.startsWith(cutAt)),
  )
}

function scoreSentences(note: Note): Sentence[] {
  return splitNote(note.text).flatMap((text, position) => {
    const words = findContentWords(text)
    // "Hi!" and "OK, thanks." say nothing.
    if (words.size === 0) return []
    return [{ text, note, position, words, points: scoreSentence(note, position, words.size) }]
  })
}

/** The same content words, and no number or negation that differs. */
function isSameStatement(a: Sentence, b: Sentence): boolean {
  let common = 0
  for (const word of a.words) if (b.words.has(word)) common += 1
  const all = a.words.size + b.words.size - common
  return common / all >= SAME_FROM && differences(a.text, b.text).length === 0
}

function join(sentences: readonly Sentence[]): string {
  return [...sentences]
    .sort(oldestFirst)
    .map(({ text }) => text)
    .reduce(
      (before, text) => before + (/[.!?…。！？]["'”’»)\]]*$/.test(before) ? ' ' : ' · ') + text,
    )
}

function cut(text: string, maxChars: number): string | null {
  if (text.length <= maxChars) return text
  const kept = text.slice(0, findWordEnd(text, 0, Math.max(0, maxChars - 1))).trimEnd()
  return kept === '' ? null : `${kept}…`
}

function bestFirst(a: Sentence, b: Sentence): number {
  return b.points - a.points || oldestFirst(a, b)
}

function oldestFirst(a: Sentence, b: Sentence): number {
  if (a.note.atMs !== b.note.atMs) return a.note.atMs - b.note.atMs
  if (a.note.id !== b.note.id) return a.note.id < b.note.id ? -1 : 1
  return a.position - b.position
}
