/** A folder is a set or holds sets, and each set found has a name of its own. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { CairnError } from '../core/errors.js'

export type SetFolder = { readonly name: string; readonly folder: string }

/** Sets are looked for so many folders deep: a wrong path must not walk a whole disk. */
const DEPTH = 2

/** The folders with such a corpus, in the order given and then by name. */
export function findSets(folders: readonly string[], corpus: string): SetFolder[] {
  const found = new Map<string, SetFolder>()
  for (const folder of folders) {
    const inside = setsIn({ name: basename(resolve(folder)), folder }, corpus, DEPTH)
    if (inside.length === 0) throw notASet(folder, corpus)
    for (const one of inside) {
      const path = resolve(one.folder)
      if (!found.has(path)) found.set(path, one)
    }
  }
  return withOwnNames([...found.values()])
}

function setsIn({ name, folder }: SetFolder, corpus: string, depth: number): SetFolder[] {
  if (existsSync(join(folder, corpus))) return [{ name, folder }]
  if (depth === 0) return []
  return subfolders(folder).flatMap((inner) =>
    setsIn({ name: `${name}/${inner}`, folder: join(folder, inner) }, corpus, depth - 1),
  )
}

function subfolders(folder: string): string[] {
  try {
    // By name and numbers: conv-9 stands before conv-10.
    const { compare } = new Intl.Collator('en', { numeric: true })
    return readdirSync(folder)
      .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory())
      .sort(compare)
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The folder ${folder} cannot be read.`,
      hint: 'Is it there, a folder, and may you read it?',
      cause,
    })
  }
}

/** Two sets of one name are told apart by their whole paths. */
function withOwnNames(sets: readonly SetFolder[]): SetFolder[] {
  return sets.map((one) =>
    sets.some((other) => other !== one && other.name === one.name)
      ? { ...one, name: resolve(one.folder) }
      : one,
  )
}

function notASet(folder: string, corpus: string): CairnError {
  return new CairnError('unreadable_file', {
    message: `There is no ${corpus} in ${folder} or in the folders inside it.`,
    hint: 'Name the folder of a set, and its corpus with --corpus where it has another name.',
  })
}
