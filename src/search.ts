/** Promise: the whole way from a typed question to an explained answer, on one screen. */

import { adviseOn } from './answering/advice.js'
import { loadPage } from './answering/load-page.js'
import { chooseMarker, createWordsIn } from './answering/marks.js'
import type { SearchAnswer } from './core/answer.js'
import type { Filter } from './core/filter.js'
import { findByBoth } from './hybrid.js'
import { plainText } from './query/constraints.js'
import { parseQuery } from './query/parse.js'
import { printQuery } from './query/print.js'
import { readQuery } from './query/steps.js'
import { sidesOf } from './ranking/fusion.js'
import { findLens, type Lens } from './ranking/lenses.js'
import { withOverrides } from './ranking/overrides.js'
import type { Mode, SearchRequest } from './requests/search-request.js'
import { findByKeyword } from './retrieval/keyword.js'
import { findByMeaning, type QuestionReader } from './retrieval/vector.js'
import type { Storage } from './storage/storage.js'
import { piecesOf } from './text/pieces.js'

export type Rooms = {
  readonly storage: Storage
  /** Gives a question its vector, or the reason why there is none. */
  readonly readQuestion: QuestionReader
  readonly elapsedMs: () => number
  readonly now: () => number
}

export async function search(
  { storage, readQuestion, elapsedMs, now }: Rooms,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const query = parseQuery(request.query)
  const reading = readQuery(query, request.match, piecesOf)
  const lens = withOverrides(findLens(request.lens), request)
  const mode = modeOf(request.mode, lens)
  const page = { limit: request.limit, offset: request.offset }
  const fields = request.fields ?? null
  const threshold = request.threshold ?? null
  const way = { query, reading, lens, fields, filter, threshold, page, now: now() }

  const question = mode === 'keyword' ? '' : plainText(query.root)
  const read = question === '' ? null : await readQuestion(question, request.useVector)
  const found =
    read?.kind !== 'vector'
      ? await findByKeyword(storage, { ...way, text: request.query })
      : mode === 'semantic'
        ? await findByMeaning(storage, { ...way, ...read, root: query.root, exclude: [] })
        : await findByBoth(storage, { ...way, ...read })

  const isJoined = mode === 'hybrid' && read?.kind === 'vector'
  const hits = await loadPage(storage, found.found, {
    marker: chooseMarker(request, reading, found.widest),
    withReasons: request.explain,
    wordsIn: isJoined ? createWordsIn(reading) : null,
  })
  const relaxed = found.relaxed || hits.some((hit) => hit.relaxed !== null)
  const { hint, ...advice } = await adviseOn(storage, {
    ...way,
    found: { ...found, relaxed },
    byMeaning: mode === 'semantic' && read?.kind === 'vector',
  })
  return {
    query: {
      text: request.query,
      readAs: printQuery(reading.root),
      mode: request.mode,
      lens: lens.name,
      match: request.match,
      relaxed,
      ...advice,
    },
    scope: { namespaces: filter.namespaces ?? 'all' },
    degraded: read?.degraded ?? null,
    total: { value: found.total, exact: found.isExact },
    tookMs: elapsedMs(),
    hits,
    facets: null,
    hint,
  }
}

/** A side that the lens does not listen to is not asked: an alpha of 0 or 1 is exactly the other one. */
function modeOf(asked: Mode, { fusion }: Lens): Mode {
  if (asked !== 'hybrid') return asked
  const { words, meaning } = sidesOf(fusion)
  return !meaning ? 'keyword' : !words ? 'semantic' : 'hybrid'
}
