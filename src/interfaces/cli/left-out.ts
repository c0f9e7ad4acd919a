/** Promise: what an operation offers and the command line does not is written down here, with the reason. */

import type { OperationInput, OperationName } from '../operations/operations.js'

export const NOT_ON_THE_COMMAND_LINE: Partial<Record<OperationName, string>> = {
  'add.many': 'many records stand in a file, and `cairn import FILE` reads it',
  'import.works': 'works stand in a file of references, and `cairn import FILE` reads it',
}

type Reasons<Name extends OperationName> = Partial<Record<keyof OperationInput<Name>, string>>

const BY_VECTOR_ALONE = 'a record is compared by its vector alone: there are no words to rank by'
const ONE_BY_ONE = 'what is near to a record is read one by one'

export const WITHOUT_A_FLAG: { readonly [Name in OperationName]?: Reasons<Name> } = {
  'session.start': {
    attached: 'the process of a command is gone as soon as it has printed the id',
  },
  similar: {
    mode: BY_VECTOR_ALONE,
    lens: BY_VECTOR_ALONE,
    match: BY_VECTOR_ALONE,
    fields: BY_VECTOR_ALONE,
    useVector: BY_VECTOR_ALONE,
    alpha: BY_VECTOR_ALONE,
    k: BY_VECTOR_ALONE,
    keywordWeight: BY_VECTOR_ALONE,
    vectorWeight: BY_VECTOR_ALONE,
    recencyWeight: BY_VECTOR_ALONE,
    salienceWeight: BY_VECTOR_ALONE,
    boosts: BY_VECTOR_ALONE,
    highlight: BY_VECTOR_ALONE,
    facets: ONE_BY_ONE,
    recallSession: 'only what a question found is remembered as a recall',
  },
  stats: { sizes: 'a person who asks what the file holds is always told' },
  export: {
    kinds: 'works are all of one kind',
    includeDocuments: 'works are all of one kind',
    ids: 'a work is named as a word of the line',
  },
}
