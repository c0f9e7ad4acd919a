/** What a command cannot do without is asked for in one sentence. */

import type { InputWord, Missing } from './flag-parser.js'

export const WANTED = {
  record: ['Which record? Give its id.', '`cairn list` shows the ids.'],
  records: ['Which record? Give one id or more.', '`cairn list` shows the ids.'],
  session: ['Which session? Give its id.', '`cairn session list` shows those there are.'],
  fact: ['Which fact? Give its id.', '`cairn fact list` shows the ids.'],
  lens: ['Which lens? Give its name.', '`cairn lens list` shows those there are.'],
  work: [
    'Which work? Give its id, DOI, OpenAlex id, arXiv id or citation key.',
    '`cairn list --kind work` shows those there are.',
  ],
} as const satisfies Record<string, Missing>

/** Two records, one for each of these roles. */
export function twoWanted(first: string, second: string): Missing {
  return [`Give two ids: ${first}, then ${second}.`, '`cairn list` shows the ids.']
}

type OneWord<Key extends string> = Pick<InputWord<Key>, 'key' | 'name'> & {
  /** Without a question the word may be left out. */
  readonly missing?: Missing
  readonly help?: string
}

export const word = <Key extends string>(given: OneWord<Key>): InputWord<Key> =>
  taking('one', given)
/** As many as are given, as a list. */
export const words = <Key extends string>(given: OneWord<Key>): InputWord<Key> =>
  taking('list', given)
/** The rest of the line as one text, so that a question needs no quotes. */
export const restOfLine = <Key extends string>(given: OneWord<Key>): InputWord<Key> =>
  taking('rest', given)
/** One after the other. */
export const eachWord = <Key extends string>(given: OneWord<Key>): InputWord<Key> =>
  taking('each', given)

function taking<Key extends string>(
  takes: InputWord['takes'],
  { missing = undefined, ...given }: OneWord<Key>,
): InputWord<Key> {
  return { ...given, takes, missing: missing ?? null }
}
