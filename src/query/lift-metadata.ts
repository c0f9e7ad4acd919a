/** Takes the tests of metadata out of a query tree: they are a filter, which every retriever applies. */

import type { MetadataFilter } from '../core/filter.js'
import { isGroup, join, type Node, negate } from './tree.js'

type Lifted = { readonly root: Node | null; readonly where: MetadataFilter | null }

/**
 * Alternatives stay alternatives if all of them test metadata. Beside words, a test applies to the whole query:
 * `a OR meta.b:c` finds `a` among the records that pass.
 */
export function liftMetadata(root: Node | null): Lifted {
  if (root?.kind === 'metadata') return { root: null, where: root }
  if (root?.kind === 'not') {
    const { root: part, where } = liftMetadata(root.part)
    return { root: part && negate(part), where: where && { kind: 'not', part: where } }
  }
  if (root === null || !isGroup(root)) return { root, where: null }
  const lifted = root.parts.map(liftMetadata)
  const tests = lifted.flatMap(({ where }) => where ?? [])
  // A tree without tests stays as it was parsed.
  if (tests.length === 0) return { root, where: null }
  const words = lifted.flatMap((one) => one.root ?? [])
  const areAlternatives = root.kind === 'or' && words.length === 0
  return { root: join(root.kind, words), where: joinTests(areAlternatives ? 'or' : 'and', tests) }
}

/** Null for no tests. */
export function joinTests(
  kind: 'and' | 'or',
  tests: readonly MetadataFilter[],
): MetadataFilter | null {
  const [first, second] = tests
  return second === undefined ? (first ?? null) : { kind, parts: tests }
}

/** The tree of words and the tests of metadata as one tree again. */
export function joinWhere(root: Node | null, where: MetadataFilter | null): Node | null {
  const words = root?.kind === 'together' ? root.parts : [root ?? []].flat()
  const tests = where?.kind === 'and' ? where.parts : [where ?? []].flat()
  return join('together', [...words, ...tests])
}
