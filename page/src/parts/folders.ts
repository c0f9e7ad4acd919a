/** Lays out sources as a tree of folders, from values such as `notes/*` and `notes/old/*`. */

import type { FacetValue } from '../../../src/core/answer.js'

type Folder = FacetValue & { readonly label: string; readonly depth: number }

/** The tree is laid out by comparing each with each. */
const MOST_FOLDERS = 500

/** `notes/old/*` → "notes/old", `git:*` → "git", `./*` → "Single files" */
export function labelOfFolder(value: string): string {
  if (value === './*') return 'Single files'
  return value.replace(/[/:]\*$/, '')
}

/**
 * Each folder below the one that holds it, named without the parent's path; brothers by count. A folder with nothing but
 * one folder in it is left out.
 */
export function toFolders(all: readonly FacetValue[]): Folder[] {
  const values = all.slice(0, MOST_FOLDERS)
  const isParent = (parent: string, { value }: FacetValue): boolean =>
    parent.endsWith('/*') && value !== parent && value.startsWith(parent.slice(0, -1))
  const kept = values.filter(
    (one) => !values.some((child) => isParent(one.value, child) && child.count === one.count),
  )
  const parentOf = (child: FacetValue): string =>
    kept
      .filter(({ value }) => isParent(value, child))
      .reduce((best, { value }) => (value.length > best.length ? value : best), '')
  const below = (parent: string, depth: number): Folder[] =>
    kept
      .filter((one) => parentOf(one) === parent)
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .flatMap((one) => [
        { ...one, depth, label: labelOfFolder(one.value).slice(Math.max(0, parent.length - 1)) },
        ...below(one.value, depth + 1),
      ])
  return below('', 0)
}
