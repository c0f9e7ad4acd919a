/** BM25 with a constant reference length: the constants and formulas of every backend. */

/** Saturation of term frequency, and normalisation by length. */
export const BM25_K1 = 0.9
export const BM25_B = 0.6
/**
 * The length of a text that is neither short nor long. FTS5 uses the average of the collection instead: among thousands of
 * titles every long text sinks, and a score depends on the other records.
 */
export const REFERENCE_WORDS = 100

/** The weight of each column; `context` is the text of the neighbours of a turn. */
export const COLUMN_WEIGHTS = {
  title: 1.25,
  body: 1,
  tags: 1,
  people: 1,
  context: 0.5,
  venue: 0.65,
  key: 0.65,
  doi: 0.65,
  year: 0.65,
} as const

/** A text with more than `LONG_TEXT_WORDS` is also scored by its best passage of `PASSAGE_WORDS`. */
export const LONG_TEXT_WORDS = 300
export const PASSAGE_WORDS = 200

/** Every column weight is a multiple of this. */
const WEIGHT_STEP = 1 / 20

/** Frequencies are sums of column weights. Rounding makes them independent of the order of the sum. */
export function roundFrequency(frequency: number): number {
  return Math.round(frequency / WEIGHT_STEP) * WEIGHT_STEP
}

export type Column = keyof typeof COLUMN_WEIGHTS
export const COLUMN_NAMES = Object.keys(COLUMN_WEIGHTS) as readonly Column[]
/** The columns of the record itself; only bare words match in the text of its neighbours. */
export const OWN_COLUMNS = COLUMN_NAMES.filter((column) => column !== 'context')
export const BODY_COLUMN = COLUMN_NAMES.indexOf('body')

/** The columns that make up the length of a text: tags and names do not. */
export const TEXT_COLUMNS = COLUMN_NAMES.flatMap((name, column) =>
  ['title', 'body', 'context'].includes(name) ? [column] : [],
)

/**
 * ln((N + 2) / (n + 1)), above zero for every word: in a file of twenty notes, a name that half of them have still counts.
 * By hand, 10 of 1000 records: ln(1002 / 11) = 4.512.
 */
export function idfOf(records: number, matching: number): number {
  return Math.log((records + 2) / (matching + 1))
}

/** k1 · (1 − b + b · length / reference); by hand, twice the reference: 0.9 · (0.4 + 0.6 · 2) = 1.44. */
export function normOf(words: number): number {
  return BM25_K1 * (1 - BM25_B + (BM25_B * words) / REFERENCE_WORDS)
}

/** idf · f · (k1 + 1) / (f + norm); by hand, idf 2, twice, norm 0.9: 2 · 2 · 1.9 / 2.9 = 2.621. */
export function pointsOf(idf: number, frequency: number, norm: number): number {
  return idf * ((frequency * (BM25_K1 + 1)) / (frequency + norm))
}

export function addUp(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
