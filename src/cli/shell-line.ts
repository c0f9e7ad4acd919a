/** A line that is shown can be copied into a shell, and means what it shows. */

import type { Input } from './command.js'

/** The arguments that say this, words first. */
export function argumentsOf({ words, flags }: Input): string[] {
  const spelled = Object.entries(flags).flatMap(([name, value]) => spellFlag(name, value))
  const hasDash = words.some((word) => word.startsWith('-'))
  return hasDash ? [...spelled, '--', ...words] : [...words, ...spelled]
}

function spellFlag(name: string, value: Input['flags'][string]): string[] {
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)]
  // A value that begins with a dash would be taken for the next flag.
  return values.flatMap((one) => (one.startsWith('-') ? `--${name}=${one}` : [`--${name}`, one]))
}

export function shellLine(args: readonly string[]): string {
  return args.map(quoted).join(' ')
}

/** In quotes where the shell would read more into it than stands there. */
export function quoted(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`
}
