/** Promise: cue words and phrases, however many, are all looked for in one pass over a text. */

/** `clause` is what begins after a comma, a colon or a semicolon too. */
export type Place = 'sentence' | 'clause' | 'anywhere'

export type WordOfText = { readonly word: string; readonly begins: Place }

type Part = { readonly kind: 'word' | 'beginning' | 'ending'; readonly letters: string }
type Cue<T> = { readonly parts: readonly Part[]; readonly at: Place; readonly owner: T }

/** By the first part of each cue, so that a word is compared with few of them. */
export type CueIndex<T> = {
  readonly words: ReadonlyMap<string, readonly Cue<T>[]>
  /** `frustrat*`, by the code of its first letter: a number is found sooner than a piece of a word. */
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
  const words = new Map<string, Cue<T>[]>()
  const beginnings = new Map<number, Cue<T>[]>()
  const endings = new Map<number, Cue<T>[]>()
  for (const { cues, at, owner } of sources) {
    for (const written of cues.split('|')) {
      const parts = written.trim().toLowerCase().split(/\s+/).map(readPart)
      const { kind, letters } = parts[0] ?? readPart('')
      const cue = { parts, at, owner }
      if (kind === 'ending') push(endings, letters.charCodeAt(letters.length - 1), cue)
      else if (kind === 'beginning') push(beginnings, letters.charCodeAt(0), cue)
      else push(words, letters, cue)
    }
  }
  return { words, beginnings, endings }
}

/** Read once, because a word is compared with many of them. */
function readPart(written: string): Part {
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
    noteAll(found, index.words.get(word), words, i)
    noteAll(found, index.beginnings.get(word.charCodeAt(0)), words, i)
    noteAll(found, index.endings.get(word.charCodeAt(word.length - 1)), words, i)
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
    if (!mayStand(at, words[from]?.begins) || found.has(owner)) continue
    if (!areMet(parts, words, from)) continue
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
function isMet({ kind, letters }: Part, word: string): boolean {
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
