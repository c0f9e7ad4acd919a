/** Finds configuration files, reads and checks the settings in them, and changes one setting of a file. */

import { readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, resolve, sep, win32 } from 'node:path'
import * as z from 'zod/mini'
import { hasPassword, isDatabaseUrl } from '../core/database-url.js'
import { badInput, CairnError } from '../core/errors.js'
import { type Fields, isFields } from '../core/json-fields.js'
import { check } from '../schemas/check.js'
import {
  type JsonPlace,
  readJsonPlaces,
  removeJsonMember,
  setJsonMember,
} from '../text/json-edit.js'
import { nearestName } from '../text/nearest-name.js'
import { getSetting, isSettingName, SECTIONS, SETTING_NAMES, type SettingName } from './settings.js'

export type Environment = {
  readonly folder: string
  readonly home: string
  /** As Node names it: `linux`, `darwin`, `win32` … */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readText: (path: string) => string | null
}

export type ConfigFile = {
  readonly kind: 'project' | 'user'
  readonly path: string
  readonly text: string | null
}

export const PROJECT_FILE = 'cairn.json'

/** Every file that was looked for, by precedence: upwards to the nearest `cairn.json`, then the user's file. */
export function findFiles(environment: Environment): readonly ConfigFile[] {
  const { readText } = environment
  const files: ConfigFile[] = []
  for (let folder = environment.folder; ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE)
    const text = readText(path)
    files.push({ kind: 'project', path, text })
    if (text !== null || dirname(folder) === folder) break
  }
  const path = join(configFolder(environment), 'cairn', 'config.json')
  return [...files, { kind: 'user', path, text: readText(path) }]
}

/** The folder in which the system keeps the settings of a user; `XDG_CONFIG_HOME` counts on macOS too. */
function configFolder({ env, home, platform }: Environment): string {
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (env.XDG_CONFIG_HOME) return env.XDG_CONFIG_HOME
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support')
    : join(home, '.config')
}

