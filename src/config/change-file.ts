/** One setting of a file changes, and everything else in it stays as it was written. */

import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { badInput, type CairnError } from '../core/errors.js'
import {
  type JsonPlace,
  readJsonPlaces,
  removeJsonMember,
  setJsonMember,
} from '../text/json-edit.js'
import { assertOwnAddress } from './addresses.js'
import type { Environment } from './environment.js'
import type { ConfigFile } from './find-files.js'
import { noSetting, readFileValues, readValue } from './read-values.js'
import { isSettingName, type SettingName, settingOf } from './settings.js'

/** A file and the setting of it that is meant; a file that is not there has the text null. */
export type Change = ConfigFile & {
  readonly name: string
}

export type Changed = { readonly text: string; readonly name: SettingName; readonly value: unknown }

/** The new text of the file, checked as a whole: what is written can be read. */
export function setInFile(
  change: Change,
  given: string,
  { folder, home }: Pick<Environment, 'folder' | 'home'>,
): Changed {
  const { path } = change
  const name = knownName(change.name)
  const said = readValue(name, given, name)
  if (change.kind === 'project') assertOwnAddress(name, said, path)
  const value = settingOf(name).kind === 'path' ? pathIn(path, String(said), folder) : said
  const before = change.text === null || change.text.trim() === '' ? '{}\n' : change.text
  const text = setJsonMember(before, rootOf(path, before), name.split('.'), value)
  if (text === null) throw notAnObject(path, name)
  readFileValues({ path, text }, { home })
  return { text, name, value }
}

/** Null: it is not said there. */
export function unsetInFile({
  path,
  text,
  name,
}: Omit<Change, 'kind'>): Omit<Changed, 'value'> | null {
  const known = knownName(name)
  if (text === null) return null
  const after = removeJsonMember(text, rootOf(path, text), known.split('.'))
  return after === text ? null : { text: after, name: known }
}

function knownName(name: string): SettingName {
  if (!isSettingName(name)) throw noSetting(name, null)
  const { kind, variables } = settingOf(name)
  if (kind !== 'secret') return name
  throw badInput(
    `${name} is a secret, which no file may hold.`,
    `Give it in the environment as ${variables[0]}.`,
  )
}

function rootOf(path: string, text: string): JsonPlace {
  const read = readJsonPlaces(text)
  if (read.kind === 'read' && read.root.members !== null) return read.root
  const [line, column] = read.kind === 'broken' ? [read.line, read.column] : [1, 1]
  throw badInput(
    `${path} is not an object of JSON: line ${line}, column ${column} cannot be read.`,
    'Put it right first; nothing was changed.',
  )
}

function notAnObject(path: string, name: string): CairnError {
  return badInput(`${name.split('.')[0]} in ${path} is no object.`, 'Put it right first.')
}

/** A path is typed from the working folder and read from the folder of the file. */
function pathIn(file: string, path: string, folder: string): string {
  if (path === ':memory:' || path.startsWith('~') || isAbsolute(path)) return path
  return relative(dirname(file), resolve(folder, path))
}
