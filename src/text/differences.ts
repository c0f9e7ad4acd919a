/** Where two nearly equal texts differ in a number or a negation, the difference is told. */

const WORD = /[\p{L}\p{N}]+(?:[.,:'’-][\p{L}\p{N}]+)*/gu
const TELLING = /\p{N}|^(?:no|not|never|none|without|cannot|nor|neither)$|n['’]t$/iu
/** Longer texts are compared by their beginnings: the table below grows with the product of both. */
const MOST_WORDS = 600

/**
 * What changed from one text to the other, as `5432 → 6543`; only where a number or a negation is involved.
 * @example
 * differences('The port is 5432.', 'The port is 6543.') // ['5432 → 6543']
 */
export function differences(before: string, after: string): string[] {
  const a = wordsOf(before)
  const b = wordsOf(after)
  const found: string[] = []
  for (const { from, to } of changedRuns(a, b)) {
    if (![...from, ...to].some((word) => TELLING.test(word))) continue
    found.push(`${from.join(' ') || '(nothing)'} → ${to.join(' ') || '(nothing)'}`)
  }
  return found
}

/**
 * The share of words that two texts have in common, 0..1: twice the common ones over all of both.
 * By hand: "port is 5432" and "port is 6543" → 2 · 2 / 6 = 0.667.
 */
export function sharedWords(a: string, b: string): number {
  const left = wordsOf(a)
  const right = wordsOf(b)
  const counts = new Map<string, number>()
  for (const word of left) counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1)
  let common = 0
  for (const word of right) {
    const unmatched = counts.get(word.toLowerCase()) ?? 0
    if (unmatched > 0) common += 1
    counts.set(word.toLowerCase(), unmatched - 1)
  }
  const all = left.length + right.length
  return all === 0 ? 0 : (2 * common) / all
}

type Run = { readonly from: string[]; readonly to: string[] }

/** Stretches between the words that both have in common, in order. */
function* changedRuns(a: readonly string[], b: readonly string[]): Generator<Run> {
  const common = commonTable(a, b)
  let run: Run = { from: [], to: [] }
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && isSame(a[i], b[j])) {
      if (run.from.length + run.to.length > 0) yield run
      run = { from: [], to: [] }
      i += 1
      j += 1
    } else if (
      j >= b.length ||
      (i < a.length && lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))
    ) {
      run.from.push(a[i++] ?? '')
    } else {
      run.to.push(b[j++] ?? '')
    }
  }
  if (run.from.length + run.to.length > 0) yield run
}

/** Lengths of the longest common subsequence of what remains from each pair of places. */
function commonTable(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    const row = table[i] as Uint16Array
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = isSame(a[i], b[j])
        ? lengthAt(table, i + 1, j + 1) + 1
        : Math.max(lengthAt(table, i + 1, j), lengthAt(table, i, j + 1))
    }
  }
  return table
}

function lengthAt(table: readonly Uint16Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  return a?.toLowerCase() === b?.toLowerCase()
}

function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).slice(0, MOST_WORDS)
}
