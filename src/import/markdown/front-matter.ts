/** Separates the YAML front matter of a Markdown file from its text, and writes it. */

import { isDeepStrictEqual } from 'node:util'
import { type Fields, isFields } from '../../core/json-fields.js'

/** A longer block is a text between two rules. */
const MAX_CHARS = 100_000
const OPENING = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/
const TOML = 'The front matter is TOML, which is not supported; it stays in the text.'

/**
 * `data` is as YAML 1.2 reads it: dates stay texts. `body` is the whole text if the front matter cannot be read.
 * @example
 * await readFrontMatter('---\ntags: [a, b]\n---\n# Title\n')
 * // { data: { tags: ['a', 'b'] }, body: '# Title\n', problem: null }
 */
export async function readFrontMatter(text: string) {
  const block = findBlock(text)
  if (block === null) return { data: {}, body: text, problem: null }
  if (block.mark === '+++') return { data: {}, body: text, problem: TOML }
  const { data, problem } = await parseYaml(block.inner)
  return { data: data ?? {}, body: data === null ? text : text.slice(block.end), problem }
}

/**
 * The text with exactly these fields as its front matter, and another body if one is given. Comments, the order of the fields
 * and the form of those that stay the same are kept.
 */
export async function writeFrontMatter(text: string, fields: Fields, newBody?: string) {
  const { Document, parseDocument } = await import('yaml')
  const { data, body } = await readFrontMatter(text)
  const print = (document: InstanceType<typeof Document>): string => {
    const block = `---\n${document.toString({ lineWidth: 0 })}---\n`
    return (text.includes('\r\n') ? block.replaceAll('\n', '\r\n') : block) + (newBody ?? body)
  }
  const old = body === text ? null : findBlock(text)
  if (old !== null) {
    const document = parseDocument(old.inner)
    for (const key of Object.keys(data)) if (!(key in fields)) document.delete(key)
    for (const [key, value] of Object.entries(fields)) {
      if (isDeepStrictEqual(data[key], value)) continue
      // A single value replaces the old one in its node, which keeps the comment.
      document.set(key, typeof value === 'object' ? document.createNode(value) : value)
    }
    try {
      const edited = print(document as InstanceType<typeof Document>)
      if (isDeepStrictEqual((await readFrontMatter(edited)).data, fields)) return edited
    } catch {
      // A field was removed that an alias elsewhere names.
    }
  }
  return print(new Document(fields, { aliasDuplicateObjects: false }))
}

/** From the mark in the first line to the closing mark; null if there is none. */
function findBlock(text: string) {
  const [opening = '', mark] = OPENING.exec(text) ?? []
  if (mark === undefined) return null
  const start = opening.length
  const closing = mark === '---' ? /^(?:---|\.\.\.)[ \t]*\r?$/m : /^\+\+\+[ \t]*\r?$/m
  const found = closing.exec(text.slice(start, start + MAX_CHARS))
  if (found === null) return null
  const newline = text.indexOf('\n', start + found.index)
  const end = newline < 0 ? text.length : newline + 1
  return { mark, inner: text.slice(start, start + found.index), end }
}

/** `data` is null if the block is not front matter, or (with a `problem`) not valid YAML. */
async function parseYaml(inner: string): Promise<{ data: Fields | null; problem: string | null }> {
  if (isTooDeep(inner)) return { data: null, problem: describeProblem('it is nested too deeply') }
  const { LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  try {
    const document = parseDocument(inner, { lineCounter, logLevel: 'silent', prettyErrors: false })
    const [error] = document.errors
    if (error !== undefined) {
      const line = lineCounter.linePos(error.pos[0]).line + 1
      return { data: null, problem: describeProblem(`line ${line}: ${error.message}`) }
    }
    const value: unknown = document.toJS() ?? {}
    // Prose between two rules is not an error.
    if (!isFields(value)) return { data: null, problem: null }
    if (isTree(value)) return { data: value, problem: null }
    return { data: null, problem: describeProblem('a value contains itself') }
  } catch (error) {
    // Aliases that multiply without end are found only when they are resolved.
    const reason = error instanceof Error ? error.message : String(error)
    return { data: null, problem: describeProblem(reason) }
  }
}

const MAX_DEPTH = 100
/** Lists in lists on one line: `- - - a`. */
const COMPACT = new RegExp(`(?:[-?:][ \\t]+){${MAX_DEPTH}}`)

/** The parser recurses, and a pattern that Node compiles with little stack left ends the process. */
function isTooDeep(inner: string): boolean {
  let depth = 0
  for (const [bracket] of inner.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1))
    if (depth > MAX_DEPTH) return true
  }
  return COMPACT.test(inner)
}

function describeProblem(reason: string): string {
  const [line = ''] = reason.split('\n')
  return `The front matter is not valid YAML (${line.replace(/[\s.:]+$/, '')}); it stays in the text.`
}

function isTree(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (above.includes(value)) return false
  return Object.values(value).every((part) => isTree(part, [...above, value]))
}
