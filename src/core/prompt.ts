/** Reads the prompts, which are files, puts values into them, and fences texts of records off as data. */

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChatRequest } from './chat-protocols.js'
import { CairnError } from './errors.js'

/** Divides the task of the model from its input. */
const DIVIDER = /^---\r?$/m

/**
 * Fills `prompts/NAME.md`: `{{name}}` stands for the value of that name. A value is put in as it is, once.
 * @example
 * const request = fillPrompt('ask', { marker, question, passages })
 */
export function fillPrompt(
  name: string,
  values: Readonly<Record<string, string | number>>,
): Pick<ChatRequest, 'system' | 'user'> {
  const [system = '', user = ''] = readPrompt(name).split(DIVIDER)
  const fill = (text: string) =>
    text.trim().replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = Object.hasOwn(values, key) ? values[key] : undefined
      if (value === undefined) throw badPrompt(`The prompt "${name}" has no value for {{${key}}}.`)
      return String(value)
    })
  return { system: fill(system), user: fill(user) }
}

/** The nearest `prompts/` above the code: above `src/` in the project, above `dist/` in the package. */
function readPrompt(name: string): string {
  const from = fileURLToPath(import.meta.url)
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const path = join(folder, 'prompts', `${name}.md`)
    if (existsSync(path)) return readFileSync(path, 'utf8')
    if (dirname(folder) === folder) throw badPrompt(`The prompt prompts/${name}.md is missing.`)
  }
}

/** Nobody who writes a record can know it, so no record can pretend to end the fence. */
export function createMarker(): string {
  return randomBytes(9).toString('base64url').replace(/[-_]/g, 'x')
}

/** `label` names the text: `passage 2`. */
export function fence(text: string, marker: string, label: string): string {
  return `<${marker} ${label}>\n${text.replaceAll(marker, '')}\n</${marker}>`
}

function badPrompt(message: string): CairnError {
  return new CairnError('bad_model', { message, hint: 'Install cairn-search again.' })
}
