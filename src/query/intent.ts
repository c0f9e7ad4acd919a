/** A query that names exact things is told from one that asks about something. */

import type { Node, Query } from './tree.js'

const IDENTIFIER = /[_.:/\\@#$]|\d|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u

/** True for quotes, fields, operators, or a lone identifier: what is asked for is a word, not a meaning. */
export function asksForWords({ root }: Query): boolean {
  if (root === null) return true
  if (root.kind === 'word') return IDENTIFIER.test(root.text)
  return root.kind !== 'together' || root.parts.some((part) => !isPlain(part))
}

function isPlain(node: Node): boolean {
  return node.kind === 'word'
}
