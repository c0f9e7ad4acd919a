/** Gives every setting one value and one origin: flag, environment, project file, user file, default. */

import { join } from 'node:path'
import { CairnError } from '../core/errors.js'
import {
  type ConfigFile,
  checkValue,
  type Environment,
  findFiles,
  parseValue,
  readFileValues,
} from './config-file.js'
import { getSetting, SETTING_NAMES, type SettingName, type SettingValue } from './settings.js'

export type Origin =
  | { readonly kind: 'flag' | 'environment'; readonly name: string }
  | { readonly kind: 'project' | 'user'; readonly path: string }
  | { readonly kind: 'default' }

export type GivenFlag = {
  readonly setting: SettingName
  /** As it was typed: `--db`. */
  readonly flag: string
  readonly value: unknown
}

export type Configuration = {
  readonly files: readonly ConfigFile[]
  /** The value that applies; undefined if none was given and the setting has no single default. */
  get<Name extends SettingName>(name: Name): SettingValue<Name> | undefined
  getGiven<Name extends SettingName>(name: Name): SettingValue<Name> | undefined
  getOrigin(name: SettingName): Origin
}

type Given = { readonly value: unknown; readonly origin: Origin }
type Layer = ReadonlyMap<SettingName, Given>

export function readConfiguration(
  environment: Environment,
  flags: readonly GivenFlag[] = [],
): Configuration {
  const files = findFiles(environment)
  const layers = [
    readFlags(flags),
    readVariables(environment.env),
    ...files.map((file) => readFile(file, environment.home)),
  ]
  assertPinHolds(layers)
  const first = (name: SettingName): Given | undefined =>
    layers.find((layer) => layer.has(name))?.get(name)
  return {
    files,
    get: (name) =>
      (first(name)?.value ?? defaultOf(name, environment)) as SettingValue<typeof name>,
    getGiven: (name) => first(name)?.value as SettingValue<typeof name> | undefined,
    getOrigin: (name) => first(name)?.origin ?? { kind: 'default' },
  }
}

function readFlags(flags: readonly GivenFlag[]): Layer {
  const given = flags.filter(({ value }) => value !== undefined)
  return new Map(
    given.map(({ setting, flag: name, value }) => [
      setting,
      { value: checkValue(setting, value, name), origin: { kind: 'flag', name } },
    ]),
  )
}

/** An empty variable counts as not set. */
function readVariables(env: Environment['env']): Layer {
  const layer = new Map<SettingName, Given>()
  for (const setting of SETTING_NAMES) {
    const name = getSetting(setting).variables.find((variable) => env[variable])
    if (name === undefined) continue
    const value = parseValue(setting, env[name] ?? '', `$${name}`)
    layer.set(setting, { value, origin: { kind: 'environment', name } })
  }
  return layer
}

function readFile({ kind, path, text }: ConfigFile, home: string): Layer {
  if (text === null) return new Map()
  const values = [...readFileValues(path, text, home)]
  return new Map(values.map(([name, value]) => [name, { value, origin: { kind, path } }]))
}

/** A pin holds the namespace of its own layer or of one below; no layer above may name another. */
function assertPinHolds(layers: readonly Layer[]): void {
  const pinAt = layers.findIndex((layer) => layer.has('pinned'))
  const pin = layers[pinAt]?.get('pinned')
  if (pin?.value !== true) return
  const findNamespace = (some: readonly Layer[]): Given | undefined =>
    some.find((layer) => layer.has('namespace'))?.get('namespace')
  const asked = findNamespace(layers.slice(0, pinAt))
  const pinned = findNamespace(layers.slice(pinAt))
  if (asked === undefined || pinned === undefined || asked.value === pinned.value) return
  throw new CairnError('outside_namespace', {
    message: `${printOrigin(pin.origin)} keeps to the namespace "${String(pinned.value)}", and ${printOrigin(asked.origin)} asks for "${String(asked.value)}".`,
    hint: 'Leave the namespace out, or take the pin away.',
  })
}

/** `--db`, `$CAIRN_DB`, the path of the file, or `default`. */
export function printOrigin(origin: Origin): string {
  if ('path' in origin) return origin.path
  if (origin.kind === 'default') return 'default'
  return origin.kind === 'flag' ? origin.name : `$${origin.name}`
}

function defaultOf(name: SettingName, environment: Environment): unknown {
  if (name === 'db') return join(findDataFolder(environment), 'cairn.db')
  if (name === 'openAlex.cacheDir') {
    const { env, home, platform } = environment
    const mac = join(home, 'Library', 'Caches')
    const cache = env.XDG_CACHE_HOME || join(home, '.cache')
    const local = findLocalFolder(environment)
    return join({ win32: local, darwin: mac }[platform] ?? cache, 'cairn', 'openalex')
  }
  return getSetting(name).default
}

/** The folder for data, unless a setting names another. */
export function findDataFolder(environment: Omit<Environment, 'readText'>): string {
  const { env, home, platform } = environment
  const mac = join(home, 'Library', 'Application Support')
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share')
  const local = findLocalFolder(environment)
  return join({ win32: local, darwin: mac }[platform] ?? data, 'cairn')
}

function findLocalFolder({ env, home }: Pick<Environment, 'env' | 'home'>): string {
  return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
}
