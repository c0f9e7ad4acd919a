/** Promise: the whole way from a typed question to an explained answer, on one screen. */

import { adviseOn } from './answering/advice.js'
import { loadPage } from './answering/load-page.js'
import { createLiteralMarker, createMarker, plainMarker } from './answering/marks.js'
import type { SearchAnswer } from './core/answer.js'
import type { Filter } from './core/filter.js'
import { parseQuery } from './query/parse.js'
import { printQuery } from './query/print.js'
import { readQuery } from './query/steps.js'
import { soughtBy } from './query/words.js'
import type { SearchRequest } from './requests/search-request.js'
import { findByKeyword } from './retrieval/keyword.js'
import type { Storage } from './storage/storage.js'
import { piecesOf } from './text/pieces.js'

export type Rooms = { readonly storage: Storage; readonly elapsedMs: () => number }

const SNIPPET_CHARS = 240

export async function search(
  rooms: Rooms,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const query = parseQuery(request.query)
  const reading = readQuery(query, request.match, piecesOf)
  const fields = request.fields ?? null
  const { limit, offset } = request

  const found = await findByKeyword(rooms.storage, {
    text: request.query,
    reading,
    fields,
    filter,
    page: { limit, offset },
  })
  const marker = chooseMarker(request, reading.steps.at(-1)?.root ?? null)
  const hits = await loadPage(rooms.storage, found.found, { marker, explain: request.explain })
  const { hint, ...advice } = await adviseOn(rooms.storage, { reading, fields, filter, found })

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
    degraded: null,
    total: { value: found.total, exact: true },
    tookMs: rooms.elapsedMs(),
    hits,
    facets: null,
    hint,
  }
}

function chooseMarker(request: SearchRequest, root: Parameters<typeof soughtBy>[0]) {
  if (!request.highlight) return plainMarker
  const symbols = request.query.trim()
  if (root === null && symbols !== '') return createLiteralMarker(symbols, SNIPPET_CHARS)
  return createMarker(soughtBy(root), SNIPPET_CHARS)
}
