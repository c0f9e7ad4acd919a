/** The whole way from a typed question to an explained answer, on one screen. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import { plainText } from '../query/constraints.js'
import { parseQuery } from '../query/parse.js'
import { printQuery } from '../query/print.js'
import { readQuery } from '../query/steps.js'
import type { Mode, SearchRequest } from '../schemas/search-request.js'
import type { Storage } from '../storage/storage.js'
import type { ModelInfo } from '../storage/vectors.js'
import { piecesOf } from '../text/pieces.js'
import { adviseOn } from './advice.js'
import { withBoosts } from './boosting.js'
import { type Find, withCorrections } from './corrections.js'
import { countFound } from './count-found.js'
import { sidesOf } from './fusion.js'
import { findByBoth } from './hybrid.js'
import { findByKeyword } from './keyword.js'
import { findLens, type Lens } from './lenses.js'
import { loadPage } from './load-page.js'
import { chooseMarker, createWordsIn } from './marks.js'
import { withOverrides } from './overrides.js'
import { findByVector, type QueryEmbedder } from './vector.js'

export type SearchContext = {
  readonly storage: Storage
  /** Gives a question its vector, or the reason why there is none. */
  readonly readQuestion: QueryEmbedder
  readonly elapsedMs: () => number
  readonly now: () => number
  readonly decay: number
}

export async function search(
  { readQuestion, elapsedMs, ...rooms }: SearchContext,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const query = parseQuery(request.query)
  const reading = readQuery(query, request.match, piecesOf)
  const lens = withOverrides(findLens(request.lens), request)
  const mode = modeOf(request.mode, lens)
  const now = request.asOf ?? rooms.now()
  // An empty list names no field, as an empty list of tags names no tag.
  const fields = request.fields?.length ? request.fields : null
  const threshold = request.threshold ?? null
  const { boosts, limit } = request
  const way = { query, reading, lens, fields, threshold, boosts, now, decay: rooms.decay }

  const question = mode === 'keyword' ? '' : plainText(query.root)
  const read = question === '' ? null : await readQuestion(question, request.useVector)
  const meaning =
    read?.kind === 'vector'
      ? { ...read, threshold: threshold ?? floorOf(mode, lens, read.model) }
      : null
  // A model may be slow or far away; from here on everything is read at one moment of the file.
  return rooms.storage.snapshot(async (storage) => {
    const find: Find = (within, page) => {
      const here = { ...way, filter: within }
      if (meaning !== null && mode === 'hybrid')
        return findByBoth(storage, { ...here, page, ...meaning })
      return withBoosts(storage, { boosts, asOfMs: within.asOfMs }, page, (own) =>
        meaning === null
          ? findByKeyword(storage, { ...here, page: own, text: request.query, enough: limit })
          : findByVector(storage, {
              ...here,
              page: own,
              ...meaning,
              root: query.root,
              exclude: [],
            }),
      )
    }
    const page = { limit, offset: request.offset }
    const { unwanted } = reading
    const found = await withCorrections(storage, { filter, page, unwanted }, find)

    const hits = await loadPage(storage, found.found, {
      marker: chooseMarker(request, reading, found.widest),
      withReasons: request.explain,
      wordsIn: mode === 'hybrid' && meaning !== null ? createWordsIn(reading) : null,
      withFacts: request.includeFacts,
      context: request.context,
      now,
      asOfMs: request.asOf,
      pinnedNamespace: filter.isPinned ? (filter.namespaces?.[0] ?? null) : null,
    })
    const byWords = mode !== 'semantic' || meaning === null
    const counted = request.facets
      ? await countFound(storage, { ...way, ...found, filter, meaning, byWords })
      : null
    const relaxed = found.relaxed || hits.some((hit) => hit.relaxed !== null)
    const { hint, ...advice } = await adviseOn(storage, {
      ...way,
      filter,
      found: { ...found, relaxed },
      byMeaning: !byWords,
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
        rankedBy: request.explain ? found.rankedBy : null,
      },
      scope: {
        namespaces: filter.namespaces ?? 'all',
        ...(request.asOf !== undefined && { asOf: new Date(request.asOf).toISOString() }),
      },
      degraded: read?.degraded ?? null,
      total:
        counted === null
          ? { value: found.total, exact: found.isExact }
          : { value: counted.total, exact: true },
      tookMs: elapsedMs(),
      cached: false,
      hits,
      facets: counted?.facets ?? null,
      hint,
    }
  })
}

/** What a cascade takes as near is nearer than what counts elsewhere; null: what the model itself says. */
function floorOf(mode: Mode, { fusion }: Lens, model: ModelInfo): number | null {
  return mode === 'hybrid' && fusion.kind === 'cascade' ? model.cascadeThreshold : null
}

/** A side that the lens does not listen to is not asked: an alpha of 0 or 1 is exactly the other one. */
function modeOf(asked: Mode, { fusion }: Lens): Mode {
  if (asked !== 'hybrid') return asked
  const { words, meaning } = sidesOf(fusion)
  return !meaning ? 'keyword' : !words ? 'semantic' : 'hybrid'
}
