/** Stems words and prefixes of words exactly as FTS5's porter tokenizer does. */

/** Enough for the vocabulary of a page of results. The memo is cleared when full, so memory stays bounded. */
const MEMO_WORDS = 20_000
/** Longer words are rare and not worth the memory. */
const MEMO_LENGTH = 32
const memo = new Map<string, string>()

/**
 * The stem of a word that is already folded (see `foldWord`).
 * @example
 * stem('organizations') // 'organ'
 */
export function stem(word: string): string {
  // Every rule depends on the last byte, so a word that ends outside ASCII never changes.
  if (word.charCodeAt(word.length - 1) >= 0x80) return word
  const known = memo.get(word)
  if (known !== undefined) return known
  const stemmed = stemByPorter(word)
  if (memo.size >= MEMO_WORDS) memo.clear()
  if (word.length <= MEMO_LENGTH) memo.set(word, stemmed)
  return stemmed
}

const MIN_BYTES = 3
const MAX_BYTES = 64
const NOT_ASCII = /[\u0080-\uffff]/
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** SQLite stems UTF-8 bytes, so each byte becomes one character of a string. */
function stemByPorter(word: string): string {
  if (word.length > MAX_BYTES) return word
  if (!NOT_ASCII.test(word)) return word.length < MIN_BYTES ? word : runSteps(word)
  const encoded = encoder.encode(word)
  if (encoded.length < MIN_BYTES || encoded.length > MAX_BYTES) return word
  const stemmed = runSteps(String.fromCharCode(...encoded))
  // A rule may drop one of two equal bytes of a letter ("aもed"). FTS5 keeps the broken rest; here it is U+FFFD.
  return decoder.decode(Uint8Array.from(stemmed, (byte) => byte.charCodeAt(0)))
}

type Condition = (rest: string) => boolean
type Rule = { readonly suffix: string; readonly output: string; readonly when: Condition }
/** Rules by the second-to-last letter of their suffix. */
type Step = ReadonlyMap<string, readonly Rule[]>

const OVER_ZERO: Condition = (rest) => measure(rest) > 0
const OVER_ONE: Condition = (rest) => measure(rest) > 1

const STEP_1B = makeStep([...rules('eed:ee', OVER_ZERO), ...rules('ed: ing:', hasVowel)])
const STEP_1B_MEND = makeStep(rules('at:ate bl:ble iz:ize', () => true))
const STEP_2 = makeStep(
  rules(
    'ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent ' +
      'eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ' +
      'ousness:ous aliti:al iviti:ive biliti:ble',
    OVER_ZERO,
  ),
)
const STEP_3 = makeStep(rules('ical:ic ness: icate:ic iciti:ic ful: ative: alize:al', OVER_ZERO))
const STEP_4 = makeStep([
  ...rules('al: ance: ence: er: ic: able: ible: ant: ement: ment: ent:', OVER_ONE),
  ...rules('ion:', (rest) => /[st]$/.test(rest) && measure(rest) > 1),
  ...rules('ou: ism: ate: iti: ous: ive: ize:', OVER_ONE),
])

function rules(pairs: string, when: Condition): Rule[] {
  return pairs.split(' ').map((pair) => {
    const [suffix = '', output = ''] = pair.split(':')
    return { suffix, output, when }
  })
}

function makeStep(all: readonly Rule[]): Step {
  const step = new Map<string, Rule[]>()
  for (const rule of all) {
    const key = rule.suffix.at(-2) ?? ''
    step.set(key, [...(step.get(key) ?? []), rule])
  }
  return step
}

function runSteps(word: string): string {
  let end = dropPlural(word)
  const cut = findRule(STEP_1B, end)
  if (cut !== null) {
    end = applyRule(cut, end)
    if (cut.output === '') end = mendEnd(end)
  }
  if (end.endsWith('y') && hasVowel(end.slice(0, -1))) end = `${end.slice(0, -1)}i`
  for (const step of [STEP_2, STEP_3, STEP_4]) {
    const rule = findRule(step, end)
    if (rule !== null) end = applyRule(rule, end)
  }
  return dropFinal(end)
}

/** Only the first matching suffix is tried. It must be shorter than the word. */
function findRule(step: Step, word: string): Rule | null {
  const rule = step
    .get(word.at(-2) ?? '')
    ?.find(({ suffix }) => word.length > suffix.length && word.endsWith(suffix))
  return rule?.when(word.slice(0, -rule.suffix.length)) ? rule : null
}

function applyRule({ suffix, output }: Rule, word: string): string {
  return word.slice(0, -suffix.length) + output
}

