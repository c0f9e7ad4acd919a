/** A setting is one line: its key, its value, and who said so. */

import { padTo, type Style, safe, widthOf } from './style.js'

export type SettingShown = {
  readonly key: string
  readonly value: unknown
  readonly from: 'flag' | 'environment' | 'project' | 'user' | 'default'
  /** The flag, the variable or the path of the file; null for a default. */
  readonly where: string | null
  /** What holds where there is no value, in words. */
  readonly otherwise: string | null
}

export function renderSettings(settings: readonly SettingShown[], style: Style): string {
  const rows = settings.map(({ key, value, from, where, otherwise }) => ({
    key,
    value: value === null ? (otherwise ?? '') : safe(String(value)),
    isSaid: from !== 'default',
    where: safe(where === null ? 'default' : from === 'environment' ? `$${where}` : where),
  }))
  const keys = Math.max(...rows.map(({ key }) => widthOf(key)))
  const values = Math.max(...rows.map(({ value }) => widthOf(value)))
  return rows
    .map(({ key, value, isSaid, where }) => {
      const padded = padTo(value, values)
      return `${padTo(key, keys)}  ${isSaid ? style.bold(padded) : style.dim(padded)}  ${style.dim(where)}\n`
    })
    .join('')
}

export function renderConfigFiles(
  files: readonly { readonly kind: string; readonly path: string; readonly exists: boolean }[],
  style: Style,
): string {
  return files
    .map(({ kind, path, exists }) => {
      const line = `${kind.padEnd(7)}  ${exists ? 'read     ' : 'not there'}  ${safe(path)}`
      return `${exists ? line : style.dim(line)}\n`
    })
    .join('')
}
