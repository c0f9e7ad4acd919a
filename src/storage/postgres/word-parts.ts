/**
 * Turns the columns of a record into what the tables of words hold: lexemes, weights and positions, in parts that a tsvector
 * can hold. A lexeme is a token, or `/t/token` for a token of one column; no token contains a slash.
 */

import { Buffer } from 'node:buffer'
import { stem } from '../../text/stem.js'
import { foldWord, TokenCursor } from '../../text/tokens.js'
import {
  BM25_K1,
  COLUMN_NAMES,
  COLUMN_WEIGHTS,
  type Column,
  normOf,
  TEXT_COLUMNS,
} from '../bm25.js'

/** The indexed form of each column. */
export type IndexedColumns = Readonly<Record<Column, string | null>>

/** Lexemes of one column alone. The body has none: its lexemes are those labelled B. */
export const LEXEME_MARKS: Readonly<Record<Exclude<Column, 'body'>, string>> = {
  title: '/t/',
  tags: '/g/',
  people: '/p/',
  context: '/c/',
  venue: '/v/',
  key: '/k/',
  doi: '/d/',
  year: '/y/',
}

/** The body comes last, so that the short columns are in the first part. */
const ORDER: readonly Column[] = [
  ...COLUMN_NAMES.filter((column) => column !== 'body'),
  'body' as const,
]

/** Between two columns, so that no phrase and no NEAR of up to this distance goes from one to the next. */
export const COLUMN_GAP = 128
const PART_WORDS = 3000
/** A part begins with the last words of the part before, so that phrases across the border are found. */
const OVERLAP_WORDS = 128
/** A tsvector keeps 256 positions of a lexeme and one megabyte in all. */
const MAX_POSITIONS = 250
const MAX_PART_CHARACTERS = 200_000
/** A lexeme holds 2,046 bytes: longer tokens are cut, with their hash at the end. */
const LONGEST_TOKEN = 500
/** A sparsevec holds 16,000 numbers. */
const MAX_WEIGHTS = 15_000
/** Texts are split into tokens in pieces of this length, as tokens take much more memory than text. */
const PIECE_CHARACTERS = 1_000_000

/** Weights are multiples of this, so frequencies are whole numbers of steps. */
const STEPS = 20
const STEPS_OF = COLUMN_NAMES.map((column) => Math.round(COLUMN_WEIGHTS[column] * STEPS))

export const DIMENSIONS = 1_000_000_000

/** The number of a token in weights and positions: FNV-1a. Two tokens share one in a billion. */
export function hashToken(token: string): number {
  let hash = 2166136261
  for (let i = 0; i < token.length; i++) {
    hash ^= token.charCodeAt(i)
    hash = Math.imul(hash, 16777619)
  }
  return ((hash >>> 0) % (DIMENSIONS - 1)) + 1
}

export function shortenToken(token: string): string {
  if (token.length <= LONGEST_TOKEN) return token
  return `${token.slice(0, LONGEST_TOKEN)}${hashToken(token).toString(36)}`
}

type Token = { readonly term: string; readonly hash: number }

const MEMO_TOKENS = 50_000
const memo = new Map<string, Token>()

function readToken(word: string): Token {
  const known = memo.get(word)
  if (known !== undefined) return known
  const term = shortenToken(stem(foldWord(word)))
  const token = { term, hash: hashToken(term) }
  if (memo.size >= MEMO_TOKENS) memo.clear()
  // A longer slice would keep the whole text in memory.
  if (word.length < 13) memo.set(word, token)
  return token
}

/** One row of a table of words. */
export type WordsPart = {
  readonly part: number
  readonly isWhole: boolean
  readonly length: number | null
  readonly textWords: number | null
  readonly lexemes: string
  readonly weights: string | null
  readonly nearbyWeights: string | null
  readonly positions: Buffer
}

/** How often a token is in the record, in steps: in its own columns, and in those of its neighbours. */
type Frequency = { own: number; nearby: number }
/** A token in one part. */
type Entry = Frequency & {
  readonly token: Token
  /** Its positions in the part, as a tsvector has them. */
  places: string
  count: number
  /** Its positions in the record: a byte for the column, then distances + 1; zero announces another column. */
  readonly bytes: number[]
  column: number
  position: number
}