/** Step 1a: sses → ss, ies → i, s → nothing. The words "ies" and "sses" are too short. */
function dropPlural(word: string): string {
  if (!/[^s]s$/.test(word)) return word
  return /.(?:sses|ies)$/s.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

/** Step 1b, after "ed" or "ing" was removed: conflat → conflate, hopp → hop, fil → file. */
function mendEnd(word: string): string {
  const mend = findRule(STEP_1B_MEND, word)
  if (mend !== null) return applyRule(mend, word)
  if (/([^aeioulsz])\1$/s.test(word)) return word.slice(0, -1)
  return measure(word) === 1 && endsShort(word) ? `${word}e` : word
}

/** Step 5: probate → probat, controll → control. */
function dropFinal(word: string): string {
  let end = word
  if (end.endsWith('e')) {
    const rest = end.slice(0, -1)
    const size = measure(rest)
    if (size > 1 || (size === 1 && !endsShort(rest))) end = rest
  }
  return end.endsWith('ll') && measure(end.slice(0, -1)) > 1 ? end.slice(0, -1) : end
}

/** A y after a consonant is a vowel. Bytes of "é" or "中" are consonants. */
function isVowel(byte: string | undefined, isAfterConsonant: boolean): boolean {
  if (byte === 'y') return isAfterConsonant
  return byte === 'a' || byte === 'e' || byte === 'i' || byte === 'o' || byte === 'u'
}

/** Porter's m: how often a consonant follows a vowel. */
function measure(word: string): number {
  let count = 0
  let wasVowel: boolean | null = null
  for (let i = 0; i < word.length; i++) {
    const isNow = isVowel(word[i], wasVowel === false)
    if (wasVowel && !isNow) count++
    wasVowel = isNow
  }
  return count
}

/** *v*: unlike in the measure, every "y" except a first letter is a vowel. */
function hasVowel(word: string): boolean {
  return /[aeiou]|(?<=.)y/s.test(word)
}

/** *o: ends with consonant, vowel, consonant, and the last is not w, x or y. */
function endsShort(word: string): boolean {
  let shape = ''
  for (const byte of word) shape += isVowel(byte, shape.endsWith('c')) ? 'v' : 'c'
  return shape.endsWith('cvc') && !/[wxy]$/.test(word)
}

/** Suffixes that Porter removes, alone and combined as in real words. */
const SUFFIXES = (
  's es ies ed ied ing ings e y er ers al ally als ance ances ence ences ency ancy ic ics ical ' +
  'ically icity icities icate icates icated icating ication ications able ably ability abilities ' +
  'ible ibly ibility ibilities ant ants antly ent ents ently ement ements ment ments mental ion ' +
  'ions ional ionally ism isms ist ate ates ated ating ation ations ational ationally ator ators ' +
  'ative atively ativity ity ities ous ously ousness ive ives ively iveness ivity ivities ize izes ' +
  'ized izing izer izers ization izations izational alize alizes alized alizing alization alism ' +
  'alist ality alities ful fully fulness ness nesses less ly ely eed eeds tional tionally logy ' +
  'logies logical'
).split(' ')

/** Computing one takes half a millisecond, as long as a fast search. */
const MEMO_PREFIXES = 500
const prefixMemo = new Map<string, readonly Completion[]>()
/** Shorter stems would match too many words. */
const MIN_STEM_LENGTH = 3

/** A stem, and an artificial word with that stem: FTS5 stems every query, so the query needs the word. */
export type Completion = { readonly stem: string; readonly word: string }

/**
 * Finds stems of words beginning with `prefix` that `stem(prefix)*` does not match. FTS5 compares the stemmed prefix with
 * stemmed words, so `authentica*` alone misses "authentication", which is stored as "authent". Each stem comes with a
 * word for the query: "deployment" is stored as "deploy", but the query "deploy" is stemmed to "deploi", and only a word
 * with the same suffix finds it.
 * @example
 * completePrefix('universi') // [{ stem: 'univers', word: 'universies' }]
 */
export function completePrefix(prefix: string): readonly Completion[] {
  const known = prefixMemo.get(prefix)
  if (known !== undefined) return known
  const reached = stem(prefix)
  const found = new Map<string, string>()
  for (const suffix of SUFFIXES) {
    for (let split = 0; split < suffix.length; split++) {
      if (!prefix.endsWith(suffix.slice(0, split))) continue
      const root = prefix.slice(0, prefix.length - split)
      const word = prefix + suffix.slice(split)
      // Not `stem`: these guesses would push real words out of its memo.
      const candidate = stemByPorter(word)
      if (candidate.startsWith(reached) || found.has(candidate)) continue
      if (isStemOf(candidate, root, prefix)) found.set(candidate, word)
    }
  }
  const completions = [...found].sort().map(([each, word]) => ({ stem: each, word }))
  if (prefixMemo.size >= MEMO_PREFIXES) prefixMemo.clear()
  prefixMemo.set(prefix, completions)
  return completions
}

/** Whether a stem comes from the typed letters, not from the guessed suffix. */
function isStemOf(candidate: string, root: string, prefix: string): boolean {
  if (candidate.length < MIN_STEM_LENGTH || candidate.length > prefix.length) return false
  // Porter may change the end of the prefix: hopi → hope, possibili → possibl.
  return prefix.startsWith(candidate.replace(/[ei]$/, '')) || candidate.startsWith(root)
}
