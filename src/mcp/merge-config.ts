/** Our entry comes into a client's configuration, and not a character of the rest changes. */

import { badInput } from '../core/errors.js'
import { readJsonPlaces, setJsonMember } from '../text/json-edit.js'
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
  const read = readJsonPlaces(existing, { comments: true })
  if (read.kind === 'broken' || read.root.members === null) {
    throw badInput(
      `${path} is not JSON: line ${read.kind === 'broken' ? read.line : 1} cannot be read.`,
      'Put it right first; nothing was changed.',
    )
  }
  const merged = setJsonMember(existing, read.root, [key, SERVER_NAME], value)
  if (merged !== null) return merged
  throw badInput(`"${key}" in ${path} is no object.`, 'Put it right, or add the entry by hand.')
}
