/** A lens is a set of search options with a name: ours are built in, a user's are kept in the file. */

import { badInput, type CairnError } from '../core/errors.js'
import { check } from '../schemas/check.js'
import { type LensOptions, lensOptions, namedLens } from '../schemas/lens-request.js'
import type { SearchDefaults, SearchInput } from '../schemas/search-request.js'
import { LENSES } from '../search/lenses.js'
import type { Storage } from '../storage/storage.js'

export type LensShown = {
  readonly name: string
  readonly sentence: string | null
  readonly isBuiltIn: boolean
  /** What a search through it is given, unless it says otherwise itself. */
  readonly options: Readonly<Record<string, unknown>>
}

export type Lenses = ReturnType<typeof createLenses>

export function createLenses(storage: Storage, { lens: usualLens, ...usual }: SearchDefaults = {}) {
  const { memory } = storage
  const list = async (): Promise<LensShown[]> => [
    ...LENSES.map(({ name, sentence, fusion, signals }) => ({
      name,
      sentence,
      isBuiltIn: true,
      options: { fusion, signals },
    })),
    ...(await memory.listLenses()).map(({ name, sentence, options }) => ({
      name,
      sentence,
      isBuiltIn: false,
      options,
    })),
  ]
  const show = async (name: string): Promise<LensShown> => {
    const lenses = await list()
    const lens = lenses.find((known) => known.name === name)
    if (lens !== undefined) return lens
    throw noLens(name, lenses)
  }
  return {
    list,
    show,

    /** Any search options but the query itself; `lens` names the built-in one it is based on. */
    async save(name: string, options: LensOptions, sentence: string | null = null) {
      const { name: checkedName } = check(namedLens, { name })
      if (isBuiltIn(checkedName)) {
        throw badInput(`"${name}" is a built-in lens.`, 'Save yours under another name.')
      }
      const checked = check(lensOptions, options)
      if (checked.lens !== undefined && !isBuiltIn(checked.lens)) {
        throw noLens(checked.lens, await list().then((all) => all.filter((one) => one.isBuiltIn)))
      }
      await memory.saveLens({ name: checkedName, sentence, options: { ...options } })
      return show(checkedName)
    },

    async remove(name: string): Promise<void> {
      if (isBuiltIn(name)) throw badInput(`"${name}" is a built-in lens and cannot be removed.`)
      if (!(await memory.removeLens(name))) throw noLens(name, await list())
    },

    /**
     * A request through a user's lens becomes one with its options: what the request says itself goes first, then the
     * lens, then what is usual in this file.
     */
    async through(input: SearchInput): Promise<SearchInput> {
      const lens = input.lens ?? usualLens
      if (typeof lens !== 'string' || isBuiltIn(lens)) return { ...usual, ...said(input), lens }
      const { options } = await show(lens)
      const { lens: base, ...rest } = options as LensOptions
      return { ...usual, ...rest, ...said(input), lens: base ?? undefined }
    },
  }
}

/** What is there and undefined says nothing. */
function said(input: SearchInput): SearchInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

function isBuiltIn(name: string): boolean {
  return LENSES.some((lens) => lens.name === name)
}

function noLens(name: string, lenses: readonly LensShown[]): CairnError {
  const names = lenses.map((lens) => lens.name).join(', ')
  return badInput(`There is no lens "${name}".`, `Choose one of: ${names}.`)
}
