/** Lists, saves and removes lenses (named sets of search options), and applies one to a request. */

import { badInput, noLens } from '../core/errors.js'
import { omitUndefined } from '../core/json-fields.js'
import { assertInput, check } from '../schemas/check.js'
import {
  type LensOptions,
  lensOptions,
  namedLens,
  type SearchInput,
} from '../schemas/search-request.js'
import { LENSES } from '../search/lenses.js'
import type { StoredLens } from '../storage/memory.js'
import type { Context } from './scope.js'

export type LensShown = {
  readonly name: string
  readonly sentence: string | null
  readonly isBuiltIn: boolean
  /** The options of a search through it, unless the search gives its own. */
  readonly options: Readonly<Record<string, unknown>>
}

export type Lenses = ReturnType<typeof createLenses>

export function createLenses({ storage, scope, defaults: given }: Context) {
  const { memory } = storage
  const { lens: defaultLens, ...defaults } = given
  const builtIn = LENSES.map(({ name, sentence, fusion, signals }): LensShown => {
    return { name, sentence, isBuiltIn: true, options: { fusion, signals } }
  })
  const isBuiltIn = (name: string): boolean => builtIn.some((lens) => lens.name === name)

  /** Of two with one name, that of the namespace which is written to. */
  const listSaved = async (): Promise<StoredLens[]> => {
    const lenses = (await memory.listLenses()).filter(({ namespace }) => scope.includes(namespace))
    const own = lenses.filter(({ namespace }) => namespace === scope.namespace)
    return lenses.filter(
      (lens) => own.includes(lens) || own.every(({ name }) => name !== lens.name),
    )
  }

  const list = async (): Promise<LensShown[]> => {
    const saved = (await listSaved()).map(({ name, sentence, options }) => {
      return { name, sentence, isBuiltIn: false, options }
    })
    return [...builtIn, ...saved]
  }

  const show = async (name: string): Promise<LensShown> => {
    const lenses = await list()
    const lens = lenses.find((known) => known.name === name)
    if (lens === undefined) throw noLens(name, lenses)
    return lens
  }

  return {
    list,
    show,

    /** Saves any search options; `lens` names the built-in lens they are based on. */
    async save(name: string, options: LensOptions, sentence: string | null = null) {
      const { name: checkedName } = check(namedLens, { name })
      if (isBuiltIn(checkedName)) {
        throw badInput(`"${name}" is a built-in lens.`, 'Save yours under another name.')
      }
      assertInput(lensOptions, options)
      const { lens } = options
      if (lens !== undefined && !isBuiltIn(lens)) throw noLens(lens, builtIn)
      const { namespace } = scope
      await memory.saveLens({ namespace, name: checkedName, sentence, options: { ...options } })
      return show(checkedName)
    },

    async remove(name: string): Promise<void> {
      if (isBuiltIn(name)) throw badInput(`"${name}" is a built-in lens and cannot be removed.`)
      const lens = (await listSaved()).find((saved) => saved.name === name)
      if (lens === undefined || !(await memory.removeLens(lens))) throw noLens(name, await list())
    },

    /** Fills in the options of a saved lens, then the defaults of this file. The request's own options win. */
    async apply(input: SearchInput): Promise<SearchInput> {
      const given: SearchInput = omitUndefined(input)
      const lens = given.lens ?? defaultLens
      if (typeof lens !== 'string' || isBuiltIn(lens)) return { ...defaults, ...given, lens }
      const { lens: base, query, ...options } = (await show(lens)).options as LensOptions
      const asked = given.query || query
      return { ...defaults, ...options, ...given, lens: base, ...(asked && { query: asked }) }
    },
  }
}
