/** A file of any length is read line by line, and what cannot be read is named with its line. */

import { createReadStream } from 'node:fs'
import { badInput, CairnError } from '../core/errors.js'

export type Line = { readonly text: string; readonly number: number }

/**
 * The lines that are not blank, numbered from 1. Splits on line feeds alone: a JSON text may hold U+2028, at which
 * Node's own `readline` would cut it in two.
 */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let rest = ''
  let number = 0
  for await (const chunk of chunksOf(file)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      number++
      if (text.trim() !== '') yield { text: clean(text), number }
    }
  }
  if (rest.trim() !== '') yield { text: clean(rest), number: number + 1 }
}

export type Fields = Readonly<Record<string, unknown>>

/** The JSON object of a line. */
export function readObject(file: string, line: Line): Fields {
  let value: unknown
  try {
    value = JSON.parse(line.text)
  } catch {
    throw brokenLine(file, line, 'this is not JSON')
  }
  if (isFields(value)) return value
  throw brokenLine(file, line, 'this is not a JSON object')
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Ids are text; some sets write them as numbers. */
export function readId(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

export function brokenLine(file: string, { number }: Pick<Line, 'number'>, why: string) {
  return badInput(
    `${file}, line ${number}: ${why}.`,
    'docs/evaluation.md shows the shape of a set.',
  )
}

async function* chunksOf(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file, { encoding: 'utf8' })
  try {
    for await (const chunk of stream) yield String(chunk)
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `${file} cannot be read.`,
      hint: 'Is it there, a file, and may you read it?',
      cause,
    })
  }
}

function clean(text: string): string {
  return text.replace(/^\uFEFF|\r$/g, '')
}
