/** Plans how far a query may be relaxed; phrases, fields, tags and operators are never relaxed. */

import { isStopWord } from './terms.js'
import { join, type Node, type Query, type Word } from './tree.js'

export const MATCHES = ['auto', 'all', 'any'] as const
export type Match = (typeof MATCHES)[number]

/** How a hit matched: as asked, by any of the words, or by words that begin like one of them. */
export type Relaxation = null | 'any' | 'prefix'

/** One attempt at the query. Each step matches everything that the step before it matches. */
export type Step = { readonly relaxed: Relaxation; readonly root: Node }

/** Shorter prefixes are too broad: `go*` is half of a dictionary. */
export const SHORTEST_BEGINNING = 3

/** How the storage splits a compound word (`foo-bar`, a run of Chinese) into words that may be searched alone. */
export type SplitWord = (word: string) => readonly string[]

export type PlannedQuery = {
  /** The query without negations and stop words. Null if only negations are left. */
  readonly wanted: Node | null
  readonly unwanted: Node | null
  readonly steps: readonly Step[]
  readonly demandsAll: boolean
  /** A tag is required and nothing else, so a hit may have none of the words. */
  readonly isByTag: boolean
  /** The bare words that are searched, without stop words. */
  readonly words: readonly string[]
  readonly root: Node | null
}

/**
 * Turns a query into the attempts that `match` allows: bare words written side by side are first all required,
 * then any of them, then any word that begins like one of them. Phrases, fields, tags, NEAR, AND, OR, NOT and
 * parentheses stay as they were written in every attempt.
 */
export function planQuery({ root }: Query, match: Match, splitWord: SplitWord): PlannedQuery {
  const outermost = root?.kind === 'together' ? root.parts : [root].filter((part) => part !== null)
  const bare = new Map<string, Word>()
  const required: Node[] = []
  const refused: Node[] = []
  for (const part of outermost) {
    if (part.kind === 'not') refused.push(part.part)
    else if (part.kind !== 'word') required.push(part)
    else if (!bare.has(part.text.toLowerCase())) bare.set(part.text.toLowerCase(), part)
  }
  const content = [...bare.values()].filter((word) => !isStopWord(word.text))
  // A query of stop words alone is searched by all of them.
  const usesAll = match === 'all' || (content.length === 0 && required.length === 0)
  const words = usesAll ? [...bare.values()] : content
  const unwanted = join('or', refused)
  const wanted = join('together', [...required, ...words])
  const negations = refused.map((part): Node => ({ kind: 'not', part }))
  return {
    wanted,
    unwanted,
    root: join('together', [...required, ...words, ...negations]),
    words: words.map(({ text }) => text),
    demandsAll: match === 'all' && wanted !== null,
    isByTag:
      words.length > 0 && required.length > 0 && required.every(({ kind }) => kind === 'tag'),
    steps: listSteps({ words, required }, match, splitWord).map((step) =>
      unwanted === null ? step : { ...step, root: subtract(step.root, unwanted) },
    ),
  }
}

function subtract(root: Node, unwanted: Node): Node {
  return { kind: 'and', parts: [root, { kind: 'not', part: unwanted }] }
}

/** The same steps, but the words must be in the record itself. */
export function dropNearby(planned: PlannedQuery): PlannedQuery {
  const drop = (node: Node): Node => {
    if (node.kind === 'word' || node.kind === 'prefix') return { kind: node.kind, text: node.text }
    if (node.kind === 'and' || node.kind === 'or' || node.kind === 'together') {
      return { kind: node.kind, parts: node.parts.map(drop) }
    }
    return node
  }
  return { ...planned, steps: planned.steps.map((step) => ({ ...step, root: drop(step.root) })) }
}

type WantedParts = { readonly words: readonly Word[]; readonly required: readonly Node[] }

function listSteps({ words, required }: WantedParts, match: Match, splitWord: SplitWord): Step[] {
  const all = join('and', [...required, ...words])
  if (all === null) return []
  if (words.length === 0 || match === 'all') return [{ relaxed: null, root: all }]

  // A compound word may also be found by its pieces.
  const alternatives = words.flatMap(({ text: word }): Node[] =>
    [word, ...listPieces(word, splitWord)].map((text) => ({ kind: 'word', text, nearby: true })),
  )
  const any = requireWithAny(required, alternatives)
  if (match === 'any') return [{ relaxed: null, root: any }]

  const prefixes = words
    .filter(({ text }) => /^[\p{L}\p{N}]+$/u.test(text) && text.length >= SHORTEST_BEGINNING)
    .filter(({ text }) => !isStopWord(text))
    .map(({ text }): Node => ({ kind: 'prefix', text, nearby: true }))
  const steps: Step[] = [{ relaxed: null, root: all }]
  if (alternatives.length > 1 || required.length > 0) steps.push({ relaxed: 'any', root: any })
  if (prefixes.length > 0) {
    const root = requireWithAny(required, [...alternatives, ...prefixes])
    steps.push({ relaxed: 'prefix', root })
  }
  return steps
}

/** A DOI or a citation key has many pieces with numbers among them, and means nothing in part. */
const MANY_PIECES = 4

function listPieces(word: string, splitWord: SplitWord): string[] {
  const pieces = splitWord(word).filter((piece) => !isStopWord(piece))
  const isKey = pieces.length >= MANY_PIECES && pieces.some((piece) => /^\d+$/.test(piece))
  return isKey ? [] : pieces
}

/**
 * Every required part must match; the alternatives then only order the hits, so that a word that occurs nowhere does not
 * empty the answer.
 */
function requireWithAny(required: readonly Node[], alternatives: readonly Node[]): Node {
  const must = join('and', required)
  const any = join('or', must === null ? alternatives : [...alternatives, must])
  const both = join('and', any === null ? required : [...required, any])
  if (both === null) throw new Error('A step needs at least one part.')
  return both
}
