/** Porter's five steps over bytes, with the turns that SQLite takes and Porter does not. */

import {
  type Condition,
  endsShort,
  hasVowel,
  isVowel,
  measureIsOne,
  measureOverOne,
  measureOverZero,
} from './porter-measure.js'

const MIN_BYTES = 3
const MAX_BYTES = 64

const [E, I, L, S, T, Y, Z] = [0x65, 0x69, 0x6c, 0x73, 0x74, 0x79, 0x7a] as const

type Rule = { readonly suffix: Uint8Array; readonly output: Uint8Array; readonly when: Condition }
/** Rules by the last byte but one of their suffix; the first suffix that fits decides alone. */
type Step = ReadonlyMap<number, readonly Rule[]>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const STEP_1B = makeStep([...rules('eed:ee', measureOverZero), ...rules('ed: ing:', hasVowel)])
const STEP_1B_MEND = makeStep(rules('at:ate bl:ble iz:ize', () => true))
const STEP_2 = makeStep(
  rules(
    'ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent ' +
      'eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ' +
      'ousness:ous aliti:al iviti:ive biliti:ble',
    measureOverZero,
  ),
)
const STEP_3 = makeStep(
  rules('ical:ic ness: icate:ic iciti:ic ful: ative: alize:al', measureOverZero),
)
const STEP_4 = makeStep([
  ...rules('al: ance: ence: er: ic: able: ible: ant: ement: ment: ent:', measureOverOne),
  ...rules('ion:', (bytes, length) => {
    const last = bytes[length - 1]
    return (last === S || last === T) && measureOverOne(bytes, length)
  }),
  ...rules('ou: ism: ate: iti: ous: ive: ize:', measureOverOne),
])

// One buffer for all calls: stemming is synchronous, and a step adds one letter at most.
const bytes = new Uint8Array(MAX_BYTES + 8)

/** The stem of a word that is already in lower case and without accents. */
export function stemByPorter(word: string): string {
  const length = fillBytes(word)
  if (length < MIN_BYTES || length > MAX_BYTES) return word
  const end = runSteps(length)
  // Two equal bytes of one letter can be halved ("aもed"); FTS5 keeps the broken rest, we show U+FFFD.
  return word.length === length
    ? String.fromCharCode(...bytes.subarray(0, end))
    : decoder.decode(bytes.subarray(0, end))
}

/** Returns the number of bytes, or more than MAX_BYTES when the word does not fit. */
function fillBytes(word: string): number {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (code >= 0x80 || i >= MAX_BYTES) {
      const whole = encoder.encode(word)
      if (whole.length <= MAX_BYTES) bytes.set(whole)
      return whole.length
    }
    bytes[i] = code
  }
  return word.length
}

function runSteps(length: number): number {
  let end = dropPlural(length)
  const cut = findRule(STEP_1B, end)
  if (cut !== null) {
    end = applyRule(cut, end)
    if (cut.output.length === 0) end = mendEnd(end)
  }
  if (bytes[end - 1] === Y && hasVowel(bytes, end - 1)) bytes[end - 1] = I
  for (const step of [STEP_2, STEP_3, STEP_4]) {
    const rule = findRule(step, end)
    if (rule !== null) end = applyRule(rule, end)
  }
  return dropFinal(end)
}

/** Step 1a: sses → ss, ies → i, s → nothing. "ies" and "sses" alone are too short for that. */
function dropPlural(end: number): number {
  if (bytes[end - 1] !== S || bytes[end - 2] === S) return end
  if (bytes[end - 2] !== E) return end - 1
  const isSses = end > 4 && bytes[end - 4] === S && bytes[end - 3] === S
  const isIes = end > 3 && bytes[end - 3] === I
  return isSses || isIes ? end - 2 : end - 1
}

/** Step 1b, after "ed" or "ing" is gone: conflat → conflate, hopp → hop, fil → file. */
function mendEnd(end: number): number {
  const mend = findRule(STEP_1B_MEND, end)
  if (mend !== null) return applyRule(mend, end)
  const last = bytes[end - 1]
  if (!isVowel(last) && last !== L && last !== S && last !== Z && last === bytes[end - 2]) {
    return end - 1
  }
  if (!measureIsOne(bytes, end) || !endsShort(bytes, end)) return end
  bytes[end] = E
  return end + 1
}

/** Step 5: probate → probat, controll → control. */
function dropFinal(length: number): number {
  let end = length
  if (bytes[end - 1] === E) {
    const isShort = measureIsOne(bytes, end - 1) && !endsShort(bytes, end - 1)
    if (isShort || measureOverOne(bytes, end - 1)) end--
  }
  const isDouble = end > 1 && bytes[end - 1] === L && bytes[end - 2] === L
  return isDouble && measureOverOne(bytes, end - 1) ? end - 1 : end
}

function findRule(step: Step, end: number): Rule | null {
  for (const rule of step.get(bytes[end - 2] ?? 0) ?? []) {
    const left = end - rule.suffix.length
    // A suffix must leave something, also where the condition would not ask for it.
    if (left > 0 && endsWith(rule.suffix, left)) return rule.when(bytes, left) ? rule : null
  }
  return null
}

function endsWith(suffix: Uint8Array, at: number): boolean {
  for (let i = suffix.length - 1; i >= 0; i--) {
    if (bytes[at + i] !== suffix[i]) return false
  }
  return true
}

function applyRule(rule: Rule, end: number): number {
  const left = end - rule.suffix.length
  bytes.set(rule.output, left)
  return left + rule.output.length
}

function rules(pairs: string, when: Condition): Rule[] {
  return pairs.split(' ').map((pair) => {
    const [suffix = '', output = ''] = pair.split(':')
    return { suffix: encoder.encode(suffix), output: encoder.encode(output), when }
  })
}

function makeStep(all: readonly Rule[]): Step {
  const step = new Map<number, Rule[]>()
  for (const rule of all) {
    const key = rule.suffix[rule.suffix.length - 2] ?? 0
    step.set(key, [...(step.get(key) ?? []), rule])
  }
  return step
}
