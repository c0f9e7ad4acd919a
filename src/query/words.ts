/** What a tree looks for can be listed, for highlighting and for naming what no record contains. */

import { isStopWord } from './stopwords.js'
import { type Field, join, type Node } from './tree.js'

/** One thing to mark in a text: a word, the words of a phrase, or a beginning. */
export type Sought = {
  readonly text: string
  readonly isPrefix: boolean
  /** Null means any field. */
  readonly field: Field | null
}

/** Everything a tree looks for, without what it refuses; each once. */
export function soughtBy(root: Node | null): Sought[] {
  const found = new Map<string, Sought>()
  for (const sought of root === null ? [] : walk(root, null)) {
    found.set(`${sought.field}\n${sought.isPrefix}\n${sought.text.toLowerCase()}`, sought)
  }
  return [...found.values()]
}

function* walk(node: Node, field: Field | null): Generator<Sought> {
  switch (node.kind) {
    case 'word':
      yield { text: node.text, isPrefix: false, field }
      break
    case 'phrase':
      yield { text: node.text, isPrefix: node.open, field }
      break
    case 'prefix':
      yield { text: node.text, isPrefix: true, field }
      break
    case 'near':
      for (const text of node.words) yield { text, isPrefix: false, field }
      break
    case 'field':
      yield* walk(node.part, node.field)
      break
    case 'together':
    case 'and':
    case 'or':
      for (const part of node.parts) yield* walk(part, field)
      break
    case 'tag':
    case 'not':
      break
  }
}

/** What to look for, as a tree of its own. A phrase of one word is that word. */
export function toNode({ text, isPrefix, field }: Sought): Node {
  const isPhrase = /\s/.test(text)
  const part: Node = isPhrase
    ? { kind: 'phrase', text, open: isPrefix }
    : { kind: isPrefix ? 'prefix' : 'word', text }
  return field === null ? part : { kind: 'field', field, part }
}

/** A pasted passage has a pair for every word; its first ones tell enough, and each costs a look at the index. */
export const MAX_PAIRS = 24

/** Words that were typed next to each other, as phrases of two, each once; null where there are none. */
export function adjacentPairs(root: Node | null): Node | null {
  const parts = root?.kind === 'together' ? root.parts : []
  const pairs = new Map<string, Node>()
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1]
    if (pairs.size === MAX_PAIRS) break
    if (part.kind !== 'word' || next?.kind !== 'word') continue
    const [left, right] = [part.text.toLowerCase(), next.text.toLowerCase()]
    if (left === right || isStopWord(left) || isStopWord(right)) continue
    pairs.set(`${left} ${right}`, {
      kind: 'phrase',
      text: `${part.text} ${next.text}`,
      open: false,
    })
  }
  return join('or', [...pairs.values()])
}