class PartsWriter {
  /** The tokens of the record. */
  readonly terms: string[] = []
  /** Of the parts before. */
  readonly #frequencies = new Map<number, Frequency>()
  #entries = new Map<number, Entry>()
  /** Those of one column, and of tokens that share their hash with another. */
  #lexemes = new Map<string, string>()
  #recent: Token[] = []
  #parts = 0
  /** In the part. */
  #position = 1
  #words = 0
  #characters = 0
  #length = 0
  #textWords = 0
  readonly #store: (part: WordsPart) => void

  constructor(store: (part: WordsPart) => void) {
    this.#store = store
  }

  addColumn(column: Column, text: string): void {
    const index = COLUMN_NAMES.indexOf(column)
    const before = this.#length
    this.#recent = []
    for (const piece of splitText(text)) {
      const at = new TokenCursor(piece)
      while (at.next()) {
        if (this.#words >= PART_WORDS || this.#characters > MAX_PART_CHARACTERS) {
          this.#beginPart(column)
        }
        const token = readToken(piece.slice(at.start, at.end))
        const entry = this.#index(token, column)
        const steps = STEPS_OF[index] as number
        if (column === 'context') entry.nearby += steps
        else entry.own += steps
        addPosition(entry, index, this.#length - before)
        this.#length++
        this.#recent.push(token)
        if (this.#recent.length > 8 * OVERLAP_WORDS) {
          this.#recent = this.#recent.slice(-OVERLAP_WORDS)
        }
      }
    }
    if (this.#length > before) this.#position += COLUMN_GAP
    if (TEXT_COLUMNS.includes(index)) this.#textWords += this.#length - before
  }

  finish(): void {
    const isWhole = this.#parts === 0
    const entries = sortByHash(this.#entries)
    const all = isWhole ? entries : this.#sumUp(entries)
    const print = createWeightPrinter(normOf(this.#length))
    const hasNearby = all.some(([, { nearby }]) => nearby > 0)
    for (let from = 0; from === 0 || from < all.length; from += MAX_WEIGHTS) {
      let [weights, nearbyWeights] = ['', '']
      for (const [hash, { own, nearby }] of all.slice(from, from + MAX_WEIGHTS)) {
        if (own > 0) weights += `,${hash}:${print(own)}`
        if (hasNearby) nearbyWeights += `,${hash}:${print(own + nearby)}`
      }
      this.#write(from === 0 ? entries : [], {
        isWhole,
        length: this.#length,
        textWords: this.#textWords,
        weights: printSparse(weights),
        nearbyWeights: hasNearby ? printSparse(nearbyWeights) : null,
      })
    }
  }

  #sumUp(entries: readonly (readonly [number, Entry])[]): [number, Frequency][] {
    for (const [hash, { own, nearby }] of entries) {
      const before = this.#frequencies.get(hash)
      this.#frequencies.set(hash, {
        own: own + (before?.own ?? 0),
        nearby: nearby + (before?.nearby ?? 0),
      })
    }
    return sortByHash(this.#frequencies)
  }

  /** Adds a token to the lexemes of the part. */
  #index(token: Token, column: Column): Entry {
    const { term, hash } = token
    const at = this.#position++
    this.#words++
    let entry = this.#entries.get(hash)
    if (entry === undefined) {
      const none = { places: '', count: 0, own: 0, nearby: 0, column: -1, position: -1 }
      entry = { token, bytes: [], ...none }
      this.#entries.set(hash, entry)
      this.#characters += term.length
    }
    const place = column === 'body' ? (BODY_PLACES[at] as string) : `,${at}`
    // The next token begins another part where this one is full.
    if (++entry.count >= MAX_POSITIONS) this.#words = PART_WORDS
    if (column !== 'context') {
      if (entry.token.term === term) entry.places += place
      else this.#addLexeme(term, place)
    }
    if (column !== 'body') this.#addLexeme(LEXEME_MARKS[column] + term, place)
    return entry
  }

