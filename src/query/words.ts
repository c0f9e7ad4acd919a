/** Promise: what a tree looks for can be listed, for highlighting and for naming what no record contains. */

import type { Field, Node } from './tree.js'

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
