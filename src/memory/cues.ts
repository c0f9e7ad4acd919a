/** Cue words and phrases, however many, are all looked for in one pass over a text. */

import { WORD_CLASSES } from './word-classes.js'

/** `clause` is what begins after a comma, a colon or a semicolon too. */
export type Place = 'sentence' | 'clause' | 'anywhere'

export type WordOfText = { readonly word: string; readonly begins: Place }

type Part =
  | { readonly kind: 'word' | 'beginning' | 'ending'; readonly letters: string }
  | { readonly kind: 'class'; readonly words: ReadonlySet<string> }
type Cue<T> = { readonly parts: readonly Part[]; readonly at: Place; readonly owner: T }

/** The cues that open with one word: by their second word where that is a single one, so that few are compared. */
type Opened<T> = { readonly others: Cue<T>[]; readonly bySecond: Map<string, Cue<T>[]> }

/** By the first part of each cue, so that a word is compared with few of them. */
export type CueIndex<T> = {
  readonly words: ReadonlyMap<string, Opened<T>>
  /** `frustrat*`, by the codes of its first two letters: a number is found sooner than a piece of a word. */
  readonly beginnings: ReadonlyMap<number, readonly Cue<T>[]>
  /** `*ed`, by the code of its last letter. */
  readonly endings: ReadonlyMap<number, readonly Cue<T>[]>
}

const WORD = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
/** What stands between two words holds no letter, so any of these ends a sentence. */
const SENTENCE_BREAK = /[.!?…。！？\n]/
const CLAUSE_BREAK = /[,;:]/

/** Cues are separated by ` | `; see `SectorRule` for how they are written. */
export function indexCues<T>(
  sources: readonly { readonly cues: string; readonly at: Place; readonly owner: T }[],
): CueIndex<T> {
  const words = new Map<string, Opened<T>>()
  const beginnings = new Map<number, Cue<T>[]>()
  const endings = new Map<number, Cue<T>[]>()
  for (const { cues, at, owner } of sources) {
    for (const written of cues.split('|')) {
      const parts = written.trim().toLowerCase().split(/\s+/).map(readPart)
      const first = parts[0] ?? readPart('')
      const cue = { parts, at, owner }
      if (first.kind === 'class') for (const word of first.words) open(words, word, cue)
      else if (first.kind === 'ending') push(endings, lastLetter(first.letters), cue)
      else if (first.kind === 'beginning') push(beginnings, firstLetters(first.letters), cue)
      else open(words, first.letters, cue)
    }
  }
  return { words, beginnings, endings }
}

const firstLetters = (word: string): number => word.charCodeAt(0) * 65_536 + word.charCodeAt(1)
const lastLetter = (word: string): number => word.charCodeAt(word.length - 1)

function open<T>(words: Map<string, Opened<T>>, first: string, cue: Cue<T>): void {
  const opened: Opened<T> = words.get(first) ?? { others: [], bySecond: new Map() }
  words.set(first, opened)
  const second = cue.parts[1]
  if (second?.kind === 'word') push(opened.bySecond, second.letters, cue)
  else opened.others.push(cue)
}

const CLASSES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(WORD_CLASSES).map(([name, words]) => [`<${name}>`, new Set(words)]),
)

/** Read once, because a word is compared with many of them. */
function readPart(written: string): Part {
  const words = CLASSES.get(written)
  if (words !== undefined) return { kind: 'class', words }
  if (written.startsWith('*') && written !== '*') {
    return { kind: 'ending', letters: written.slice(1) }
  }
  if (written.endsWith('*')) return { kind: 'beginning', letters: written.slice(0, -1) }
  return { kind: 'word', letters: written }
}

function push<K, T>(map: Map<K, T[]>, key: K, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** The words in small letters, each with what begins at it. */
export function wordsOf(text: string): WordOfText[] {
  const small = text.toLowerCase().replaceAll('’', "'")
  const words: WordOfText[] = []
  let end = 0
  WORD.lastIndex = 0
  for (let match = WORD.exec(small); match !== null; match = WORD.exec(small)) {
    const begins = words.length === 0 ? 'sentence' : placeAfter(small, end, match.index)
    words.push({ word: match[0], begins })
    end = WORD.lastIndex
  }
  return words
}

/** Each owner of a cue that is met, with the words that met it first. */
export function findCues<T>(index: CueIndex<T>, words: readonly WordOfText[]): Map<T, string> {
  const found = new Map<T, string>()
  for (let i = 0; i < words.length; i++) {
    const word = words[i]?.word ?? ''
    const opened = index.words.get(word)
    if (opened !== undefined) {
      noteAll(found, opened.others, words, i)
      noteAll(found, opened.bySecond.get(words[i + 1]?.word ?? ''), words, i)
    }
    noteAll(found, index.beginnings.get(firstLetters(word)), words, i)
    noteAll(found, index.endings.get(lastLetter(word)), words, i)
  }
  return found
}

function noteAll<T>(
  found: Map<T, string>,
  cues: readonly Cue<T>[] | undefined,
  words: readonly WordOfText[],
  from: number,
): void {
  if (cues === undefined) return
  for (const { parts, at, owner } of cues) {
    if (!mayStand(at, words[from]?.begins) || !areMet(parts, words, from)) continue
    if (found.has(owner)) continue
    const met = words.slice(from, from + parts.length).map(({ word }) => word)
    found.set(owner, met.join(' '))
  }
}

function areMet(parts: readonly Part[], words: readonly WordOfText[], from: number): boolean {
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]
    const next = words[from + i]
    if (part === undefined || next === undefined || !isMet(part, next.word)) return false
    // A phrase ends with its sentence.
    if (i > 0 && next.begins === 'sentence') return false
  }
  return true
}

function mayStand(at: Place, begins: Place | undefined): boolean {
  return at === 'anywhere' || begins === 'sentence' || begins === at
}

/** An ending wants two letters before it, and `-eed` is no past tense: "need", "speed". */
function isMet(part: Part, word: string): boolean {
  if (part.kind === 'class') return part.words.has(word)
  const { kind, letters } = part
  if (kind === 'word') return letters === word
  if (kind === 'beginning') return word.startsWith(letters)
  return word.length >= letters.length + 2 && word.endsWith(letters) && !word.endsWith('eed')
}

function placeAfter(text: string, from: number, to: number): Place {
  if (to - from === 1 && text.charAt(from) === ' ') return 'anywhere'
  const gap = text.slice(from, to)
  if (SENTENCE_BREAK.test(gap)) return 'sentence'
  return CLAUSE_BREAK.test(gap) ? 'clause' : 'anywhere'
}
