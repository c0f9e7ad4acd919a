/** Decides which files of a folder are left out: by `.gitignore`, `.cairnignore`, and the options include and exclude. */

import type { Dirent } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ignore } from 'ignore'
import type { ReadOptions } from './importer.js'

export type IgnoreRules = {
  /** The file or option that holds the rules. */
  readonly rule: string
  /** The folder that the patterns are relative to: empty, or with a slash at its end. */
  readonly within: string
  readonly patterns: Ignore
  /** Whether the patterns name the files that are read. */
  readonly isInclude: boolean
}

/** In the order in which they count: a file deeper in the folder decides over one above it. */
const FILES = ['.gitignore', '.cairnignore']

export async function createRules({
  include = [],
  exclude = [],
}: Pick<ReadOptions, 'include' | 'exclude'>): Promise<IgnoreRules[]> {
  const { default: ignore } = await import('ignore')
  const options = [
    { rule: '--include', lines: include },
    { rule: '--exclude', lines: exclude },
  ]
  return options.flatMap(({ rule, lines }) => {
    if (lines.length === 0) return []
    const patterns = ignore().add([...lines])
    return [{ rule, within: '', patterns, isInclude: rule === '--include' }]
  })
}

/** The rules that files of a folder hold; `within` is empty for the folder that is imported. */
export async function readRules(
  folder: string,
  within: string,
  entries: readonly Dirent[],
): Promise<IgnoreRules[]> {
  const rules: IgnoreRules[] = []
  for (const rule of FILES) {
    if (!entries.some((entry) => entry.name === rule && entry.isFile())) continue
    const { default: ignore } = await import('ignore')
    const text = await readFile(join(folder, within, rule), 'utf8').catch(() => '')
    const prefix = within === '' ? '' : `${within}/`
    rules.push({ rule, within: prefix, patterns: ignore().add(text), isInclude: false })
  }
  return rules
}

/** The rule that leaves this name out; null if it is read. A folder ends with a slash. */
export function findRule(rules: readonly IgnoreRules[], name: string): string | null {
  let found: string | null = null
  for (const { rule, within, patterns, isInclude } of rules) {
    const { ignored, unignored } = patterns.test(name.slice(within.length))
    if (isInclude) {
      if (!ignored && !name.endsWith('/')) return rule
    } else if (ignored) {
      if (rule.startsWith('--')) return rule
      found = rule
    } else if (unignored) found = null
  }
  return found
}
