/** `cairn config` shows every setting with its value and origin, and changes one in its file. */

import { join } from 'node:path'
import {
  type ConfigFile,
  findFiles,
  PROJECT_FILE,
  setInFile,
  unsetInFile,
} from '../../config/config-file.js'
import type { Configuration } from '../../config/configuration.js'
import { getSetting, SETTING_NAMES, type SettingName } from '../../config/settings.js'
import { hidePassword } from '../../core/database-url.js'
import { badInput } from '../../core/errors.js'
import type { CommandContext, Outcome } from '../command.js'
import { replaceFile } from '../files.js'
import { toEnvironment } from '../open.js'
import { measureWidth, padTo, type Style, safe } from '../render/style.js'

export async function runConfigShow({ configuration }: CommandContext): Promise<Outcome> {
  const read = configuration()
  const settings = SETTING_NAMES.map((key) => describeSetting(key, read))
  return { json: { settings }, text: (style) => renderSettings(settings, style) }
}

type SettingShown = ReturnType<typeof describeSetting>

/** Of a secret only whether it is set. */
function describeSetting(key: SettingName, { get, getGiven, getOrigin }: Configuration) {
  const origin = getOrigin(key)
  const { kind, otherwise = null } = getSetting(key)
  const secret = getGiven(key) === undefined ? null : 'set'
  const shown = key === 'db' ? hidePassword(String(get(key))) : (get(key) ?? null)
  const value = kind === 'secret' ? secret : shown
  return {
    key,
    value,
    from: origin.kind,
    where: origin.kind === 'default' ? null : 'path' in origin ? origin.path : origin.name,
    /** The default in words, if there is no value. */
    otherwise: value === null ? otherwise : null,
  }
}

function renderSettings(settings: readonly SettingShown[], style: Style): string {
  const values = settings.map(({ value, otherwise }) =>
    value === null ? (otherwise ?? '') : safe(String(value)),
  )
  const keyWidth = Math.max(...settings.map(({ key }) => key.length))
  const valueWidth = Math.max(...values.map(measureWidth))
  const lines = settings.map(({ key, from, where }, i) => {
    const value = padTo(values[i] ?? '', valueWidth)
    const shown = from === 'default' ? style.dim(value) : style.bold(value)
    const origin = safe(`${from === 'environment' ? '$' : ''}${where ?? 'default'}`)
    return `${key.padEnd(keyWidth)}  ${shown}  ${style.dim(origin)}\n`
  })
  return lines.join('')
}

export async function runConfigPath({ cli }: CommandContext): Promise<Outcome> {
  const files = findFiles(toEnvironment(cli)).map(({ kind, path, text }) => ({
    kind,
    path,
    exists: text !== null,
  }))
  return {
    json: { files },
    text: (style) =>
      files
        .map(({ kind, path, exists }) => {
          const line = `${kind.padEnd(7)}  ${exists ? 'read     ' : 'not there'}  ${safe(path)}`
          return `${exists ? line : style.dim(line)}\n`
        })
        .join(''),
  }
}

export async function runConfigSet({ positionals, flags, cli }: CommandContext): Promise<Outcome> {
  const [name, given] = positionals
  if (name === undefined || given === undefined) {
    throw badInput('Which setting, and what shall it be? Give a key and a value.', LIST)
  }
  const file = chooseFile(flags.user === true, cli)
  const { text, value } = setInFile({ ...file, name }, given, cli)
  await write(file.path, text)
  return {
    json: { key: name, value, path: file.path },
    text: () => `${name} is ${JSON.stringify(value)} in ${file.path}\n`,
  }
}

export async function runConfigUnset({
  positionals,
  flags,
  cli,
}: CommandContext): Promise<Outcome> {
  const [name] = positionals
  if (name === undefined) throw badInput('Which setting? Give its key.', LIST)
  const file = chooseFile(flags.user === true, cli)
  const changed = unsetInFile({ ...file, name })
  if (changed !== null) await write(file.path, changed.text)
  return {
    json: { key: name, path: file.path, changed: changed !== null },
    text: () => `${name} is ${changed === null ? 'not' : 'no longer'} set in ${file.path}\n`,
  }
}

const LIST = '`cairn config show` lists the settings.'

/** The nearest project file, else a new one in the working folder; or the user's. */
function chooseFile(isUser: boolean, cli: CommandContext['cli']): ConfigFile {
  const files = findFiles(toEnvironment(cli))
  const wanted = files.filter(({ kind }) => kind === (isUser ? 'user' : 'project'))
  const there = isUser ? wanted[0] : wanted.find(({ text }) => text !== null)
  return there ?? { kind: 'project', path: join(cli.folder, PROJECT_FILE), text: null }
}

function write(path: string, text: string): Promise<void> {
  return replaceFile(path, text, {
    message: `The configuration ${path} cannot be written.`,
    hint: 'Check who may write there.',
  })
}
