/** Every setting has one value and one origin: the flag, else the environment, else the project's file, else the user's, else the default. */

import { join } from 'node:path'
import { CairnError } from '../core/errors.js'
import { cacheFolder, dataFolder, type Environment } from './environment.js'
import { type ConfigFile, findFiles } from './find-files.js'
import { checkValue, readFileValues, readValue } from './read-values.js'
import { SETTING_NAMES, type SettingName, type SettingValue, settingOf } from './settings.js'

export type Origin =
  /** `--db` */
  | { readonly kind: 'flag'; readonly name: string }
  /** `CAIRN_DB` */
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'project' | 'user'; readonly path: string }
  | { readonly kind: 'default' }

/** What the caller was told himself; it goes before everything else. */
export type GivenFlag = {
  readonly setting: SettingName
  /** As it was typed: `--db`. */
  readonly flag: string
  readonly value: unknown
}

type Said = { readonly value: unknown; readonly origin: Origin }

export type Configuration = {
  readonly files: readonly ConfigFile[]
  /** The value that counts, or the default; undefined where that is no one value. */
  get<Name extends SettingName>(name: Name): SettingValue<Name> | undefined
  /** Undefined where nobody said anything. */
  saidOf<Name extends SettingName>(name: Name): SettingValue<Name> | undefined
  originOf(name: SettingName): Origin
}

export function readConfiguration(
  surroundings: Environment,
  flags: readonly GivenFlag[] = [],
): Configuration {
  const files = findFiles(surroundings)
  const layers = [
    readFlags(flags),
    readEnvironment(surroundings.env),
    ...files.map((file) => readFile(file, surroundings)),
  ]
  assertPinHolds(layers)
  const first = (name: SettingName): Said | undefined =>
    layers.find((layer) => layer.has(name))?.get(name)
  return {
    files,
    get: (name) =>
      (first(name)?.value ?? defaultOf(name, surroundings)) as SettingValue<typeof name>,
    saidOf: (name) => first(name)?.value as SettingValue<typeof name> | undefined,
    originOf: (name) => first(name)?.origin ?? { kind: 'default' },
  }
}

type Layer = ReadonlyMap<SettingName, Said>

function readFlags(flags: readonly GivenFlag[]): Layer {
  return new Map(
    flags
      .filter(({ value }) => value !== undefined)
      .map(({ setting, flag, value }) => [
        setting,
        { value: checkValue(setting, value, flag), origin: { kind: 'flag', name: flag } },
      ]),
  )
}

/** A variable that is empty says nothing. */
function readEnvironment(env: Environment['env']): Layer {
  const layer = new Map<SettingName, Said>()
  for (const setting of SETTING_NAMES) {
    const name = settingOf(setting).variables.find((variable) => (env[variable] ?? '') !== '')
    if (name === undefined) continue
    const value = readValue(setting, env[name] ?? '', `$${name}`)
    layer.set(setting, { value, origin: { kind: 'environment', name } })
  }
  return layer
}

function readFile({ kind, path, text }: ConfigFile, surroundings: Environment): Layer {
  if (text === null) return new Map()
  const values = [...readFileValues({ path, text }, surroundings)]
  return new Map(values.map(([name, value]) => [name, { value, origin: { kind, path } }]))
}

/** Who pins a namespace pins the one named there or below it: nothing that comes before may name another. */
function assertPinHolds(layers: readonly Layer[]): void {
  const pinAt = layers.findIndex((layer) => layer.has('pinned'))
  const pin = layers[pinAt]?.get('pinned')
  if (pin?.value !== true) return
  const namedIn = (some: readonly Layer[]): Said | undefined =>
    some.find((layer) => layer.has('namespace'))?.get('namespace')
  const [named, kept] = [namedIn(layers.slice(0, pinAt)), namedIn(layers.slice(pinAt))]
  if (named === undefined || kept === undefined || named.value === kept.value) return
  throw new CairnError('outside_namespace', {
    message: `${whereOf(pin.origin)} keeps to the namespace "${String(kept.value)}", and ${whereOf(named.origin)} asks for "${String(named.value)}".`,
    hint: 'Leave the namespace out, or take the pin away.',
  })
}

/** In one word: `--db`, `$CAIRN_DB`, the path of the file, `default`. */
export function whereOf(origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return origin.name
    case 'environment':
      return `$${origin.name}`
    case 'project':
    case 'user':
      return origin.path
    case 'default':
      return 'default'
  }
}

function defaultOf(name: SettingName, surroundings: Environment): unknown {
  if (name === 'db') return join(dataFolder(surroundings), 'cairn', 'cairn.db')
  if (name === 'openAlex.cacheDir') return join(cacheFolder(surroundings), 'cairn', 'openalex')
  return settingOf(name).default
}
