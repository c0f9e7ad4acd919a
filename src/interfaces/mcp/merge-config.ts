/** Promise: our entry comes into a client's configuration, and not a character of the rest changes. */

import { badInput } from '../../core/errors.js'
import { type ClientConfig, SERVER_NAME, tomlTable } from './clients.js'

/** The new text of the file; a file that is not there is given as ''. */
export function mergeConfig(existing: string, config: ClientConfig): string {
  if (existing.trim() === '') return config.text
  return config.format === 'toml' ? mergeToml(existing, config) : mergeJson(existing, config)
}

function mergeToml(existing: string, { key, value }: ClientConfig): string {
  const own = `${key}.${SERVER_NAME}`
  const lines = existing.split('\n')
  const tableOf = (line: string): string | null =>
    /^\s*\[+([^\]]+)\]/.exec(line)?.[1]?.trim() ?? null
  const start = lines.findIndex((line) => tableOf(line) === own)
  const table = tomlTable(key, value).trimEnd()
  if (start < 0) return `${existing.trimEnd()}\n\n${table}\n`
  const length = lines.slice(start + 1).findIndex((line) => {
    const name = tableOf(line)
    return name !== null && name !== own && !name.startsWith(`${own}.`)
  })
  const rest = length < 0 ? [] : ['', ...lines.slice(start + 1 + length)]
  return `${[...lines.slice(0, start), ...table.split('\n'), ...rest].join('\n').trimEnd()}\n`
}

function mergeJson(existing: string, { path, key, value }: ClientConfig): string {
  const root = readJson(existing, path)
  const servers = root.members.find((member) => member.name === key)
  if (servers === undefined) {
    return insert(existing, root, `"${key}": ${indent({ [SERVER_NAME]: value }, 1)}`, 1)
  }
  if (servers.value.members === null) {
    throw badInput(`"${key}" in ${path} is no object.`, 'Put it right, or add the entry by hand.')
  }
  const own = servers.value.members.find((member) => member.name === SERVER_NAME)
  if (own !== undefined) {
    const { start, end } = own.value
    return existing.slice(0, start) + indent(value, 2) + existing.slice(end)
  }
  const { start, members } = servers.value
  return insert(existing, { start, members }, `"${SERVER_NAME}": ${indent(value, 2)}`, 2)
}

function indent(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

type OpenObject = { readonly start: number; readonly members: readonly Member[] }

/** As the first member: what follows keeps its place, its comma and its comments. */
function insert(
  text: string,
  { start, members }: OpenObject,
  entry: string,
  depth: number,
): string {
  const line = `\n${'  '.repeat(depth)}${entry}${members.length > 0 ? ',' : ''}`
  const after = text.slice(start + 1)
  const closing = members.length === 0 && /^\s*\}/.test(after) ? `\n${'  '.repeat(depth - 1)}` : ''
  return text.slice(0, start + 1) + line + (closing === '' ? after : closing + after.trimStart())
}

type Value = {
  readonly start: number
  readonly end: number
  /** Null: no object. */
  readonly members: readonly Member[] | null
}
type Member = { readonly name: string; readonly value: Value }

/** JSON with comments and trailing commas, as editors write it; only the places of things are wanted. */
function readJson(text: string, path: string): OpenObject {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  const skip = (): void => {
    const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
    space.lastIndex = at
    at += space.exec(text)?.[0].length ?? 0
  }
  const broken = () => {
    const line = text.slice(0, at).split('\n').length
    return badInput(
      `${path} is not JSON: line ${line} cannot be read.`,
      'Put it right first; nothing was changed.',
    )
  }
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found === undefined) throw broken()
    at += found.length
    return found
  }
  const readValue = (): Value => {
    skip()
    const start = at
    const members = text[at] === '{' ? readMembers() : null
    if (members === null && text[at] === '[') readItems()
    else if (members === null) take(SCALAR)
    return { start, end: at, members }
  }
  const readMembers = (): Member[] => {
    const members: Member[] = []
    at += 1
    for (skip(); text[at] !== '}'; skip()) {
      const name = JSON.parse(take(STRING)) as string
      skip()
      take(/:/y)
      members.push({ name, value: readValue() })
      skip()
      if (text[at] !== '}') take(/,/y)
    }
    at += 1
    return members
  }
  const readItems = (): void => {
    at += 1
    for (skip(); text[at] !== ']'; skip()) {
      readValue()
      skip()
      if (text[at] !== ']') take(/,/y)
    }
    at += 1
  }
  const { start, members } = readValue()
  skip()
  if (members === null || at < text.length) throw broken()
  return { start, members }
}

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = new RegExp(
  `${STRING.source}|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`,
  'uy',
)
