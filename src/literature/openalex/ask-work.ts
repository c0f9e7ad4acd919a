/** One work is asked for by its identifier, and one that is not known is null. */

import type { Work } from '../../core/work.js'
import type { Identifier } from '../identifiers.js'
import { ask, type Expected, type Service } from './ask.js'
import { textAt } from './json.js'
import { pathOf } from './questions.js'
import { FIELDS, readWork } from './read-work.js'

const A_WORK: Expected = {
  name: 'a work',
  fits: (answer) => textAt(answer, 'id') !== null || readWork(answer) !== null,
}

export async function askWork(
  service: Service,
  id: Identifier,
  signal: AbortSignal | undefined,
): Promise<Work | null> {
  const path = pathOf(id)
  if (path === null) return null
  const params = { select: FIELDS.join(',') }
  const answer = await ask(service, { path, params, expects: A_WORK, signal })
  if (answer === undefined) return null
  const work = readWork(answer)
  if (work === null) service.note('untitled')
  return work
}
