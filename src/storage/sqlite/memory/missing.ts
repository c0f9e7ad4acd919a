/** What a memory speaks of and is not there is named in one sentence. */

import { CairnError } from '../../../core/errors.js'

export function noRecord(id: string): CairnError {
  return new CairnError('not_found', {
    message: `No record has the id "${id}".`,
    hint: 'List ids with `cairn list`.',
  })
}

export function noSession(id: string): CairnError {
  return new CairnError('not_found', {
    message: `No session is called "${id}".`,
    hint: 'Start it first, or leave the session out.',
  })
}
