/** What a file or a variable says becomes checked values, or one sentence that names the place and the key. */

import { dirname, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { badInput, type CairnError } from '../core/errors.js'
import { check } from '../schemas/check.js'
import { readJsonPlaces } from '../text/json-edit.js'
import { nearestName } from '../text/nearest-name.js'
import type { Environment } from './environment.js'
import type { ConfigFile } from './find-files.js'
import { isSettingName, SECTIONS, SETTING_NAMES, type SettingName, settingOf } from './settings.js'

export type Values = ReadonlyMap<SettingName, unknown>

/** The value as it counts; the place is what the sentence calls it where it is wrong. */
export function checkValue(name: SettingName, value: unknown, place: string): unknown {
  const checked = check(z.strictObject({ [place]: settingOf(name).schema }), { [place]: value })
  return checked[place]
}

/** A text, as a variable or a command line has it, becomes a value of that setting. */
export function readValue(name: SettingName, text: string, place: string): unknown {
  return checkValue(name, fromText(name, text), place)
}

function fromText(name: SettingName, text: string): unknown {
  switch (settingOf(name).kind) {
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
    case 'switch':
      return SWITCHES.get(text.trim().toLowerCase()) ?? text
    default:
      return text
  }
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

/** What a file says, with its paths in full. */
export function readFileValues(
  file: Pick<ConfigFile, 'path'> & { readonly text: string },
  { home }: Pick<Environment, 'home'>,
): Values {
  const { path } = file
  const read = [...membersOf(file)].map(([name, value]): [SettingName, unknown] => {
    if (!isSettingName(name)) throw noSetting(name, path)
    if (settingOf(name).kind === 'secret') throw keptInFile(name, path)
    const checked = checkValue(name, value, `${name} in ${path}`)
    return [
      name,
      settingOf(name).kind === 'path' ? wholePath(String(checked), path, home) : checked,
    ]
  })
  return new Map(read)
}

/** `[search.limit, 5]` for `{"search": {"limit": 5}}`; what the names mean is not looked at yet. */
function* membersOf(file: { readonly path: string; readonly text: string }) {
  const { path } = file
  const root = parse(file)
  if (!isObject(root)) throw badInput(`${path} must hold an object of settings.`, thereAre(''))
  for (const [key, value] of Object.entries(root)) {
    if (!SECTIONS.includes(key)) {
      if (key.includes('.') && isSettingName(key)) throw dottedName(key, path)
      yield [key, value] as const
    } else if (!isObject(value)) {
      throw badInput(
        `${key} in ${path} must be an object, not ${JSON.stringify(value)}.`,
        thereAre(`${key}.`),
      )
    } else {
      for (const [inner, one] of Object.entries(value)) yield [`${key}.${inner}`, one] as const
    }
  }
}

function parse({ path, text }: { readonly path: string; readonly text: string }): unknown {
  const places = readJsonPlaces(text)
  if (places.kind === 'read') return JSON.parse(text.replace(/^\uFEFF/, ''))
  throw badInput(
    `${path} is not JSON: line ${places.line}, column ${places.column} cannot be read.`,
    'Put it right there, or remove the file.',
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** No shell stands between a file and us: `~` is read here. */
function wholePath(path: string, file: string, home: string): string {
  if (path === ':memory:') return path
  if (path === '~' || /^~[/\\]/.test(path)) return join(home, path.slice(1))
  return resolve(dirname(file), path)
}

/** The refusal of a name that is none; the place is a file, or null for a command line. */
export function noSetting(name: string, place: string | null): CairnError {
  const near = nearestSetting(name)
  const sentence = `"${name}"${place === null ? '' : ` in ${place}`} is no setting.`
  return near === null
    ? badInput(sentence, thereAre(name))
    : badInput(`${sentence} Did you mean "${near}"?`)
}

/** What may stand beside it. */
function thereAre(name: string): string {
  const [section = ''] = name.split('.')
  const inside = SETTING_NAMES.filter((known) => known.startsWith(`${section}.`))
  const beside = SETTING_NAMES.filter((known) => !known.includes('.'))
  const names = inside.length > 0 ? inside : [...beside, ...SECTIONS]
  return `There are ${names.join(', ')}.`
}

/** By the whole name, by the section, or by what stands after the dot. */
function nearestSetting(name: string): string | null {
  const names = name.includes('.') ? SETTING_NAMES : [...SECTIONS, ...SETTING_NAMES]
  const whole = nearestName(name, names)
  if (whole !== null) return whole
  const lastOf = (one: string): string => one.slice(one.lastIndexOf('.') + 1)
  const last = nearestName(lastOf(name), SETTING_NAMES.map(lastOf))
  return SETTING_NAMES.find((known) => lastOf(known) === last) ?? null
}

function dottedName(name: string, path: string): CairnError {
  const [section, key] = name.split('.')
  return badInput(
    `${path} has a setting "${name}" in one word.`,
    `Write it as {"${section}": {"${key}": …}}.`,
  )
}

function keptInFile(name: SettingName, path: string): CairnError {
  const [variable] = settingOf(name).variables
  return badInput(
    `${name} in ${path} is a secret, which no file may hold.`,
    `Give it in the environment as ${variable}, and take it out of the file.`,
  )
}