/** Synchronous, because a command does nothing before it knows its settings. */
export function readText(path: string): string | null {
  try {
    const isMissing = statSync(path, { throwIfNoEntry: false }) === undefined
    return isMissing ? null : readFileSync(path, 'utf8')
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The configuration ${path} cannot be read.`,
      hint: 'Check that it is a file, and who may read it.',
      cause,
    })
  }
}

/** The checked value; an error calls it `label`. */
export function checkValue(name: SettingName, value: unknown, label: string): unknown {
  const checked = check(z.strictObject({ [label]: getSetting(name).schema }), { [label]: value })
  return checked[label]
}

export function parseValue(name: SettingName, text: string, label: string): unknown {
  const { kind } = getSetting(name)
  const word = text.trim().toLowerCase()
  if (kind === 'number' && word !== '' && !Number.isNaN(Number(word))) {
    return checkValue(name, Number(word), label)
  }
  if (kind === 'switch' && ON.includes(word)) return true
  if (kind === 'switch' && OFF.includes(word)) return false
  return checkValue(name, text, label)
}

const ON = ['true', '1', 'yes', 'on']
const OFF = ['false', '0', 'no', 'off']

export function readFileValues(path: string, text: string, home: string) {
  const values = new Map<SettingName, unknown>()
  for (const [name, value] of listMembers(path, text)) {
    if (!isSettingName(name)) throw noSetting(name, path)
    const { kind, variables } = getSetting(name)
    if (kind === 'secret') {
      throw badInput(
        `${name} in ${path} is a secret, which no file may hold.`,
        `Give it in the environment as ${variables[0]}, and take it out of the file.`,
      )
    }
    const checked = checkValue(name, value, `${name} in ${path}`)
    assertNoPassword(name, checked, path)
    values.set(name, kind === 'path' ? toAbsolute(String(checked), path, home) : checked)
  }
  return values
}

/** `[search.limit, 5]` for `{"search": {"limit": 5}}`. */
function listMembers(path: string, text: string): (readonly [string, unknown])[] {
  parseRoot(path, text)
  const root: Fields = JSON.parse(text.replace(/^\uFEFF/, ''))
  return Object.entries(root).flatMap(([key, value]) => {
    if (!SECTIONS.includes(key)) {
      const [section, inner] = key.split('.')
      if (inner === undefined || !isSettingName(key)) return [[key, value] as const]
      const hint = `Write it as {"${section}": {"${inner}": …}}.`
      throw badInput(`${path} has a setting "${key}" in one word.`, hint)
    }
    if (!isFields(value)) {
      const message = `${key} in ${path} must be an object, not ${JSON.stringify(value)}.`
      throw badInput(message, listNames(`${key}.`))
    }
    return Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one] as const)
  })
}

function parseRoot(path: string, text: string): JsonPlace {
  const read = readJsonPlaces(text)
  if (read.kind === 'broken') {
    throw badInput(
      `${path} is not JSON: line ${read.line}, column ${read.column} cannot be read.`,
      'Put it right there, or remove the file.',
    )
  }
  if (read.root.members !== null) return read.root
  throw badInput(`${path} must hold an object of settings.`, listNames(''))
}

/** No shell expands `~` in a file, so it is expanded here. */
function toAbsolute(path: string, file: string, home: string): string {
  if (path === ':memory:' || isDatabaseUrl(path)) return path
  if (path === '~' || /^~[/\\]/.test(path)) return join(home, path.slice(1))
  return resolve(dirname(file), path)
}

/** The file after a change, checked as a whole. */
export function setInFile(
  { kind, path, text, name: given }: ConfigFile & { readonly name: string },
  value: string,
  { folder, home }: Pick<Environment, 'folder' | 'home'>,
) {
  const name = assertStorable(given)
  const parsed = parseValue(name, value, name)
  if (kind === 'project') assertLocalAddress(name, parsed, path)
  assertNoPassword(name, parsed, path)
  const isPath = getSetting(name).kind === 'path'
  const stored = isPath ? toRelative(String(parsed), { file: path, folder }) : parsed
  const before = text === null || text.trim() === '' ? '{}\n' : text
  const after = setJsonMember(before, parseRoot(path, before), name.split('.'), stored)
  if (after === null) {
    throw badInput(`${name.split('.')[0]} in ${path} is no object.`, 'Put it right first.')
  }
  readFileValues(path, after, home)
  return { text: after, name, value: stored }
}

/** Null: the setting is not in the file. */
export function unsetInFile(file: Omit<ConfigFile, 'kind'> & { readonly name: string }) {
  const { path, text } = file
  const name = assertStorable(file.name)
  if (text === null) return null
  const after = removeJsonMember(text, parseRoot(path, text), name.split('.'))
  return after === text ? null : { text: after, name }
}

function assertStorable(name: string): SettingName {
  if (!isSettingName(name)) throw noSetting(name, null)
  const { kind, variables } = getSetting(name)
  if (kind !== 'secret') return name
  throw badInput(
    `${name} is a secret, which no file may hold.`,
    `Give it in the environment as ${variables[0]}.`,
  )
}

/**
 * A path is typed relative to the working folder and stored relative to the folder of the file, with slashes: others may
 * share the file on another system.
 */
export function toRelative(
  path: string,
  {
    file,
    folder,
    system = sep === '/' ? posix : win32,
  }: { file: string; folder: string; system?: typeof posix },
): string {
  const isWhole = path === ':memory:' || isDatabaseUrl(path) || path.startsWith('~')
  if (isWhole || system.isAbsolute(path)) return path
  const stored = system.relative(system.dirname(file), system.resolve(folder, path))
  return system.isAbsolute(stored) ? stored : stored.replaceAll(system.sep, '/')
}

function assertNoPassword(name: SettingName, value: unknown, path: string): void {
  if (name !== 'db' || typeof value !== 'string') return
  if (!isDatabaseUrl(value) || !hasPassword(value)) return
  throw badInput(
    `${name} in ${path} holds a password, which no file may hold.`,
    'Leave it out of the address, and put it into ~/.pgpass or PGPASSWORD.',
  )
}

export const ADDRESSES = ['db', 'vectorSearch.baseUrl', 'llm.baseUrl', 'openAlex.baseUrl'] as const

/** A project's file, which somebody else may have written, cannot send texts and keys to another machine. */
export function assertLocalAddress(name: SettingName, value: unknown, path: string): void {
  if (!ADDRESSES.some((known) => known === name) || typeof value !== 'string') return
  if (name === 'db' && !(isDatabaseUrl(value) && URL.canParse(value))) return
  const { host, hostname, searchParams } = new URL(value)
  const isLocal = ['', 'localhost', '[::1]'].includes(hostname) || /^127(\.\d+){3}$/.test(hostname)
  // These parameters of a database name other machines.
  if (isLocal && !['host', 'replica'].some((other) => searchParams.has(other))) return
  throw badInput(
    `${name} in ${path} would send texts to ${host}, which a project's file cannot decide.`,
    `If you want that: \`cairn config set ${name} ${value} --user\`, and take it out of that file.`,
  )
}

/** `path` is the file with the unknown name, or null for the command line. */
function noSetting(name: string, path: string | null): CairnError {
  const sentence = `"${name}"${path === null ? '' : ` in ${path}`} is no setting.`
  const nearest = nearestSetting(name)
  if (nearest === null) return badInput(sentence, listNames(name))
  return badInput(`${sentence} Did you mean "${nearest}"?`)
}

/** By the whole name, by the section, or by the part after the dot. */
function nearestSetting(name: string): string | null {
  const names = name.includes('.') ? SETTING_NAMES : [...SECTIONS, ...SETTING_NAMES]
  const whole = nearestName(name, names)
  if (whole !== null) return whole
  const lastPart = (one: string): string => one.slice(one.lastIndexOf('.') + 1)
  const last = nearestName(lastPart(name), SETTING_NAMES.map(lastPart))
  return SETTING_NAMES.find((known) => lastPart(known) === last) ?? null
}

/** The names in the section of this name or, if it is in none, the names at the top. */
function listNames(name: string): string {
  const [section = ''] = name.split('.')
  const inside = SETTING_NAMES.filter((known) => known.startsWith(`${section}.`))
  const top = SETTING_NAMES.filter((known) => !known.includes('.'))
  const names = inside.length > 0 ? inside : [...top, ...SECTIONS]
  return `There are ${names.join(', ')}.`
}
