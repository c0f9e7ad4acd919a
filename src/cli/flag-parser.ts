/** An input and a command line say the same: the words and flags that are read are those that would be written. */

import { badInput } from '../core/errors.js'
import type { Option } from '../operations/operation.js'
import type { Flags, FlagValues, Input, Word } from './command.js'
import type { Forms, Spoken } from './forms.js'

/** The question that is asked where a word is missing, and what to do. */
export type Missing = readonly [message: string, hint?: string]

/** A word of the command line, and the key of the input that it fills. */
export type InputWord<Key extends string = string> = {
  readonly key: Key
  readonly name: string
  /** One; several, as a list; the rest of the line as one text; or one of several that are done in turn. */
  readonly takes: 'one' | 'list' | 'rest' | 'each'
  /** Null where it may be left out. */
  readonly missing: Missing | null
  /** Where the word says more than the key. */
  readonly help?: string
}

type PlainInput = Readonly<Record<string, unknown>>

export type FlagParser = {
  readonly words: readonly Word[]
  readonly flags: Flags
  readonly read: (given: Input) => PlainInput
  readonly write: (input: PlainInput) => Input
  /** What a part of the input is called: `--as-of`, `TEXT`; null where it is not said here. */
  readonly nameOf: (path: readonly string[]) => string | null
}

export function speechOf(
  options: Readonly<Record<string, Option>>,
  words: readonly InputWord[],
  forms: Forms,
): FlagParser {
  const said = speechOfFlags(options, forms)
  return {
    words: words.map(({ key, name, takes, missing, help }) => ({
      name,
      help: help ?? options[key]?.help ?? '',
      isOptional: missing === null,
      isMany: takes !== 'one',
    })),
    flags: said.flags,
    read: ({ words: given, flags }) => ({ ...readWords(words, given), ...said.read(flags) }),
    write: (input) => ({ words: writeWords(words, input), flags: said.write(input) }),
    nameOf: (path) => {
      const word = words.find(({ key }) => key === path[0])
      return word?.name ?? said.nameOf(path)
    },
  }
}

/** What flags alone say of the keys that have a form. */
export function speechOfFlags(options: Readonly<Record<string, Option>>, forms: Forms) {
  const spoken = new Map<string, Spoken>()
  for (const [key, form] of Object.entries(forms)) {
    const option = options[key]
    if (form === undefined || option === undefined) throw new Error(`there is no option ${key}`)
    spoken.set(key, form(key, option))
  }
  const each = [...spoken]
  return {
    flags: Object.assign({}, ...each.map(([, { flags }]) => flags)) as Flags,
    /** What was given, under the names of the input; what was not is not there. */
    read: (given: FlagValues): PlainInput =>
      Object.fromEntries(
        each
          .map(([key, { read }]) => [key, read(given)] as const)
          .filter(([, value]) => value !== undefined),
      ),
    write: (input: PlainInput): FlagValues =>
      Object.assign({}, ...each.map(([key, { write }]) => (key in input ? write(input[key]) : {}))),
    nameOf: ([key = '', ...within]: readonly string[]): string | null =>
      spoken.get(key)?.nameOf(within) ?? null,
  }
}

function readWords(words: readonly InputWord[], given: readonly string[]): PlainInput {
  const input: Record<string, unknown> = {}
  for (const [i, { key, takes, missing }] of words.entries()) {
    const value = readWord(takes, given.slice(i))
    if (value !== undefined) input[key] = value
    else if (missing !== null) throw badInput(...missing)
  }
  return input
}

function readWord(takes: InputWord['takes'], rest: readonly string[]): unknown {
  switch (takes) {
    case 'one':
    case 'each':
      return rest[0]
    case 'list':
      return rest.length === 0 ? undefined : rest
    case 'rest': {
      const text = rest.join(' ')
      return text.trim() === '' ? undefined : text
    }
  }
}

function writeWords(words: readonly InputWord[], input: PlainInput): string[] {
  return words.flatMap(({ key }) => (key in input ? (input[key] as string | string[]) : []))
}
