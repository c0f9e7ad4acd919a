/** What a query insists on holds for every way of searching; its plain words are for meaning alone. */

import { join, type Node } from './tree.js'

export type Constraints = {
  /** Phrases, fields, tags and NEAR: a record without them is no hit. */
  readonly required: Node | null
  readonly unwanted: Node | null
}

export function constraintsOf(root: Node | null): Constraints {
  const required: Node[] = []
  const unwanted: Node[] = []
  const visit = (node: Node): void => {
    if (node.kind === 'not') {
      unwanted.push(node.part)
    } else if (node.kind === 'together' || node.kind === 'and') {
      for (const part of node.parts) visit(part)
    } else {
      const own = insistedOn(node)
      if (own !== null) required.push(own)
    }
  }
  if (root !== null) visit(root)
  return { required: join('and', required), unwanted: join('or', unwanted) }
}

/** The part of a node that words alone do not satisfy; null where meaning may decide. */
function insistedOn(node: Node): Node | null {
  switch (node.kind) {
    case 'phrase':
    case 'field':
    case 'tag':
    case 'near':
      return node
    case 'word':
    case 'prefix':
    case 'not':
      return null
    case 'together':
    case 'and':
      return join(
        'and',
        node.parts.flatMap((part) => insistedOn(part) ?? []),
      )
    case 'or': {
      const parts = node.parts.map(insistedOn)
      // One branch that any record may satisfy frees all of them.
      return parts.includes(null)
        ? null
        : join(
            'or',
            parts.flatMap((part) => part ?? []),
          )
    }
  }
}

/** The query as a person would say it, for the embedder: no operators, nothing that is refused, no tags. */
export function plainText(root: Node | null): string {
  return root === null ? '' : [...spoken(root)].join(' ')
}

function* spoken(node: Node): Generator<string> {
  switch (node.kind) {
    case 'word':
    case 'phrase':
    case 'prefix':
      yield node.text
      break
    case 'near':
      yield* node.words
      break
    case 'field':
      yield* spoken(node.part)
      break
    case 'together':
    case 'and':
    case 'or':
      for (const part of node.parts) yield* spoken(part)
      break
    case 'tag':
    case 'not':
      break
  }
}