  #addLexeme(lexeme: string, place: string): void {
    const places = this.#lexemes.get(lexeme)
    this.#lexemes.set(lexeme, (places ?? '') + place)
    if (places === undefined) this.#characters += lexeme.length
  }

  #beginPart(column: Column): void {
    const entries = sortByHash(this.#entries)
    this.#sumUp(entries)
    const empty = { length: null, textWords: null, weights: null, nearbyWeights: null }
    this.#write(entries, { isWhole: false, ...empty })
    for (const token of this.#recent.slice(-OVERLAP_WORDS)) this.#index(token, column)
  }

  #write(
    entries: readonly (readonly [number, Entry])[],
    row: Omit<WordsPart, 'part' | 'lexemes' | 'positions'>,
  ): void {
    let lexemes = ''
    for (const [, { token, places }] of entries) {
      if (places !== '') lexemes += `${quoteLexeme(token.term)}:${places.slice(1)} `
      this.terms.push(token.term)
    }
    for (const [lexeme, places] of this.#lexemes) {
      lexemes += `${quoteLexeme(lexeme)}:${places.slice(1)} `
    }
    this.#store({ ...row, part: this.#parts++, lexemes, positions: packPositions(entries) })
    this.#entries = new Map()
    this.#lexemes = new Map()
    this.#position = 1
    this.#words = 0
    this.#characters = 0
  }
}

/** Every position that a word of the body can have in a part. */
const BODY_PLACES = Array.from(
  { length: PART_WORDS + COLUMN_NAMES.length * (COLUMN_GAP + 1) + OVERLAP_WORDS },
  (_, at) => `,${at}B`,
)

function addPosition(entry: Entry, column: number, position: number): void {
  if (entry.column !== column) {
    if (entry.bytes.length > 0) entry.bytes.push(0)
    entry.bytes.push(column)
    entry.column = column
    entry.position = -1
  }
  pushVarint(entry.bytes, position - entry.position)
  entry.position = position
}

function sortByHash<T>(entries: ReadonlyMap<number, T>): [number, T][] {
  return [...entries].sort(([a], [b]) => a - b)
}

/** Gives `store` one part after the other; returns the tokens of the record, some of them twice. */
export function writeParts(
  columns: IndexedColumns,
  store: (part: WordsPart) => void,
): readonly string[] {
  const writer = new PartsWriter(store)
  for (const column of ORDER) {
    const text = columns[column]
    if (text !== null && text !== '') writer.addColumn(column, text)
  }
  writer.finish()
  return writer.terms
}

const SEPARATOR = /\s/g

/** Cuts where a token cannot be. */
function* splitText(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + PIECE_CHARACTERS
    if (to < text.length) {
      SEPARATOR.lastIndex = to
      to = SEPARATOR.exec(text)?.index ?? text.length
    }
    yield text.slice(from, to)
    from = to
  }
}

/** Tokens are letters and digits, which need no quotes; those outside ASCII get some, whatever the server thinks of them. */
export function quoteLexeme(lexeme: string): string {
  if (/^[a-z0-9/]+$/.test(lexeme)) return lexeme
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** f · (k1 + 1) / (f + norm), as text; few frequencies occur in one record. */
function createWeightPrinter(norm: number): (steps: number) => string {
  const printed = new Map<number, string>()
  return (steps) => {
    const known = printed.get(steps)
    if (known !== undefined) return known
    const frequency = steps / STEPS
    const text = ((frequency * (BM25_K1 + 1)) / (frequency + norm)).toPrecision(8)
    printed.set(steps, text)
    return text
  }
}

/** `entries` begins with a comma. */
export function printSparse(entries: string): string {
  return `{${entries.slice(1)}}/${DIMENSIONS}`
}

function pushVarint(bytes: number[], number: number): void {
  let rest = number
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  bytes.push(rest)
}

/** The number of tokens, their hashes in order, the length of what each of them has, and that. */
function packPositions(entries: readonly (readonly [number, Entry])[]): Buffer {
  const lengths: number[] = []
  let size = 0
  for (const [, { bytes }] of entries) {
    pushVarint(lengths, bytes.length)
    size += bytes.length
  }
  const packed = Buffer.allocUnsafe(4 + 4 * entries.length + lengths.length + size)
  let at = packed.writeUInt32LE(entries.length, 0)
  for (const [hash] of entries) at = packed.writeUInt32LE(hash, at)
  for (const byte of lengths) packed[at++] = byte
  for (const [, { bytes }] of entries) for (const byte of bytes) packed[at++] = byte
  return packed
}
