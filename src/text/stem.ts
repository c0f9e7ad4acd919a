/** A word and a prefix of a word get the stems under which FTS5 keeps them. */

import { stemByPorter } from './porter.js'

/** Enough for the vocabulary of a page of results; emptied when full, so memory stays bounded. */
const MEMO_WORDS = 20_000
/** Longer words are rare, and past 64 bytes not stemmed at all: not worth the memory. */
const MEMO_LENGTH = 32
const MEMO_PREFIXES = 500
/** A stem of two letters would find everything. */
const MIN_STEM_LENGTH = 3

/** What Porter removes, alone and in the chains that real words have. */
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

const memo = new Map<string, string>()
const prefixMemo = new Map<string, readonly Completion[]>()

/**
 * What FTS5's porter tokenizer does to a word that is already folded (see `foldWord`).
 * @example
 * stem('organizations') // 'organ'
 */
export function stem(word: string): string {
  // Every rule looks at the last byte first, so a word ending outside ASCII never changes.
  if (word.charCodeAt(word.length - 1) >= 0x80) return word
  const known = memo.get(word)
  if (known !== undefined) return known
  const stemmed = stemByPorter(word)
  if (memo.size >= MEMO_WORDS) memo.clear()
  if (word.length <= MEMO_LENGTH) memo.set(word, stemmed)
  return stemmed
}

/** A stem, and a made-up word that has it: FTS5 stems what it is asked for, so ask for the word. */
export type Completion = { readonly stem: string; readonly word: string }

/**
 * Stems that words beginning with `prefix` may have, and that `stem(prefix)*` does not reach:
 * FTS5 compares the stemmed prefix with stemmed words, so `authentica*` alone misses
 * "authentication", which is kept as "authent". They are whole terms, not prefixes.
 * @example
 * prefixStems('universi') // ['univers']
 */
export function prefixStems(prefix: string): readonly string[] {
  return prefixCompletions(prefix).map((completion) => completion.stem)
}

/**
 * As `prefixStems`, each with a word to ask FTS5 for. "deployment" is kept as "deploy", but asking
 * for "deploy" looks up "deploi": only a word with the same ending finds it.
 * @example
 * prefixCompletions('universi') // [{ stem: 'univers', word: 'universies' }]
 */
export function prefixCompletions(prefix: string): readonly Completion[] {
  const known = prefixMemo.get(prefix)
  if (known !== undefined) return known
  const completions = findCompletions(prefix)
  if (prefixMemo.size >= MEMO_PREFIXES) prefixMemo.clear()
  prefixMemo.set(prefix, completions)
  return completions
}

function findCompletions(prefix: string): readonly Completion[] {
  const reached = stem(prefix)
  const found = new Map<string, string>()
  for (const suffix of SUFFIXES) {
    for (let split = 0; split < suffix.length; split++) {
      if (!prefix.endsWith(suffix.slice(0, split))) continue
      const root = prefix.slice(0, prefix.length - split)
      const word = prefix + suffix.slice(split)
      // Guesses, so not through `stem`: they would push real words out of its memory.
      const candidate = stemByPorter(word)
      if (candidate.startsWith(reached) || found.has(candidate)) continue
      if (isStemOf(candidate, root, prefix)) found.set(candidate, word)
    }
  }
  return [...found].sort().map(([each, word]) => ({ stem: each, word }))
}

/** Whether a stem came out of the typed letters, and not out of the ones that were guessed. */
function isStemOf(candidate: string, root: string, prefix: string): boolean {
  if (candidate.length < MIN_STEM_LENGTH || candidate.length > prefix.length) return false
  // hopi → hope, possibili → possibl: Porter may have changed the end of what was typed.
  return prefix.startsWith(candidate.replace(/[ei]$/, '')) || candidate.startsWith(root)
}
