/** Lists the differences of two nearly equal texts in numbers and negations. */

/** Only the first words are compared: the table below grows with the product of both lengths. */
const MAX_WORDS = 600

/**
 * The changes from one text to the other that involve a number or a negation, as `5432 → 6543`.
 * @example
 * differences('The port is 5432.', 'The port is 6543.') // ['5432 → 6543']
 */
export function differences(before: string, after: string): string[] {
  const found: string[] = []
  for (const { from, to } of findChangedRuns(splitWords(before), splitWords(after))) {
    if (![...from, ...to].some((word) => isNumberOrNegation(word))) continue
    found.push(`${from.join(' ') || '(nothing)'} → ${to.join(' ') || '(nothing)'}`)
  }
  return found
}

/**
 * The share of common words (Dice coefficient), 0..1: twice the common words divided by all words of both texts.
 * By hand: "port is 5432" and "port is 6543" → 2 · 2 / 6 = 0.667.
 */
export function sharedWords(a: string, b: string): number {
  const left = splitWords(a).map((word) => word.toLowerCase())
  const right = splitWords(b).map((word) => word.toLowerCase())
  const counts = new Map<string, number>()
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1)
  let common = 0
  for (const word of right) {
    const unmatched = counts.get(word) ?? 0
    if (unmatched > 0) common += 1
    counts.set(word, unmatched - 1)
  }
  const all = left.length + right.length
  return all === 0 ? 0 : (2 * common) / all
}

function isNumberOrNegation(word: string): boolean {
  return /\p{N}|^(?:no|not|never|none|without|cannot|nor|neither)$|n['’]t$/iu.test(word)
}

type Run = { readonly from: string[]; readonly to: string[] }

function* findChangedRuns(a: readonly string[], b: readonly string[]): Generator<Run> {
  const common = measureCommon(a, b)
  const commonAt = (i: number, j: number): number => common[i]?.[j] ?? 0
  let run: Run = { from: [], to: [] }
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && isSame(a[i], b[j])) {
      if (run.from.length + run.to.length > 0) yield run
      run = { from: [], to: [] }
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && commonAt(i + 1, j) >= commonAt(i, j + 1))) {
      run.from.push(a[i++] ?? '')
    } else {
      run.to.push(b[j++] ?? '')
    }
  }
  if (run.from.length + run.to.length > 0) yield run
}

/** The length of the longest common subsequence of `a.slice(i)` and `b.slice(j)`, for each i and j. */
function measureCommon(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    const row = table[i] as Uint16Array
    const below = table[i + 1] as Uint16Array
    for (let j = b.length - 1; j >= 0; j--) {
      const longest = Math.max(below[j] ?? 0, row[j + 1] ?? 0)
      row[j] = isSame(a[i], b[j]) ? (below[j + 1] ?? 0) + 1 : longest
    }
  }
  return table
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  return a?.toLowerCase() === b?.toLowerCase()
}

function splitWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[.,:'’-][\p{L}\p{N}]+)*/gu) ?? []).slice(0, MAX_WORDS)
}
