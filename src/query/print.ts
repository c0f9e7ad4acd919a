/** A tree is written back as the query that reads as that same tree. */

import type { Node } from './tree.js'

/** How the query was read, in the query language itself. */
export function printQuery(root: Node | null): string {
  return root === null ? '' : print(root)
}

function print(node: Node): string {
  switch (node.kind) {
    case 'word':
      return node.text
    case 'phrase':
      return `"${node.text.replaceAll('"', '""')}"${node.open ? '*' : ''}`
    case 'prefix':
      return `${node.text}*`
    case 'near':
      return `NEAR(${node.words.map(printNearWord).join(' ')}, ${node.distance})`
    case 'tag':
      return /[\s"()]/.test(node.tag)
        ? `tag:"${node.tag.replaceAll('"', '""')}"`
        : `tag:${node.tag}`
    case 'field':
      return `${node.field}:${print(node.part)}`
    case 'not':
      return `-${wrap(node.part)}`
    case 'together':
      return node.parts.map(wrap).join(' ')
    case 'and':
      return node.parts.map(wrap).join(' AND ')
    case 'or':
      return node.parts.map(wrap).join(' OR ')
  }
}

function printNearWord(word: string): string {
  return /[\s,"]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word
}

function wrap(node: Node): string {
  const isGroup = node.kind === 'together' || node.kind === 'and' || node.kind === 'or'
  return isGroup ? `(${print(node)})` : print(node)
}
