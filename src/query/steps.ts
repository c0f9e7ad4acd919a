/** How far a query may be relaxed is decided here, and what the user spelled out is never relaxed. */

import { isStopWord } from './stopwords.js'
import { join, type Node, type Query, type Word } from './tree.js'

export const MATCHES = ['auto', 'all', 'any'] as const
export type Match = (typeof MATCHES)[number]

/** How a hit was reached: as asked, by any of the words, or by words that begin like one of them. */
export type Relaxation = null | 'any' | 'prefix'

/** One attempt at the query. Each step matches everything that the step before it matches. */
export type Step = { readonly relaxed: Relaxation; readonly root: Node }

/** Beginnings shorter than this say too little: `go*` is half of a dictionary. */
export const SHORTEST_BEGINNING = 3

/** How the storage splits a compound word (`foo-bar`, a run of Chinese) into words that may be searched alone. */
export type SplitWord = (word: string) => readonly string[]

export type ReadQuery = {
  /** What is asked for, without the words that carry no content. Null where only negations are left. */
  readonly wanted: Node | null
  /** What must not be there. */
  readonly unwanted: Node | null
  readonly steps: readonly Step[]
  /** True where every word has to be there. */
  readonly demandsAll: boolean
  /** The bare words that are searched, without those that carry no content. */
  readonly words: readonly string[]
  /** The tree as it was read, for `readAs`. */
  readonly root: Node | null
}

/**
 * Turns a query into the attempts that `match` allows: bare words written side by side are first all required,
 * then any of them, then any word that begins like one of them. Phrases, fields, tags, NEAR, AND, OR, NOT and
 * parentheses stay as they were written in every attempt.
 */
export function readQuery(query: Query, match: Match, splitWord: SplitWord): ReadQuery {
  const { loose, required, unwanted } = sortParts(query.root)
  const words = match === 'all' ? loose : withoutStopWords(loose, required.length > 0)
  const wanted = join('together', [...required, ...words])
  const not = join('or', unwanted)
  const root = join('together', [
    ...required,
    ...words,
    ...unwanted.map((part): Node => ({ kind: 'not', part })),
  ])
  const steps = wanted === null ? [] : listSteps({ words, required, match, splitWord })
  return {
    wanted,
    unwanted: not,
    root,
    words: words.map(({ text }) => text),
    demandsAll: match === 'all' && wanted !== null,
    steps: steps.map((step) => ({ relaxed: step.relaxed, root: without(step.root, not) })),
  }
}

type Parts = { loose: Word[]; required: Node[]; unwanted: Node[] }

/** Splits the outermost parts into bare words, what is spelled out, and what is refused. */
function sortParts(root: Node | null): Parts {
  const parts: Parts = { loose: [], required: [], unwanted: [] }
  const outermost = root === null ? [] : root.kind === 'together' ? root.parts : [root]
  for (const part of outermost) {
    if (part.kind === 'word') parts.loose.push(part)
    else if (part.kind === 'not') parts.unwanted.push(part.part)
    else parts.required.push(part)
  }
  const seen = new Set<string>()
  parts.loose = parts.loose.filter(({ text }) => {
    const key = text.toLowerCase()
    return !seen.has(key) && seen.add(key)
  })
  return parts
}

/** A query of stop words alone is searched by all of them. */
function withoutStopWords(words: readonly Word[], hasOtherParts: boolean): readonly Word[] {
  const content = words.filter((word) => !isStopWord(word.text))
  return content.length > 0 || hasOtherParts ? content : words
}

type StepInput = {
  readonly words: readonly Word[]
  readonly required: readonly Node[]
  readonly match: Match
  readonly splitWord: SplitWord
}

function listSteps({ words, required, match, splitWord }: StepInput): Step[] {
  const all = join('and', [...required, ...words])
  if (all === null) return []
  if (words.length === 0 || match === 'all') return [{ relaxed: null, root: all }]

  const alternatives = words.flatMap((word) => alternativesOf(word, splitWord))
  const any = withAny(required, alternatives)
  if (match === 'any') return [{ relaxed: null, root: any }]

  const beginnings = words.flatMap(beginningOf)
  const steps: Step[] = [{ relaxed: null, root: all }]
  if (alternatives.length > 1 || required.length > 0) steps.push({ relaxed: 'any', root: any })
  if (beginnings.length > 0) {
    steps.push({ relaxed: 'prefix', root: withAny(required, [...alternatives, ...beginnings]) })
  }
  return steps
}

/** A compound word may also be found by its pieces. */
function alternativesOf(word: Word, splitWord: SplitWord): Node[] {
  const pieces = splitWord(word.text).filter((piece) => !isStopWord(piece))
  return [word.text, ...pieces].map((text): Node => ({ kind: 'word', text, nearby: true }))
}

function beginningOf(word: Word): Node[] {
  const isPlain = /^[\p{L}\p{N}]+$/u.test(word.text)
  return isPlain && word.text.length >= SHORTEST_BEGINNING && !isStopWord(word.text)
    ? [{ kind: 'prefix', text: word.text, nearby: true }]
    : []
}

/**
 * What is required must be there; the alternatives then only order the hits, so that a word which occurs nowhere
 * does not empty the answer.
 */
function withAny(required: readonly Node[], alternatives: readonly Node[]): Node {
  const must = join('and', required)
  const any = join('or', must === null ? alternatives : [...alternatives, must])
  const both = join('and', [...required, ...(any === null ? [] : [any])])
  if (both === null) throw new Error('a step without a part was asked for')
  return both
}

function without(root: Node, unwanted: Node | null): Node {
  if (unwanted === null) return root
  return { kind: 'and', parts: [root, { kind: 'not', part: unwanted }] }
}
