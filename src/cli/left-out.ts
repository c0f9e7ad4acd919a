/** What an operation offers and the command line does not is written down here, with the reason. */

import type { OperationInput, OperationName } from '../operations/operations.js'

export const NOT_ON_THE_COMMAND_LINE: Partial<Record<OperationName, string>> = {
  'add.many': 'many records stand in a file, and `cairn import FILE` reads it',
  'import.works': 'works stand in a file of references, and `cairn import FILE` reads it',
}

type Reasons<Name extends OperationName> = Partial<Record<keyof OperationInput<Name>, string>>

export const WITHOUT_A_FLAG: { readonly [Name in OperationName]?: Reasons<Name> } = {
  'session.start': {
    attached: 'the process of a command is gone as soon as it has printed the id',
  },
  stats: { sizes: 'a person who asks what the file holds is always told' },
  export: {
    kinds: 'works are all of one kind',
    includeDocuments: 'works are all of one kind',
    ids: 'a work is named as a word of the line',
  },
}
