/**
 * Turns the columns of a record into what the tables of words hold: lexemes, weights and positions, in parts that a tsvector
 * can hold. A lexeme is a token, or `/t/token` for a token of one column; no token contains a slash.
 */

import { Buffer } from 'node:buffer'
import { stem } from '../../text/stem.js'
import { foldWord, tokenize } from '../../text/tokens.js'
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

/** How often a token is in the whole record, in steps: in its own columns, and in those of its neighbours. */
type Frequency = { own: number; nearby: number }
/** Where a token stands in one part: a byte for the column, then distances + 1; zero announces another column. */
type Posting = { column: number; position: number; readonly bytes: number[] }

class PartsWriter {
  /** The tokens of the record. */
  readonly terms = new Set<string>()
  readonly #frequencies = new Map<number, Frequency>()
  #lexemes = new Map<string, string[]>()
  #postings = new Map<number, Posting>()
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
      for (const { start, end } of tokenize(piece)) {
        if (this.#isFull()) this.#beginPart(column)
        this.#add(readToken(piece.slice(start, end)), column, index, this.#length - before)
      }
    }
    if (this.#length > before) this.#position += COLUMN_GAP
    if (TEXT_COLUMNS.includes(index)) this.#textWords += this.#length - before
  }

  finish(): void {
    const norm = normOf(this.#length)
    const sorted = [...this.#frequencies].sort(([a], [b]) => a - b)
    const print = createWeightPrinter(norm)
    const hasNearby = sorted.some(([, { nearby }]) => nearby > 0)
    const isWhole = this.#parts === 0
    for (let from = 0; from === 0 || from < sorted.length; from += MAX_WEIGHTS) {
      const some = sorted.slice(from, from + MAX_WEIGHTS)
      const own = some.filter(([, frequency]) => frequency.own > 0)
      this.#write({
        isWhole,
        length: this.#length,
        textWords: this.#textWords,
        weights: printSparse(own.map(([hash, { own: steps }]) => `${hash}:${print(steps)}`)),
        nearbyWeights: hasNearby
          ? printSparse(some.map(([hash, one]) => `${hash}:${print(one.own + one.nearby)}`))
          : null,
      })
    }
  }

  #isFull(): boolean {
    return this.#words >= PART_WORDS || this.#characters > MAX_PART_CHARACTERS
  }

  #add(token: Token, column: Column, index: number, position: number): void {
    const { term, hash } = token
    this.#index(token, column)
    this.terms.add(term)
    this.#length++
    const steps = STEPS_OF[index] as number
    const [own, nearby] = column === 'context' ? [0, steps] : [steps, 0]
    const frequency = this.#frequencies.get(hash)
    if (frequency === undefined) this.#frequencies.set(hash, { own, nearby })
    else {
      frequency.own += own
      frequency.nearby += nearby
    }
    let posting = this.#postings.get(hash)
    if (posting === undefined) {
      posting = { column: index, position: -1, bytes: [index] }
      this.#postings.set(hash, posting)
    } else if (posting.column !== index) {
      posting.bytes.push(0, index)
      posting.column = index
      posting.position = -1
    }
    pushVarint(posting.bytes, position - posting.position)
    posting.position = position
    if (this.#recent.length >= 2 * OVERLAP_WORDS) this.#recent = this.#recent.slice(-OVERLAP_WORDS)
    this.#recent.push(token)
  }

  /** Adds its lexemes to the part. */
  #index({ term }: Token, column: Column): void {
    const at = this.#position++
    this.#words++
    if (column !== 'context') this.#addLexeme(term, column === 'body' ? `${at}B` : `${at}`)
    if (column !== 'body') this.#addLexeme(LEXEME_MARKS[column] + term, `${at}`)
  }

  #addLexeme(lexeme: string, position: string): void {
    const positions = this.#lexemes.get(lexeme)
    if (positions === undefined) {
      this.#lexemes.set(lexeme, [position])
      this.#characters += lexeme.length
      return
    }
    positions.push(position)
    // The next token begins another part.
    if (positions.length >= MAX_POSITIONS) this.#words = PART_WORDS
  }

  #beginPart(column: Column): void {
    const recent = this.#recent.slice(-OVERLAP_WORDS)
    this.#write({
      isWhole: false,
      length: null,
      textWords: null,
      weights: null,
      nearbyWeights: null,
    })
    for (const token of recent) this.#index(token, column)
  }

  #write(row: Omit<WordsPart, 'part' | 'lexemes' | 'positions'>): void {
    let lexemes = ''
    for (const [lexeme, positions] of this.#lexemes) {
      lexemes += `${quoteLexeme(lexeme)}:${positions.join()} `
    }
    this.#store({ ...row, part: this.#parts++, lexemes, positions: packPostings(this.#postings) })
    this.#lexemes = new Map()
    this.#postings = new Map()
    this.#position = 1
    this.#words = 0
    this.#characters = 0
  }
}

/** Gives `store` one part after the other; returns the tokens of the record. */
export function writeParts(
  columns: IndexedColumns,
  store: (part: WordsPart) => void,
): ReadonlySet<string> {
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
    const text = ((frequency * (BM25_K1 + 1)) / (frequency + norm)).toPrecision(9)
    printed.set(steps, text)
    return text
  }
}

export function printSparse(entries: readonly string[]): string {
  return `{${entries.join()}}/${DIMENSIONS}`
}

function pushVarint(bytes: number[], number: number): void {
  let rest = number
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  bytes.push(rest)
}

/** The number of tokens, their hashes in order, the length of each posting, and the postings. */
function packPostings(postings: ReadonlyMap<number, Posting>): Buffer {
  const sorted = [...postings].sort(([a], [b]) => a - b)
  const lengths: number[] = []
  let size = 0
  for (const [, { bytes }] of sorted) {
    pushVarint(lengths, bytes.length)
    size += bytes.length
  }
  const packed = Buffer.allocUnsafe(4 + 4 * sorted.length + lengths.length + size)
  packed.writeUInt32LE(sorted.length, 0)
  let at = 4
  for (const [hash] of sorted) at = packed.writeUInt32LE(hash, at)
  for (const byte of lengths) packed[at++] = byte
  for (const [, { bytes }] of sorted) for (const byte of bytes) packed[at++] = byte
  return packed
}
