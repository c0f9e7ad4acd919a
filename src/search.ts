/** Promise: the whole way from a typed question to an explained answer, on one screen. */

import { adviseOn } from './answering/advice.js'
import { loadPage } from './answering/load-page.js'
import { chooseMarker } from './answering/marks.js'
import type { SearchAnswer } from './core/answer.js'
import type { Filter } from './core/filter.js'
import { plainText } from './query/constraints.js'
import { parseQuery } from './query/parse.js'
import { printQuery } from './query/print.js'
import { readQuery } from './query/steps.js'
import type { SearchRequest } from './requests/search-request.js'
import type { FoundPage } from './retrieval/found.js'
import { findByKeyword } from './retrieval/keyword.js'
import { findByMeaning, type QuestionReader } from './retrieval/vector.js'
import type { Storage } from './storage/storage.js'
import { piecesOf } from './text/pieces.js'

export type Rooms = {
  readonly storage: Storage
  /** Gives a question its vector, or the reason why there is none. */
  readonly readQuestion: QuestionReader
  readonly elapsedMs: () => number
}

export async function search(
  rooms: Rooms,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const query = parseQuery(request.query)
  const reading = readQuery(query, request.match, piecesOf)
  const fields = request.fields ?? null
  const page = { limit: request.limit, offset: request.offset }

  const question = request.mode === 'semantic' ? plainText(query.root) : ''
  const read = question === '' ? null : await rooms.readQuestion(question, request.useVector)
  const found: FoundPage =
    read?.kind === 'vector'
      ? await findByMeaning(rooms.storage, {
          ...read,
          root: query.root,
          fields,
          filter,
          threshold: request.threshold ?? null,
          exclude: [],
          page,
        })
      : await findByKeyword(rooms.storage, { text: request.query, reading, fields, filter, page })

  const marker = chooseMarker(request, reading)
  const hits = await loadPage(rooms.storage, found.found, { marker, withReasons: request.explain })
  const { hint, ...advice } = await adviseOn(rooms.storage, {
    reading,
    fields,
    filter,
    found,
    byMeaning: read?.kind === 'vector',
  })
  return {
    query: {
      text: request.query,
      readAs: printQuery(reading.root),
      mode: request.mode,
      lens: 'balanced',
      match: request.match,
      relaxed: found.relaxed,
      ...advice,
    },
    scope: { namespaces: filter.namespaces ?? 'all' },
    degraded: read?.degraded ?? null,
    total: { value: found.total, exact: found.isExact },
    tookMs: rooms.elapsedMs(),
    hits,
    facets: null,
    hint,
  }
}
