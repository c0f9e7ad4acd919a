/** Promise: what is near to a record in meaning is found by the record's own vector, itself left out. */

import { loadPage } from '../answering/load-page.js'
import { plainMarker } from '../answering/marks.js'
import type { SimilarAnswer } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { Reach } from '../reach.js'
import { check } from '../requests/check.js'
import { type SearchInput, searchRequest } from '../requests/search-request.js'
import { findByMeaning } from '../retrieval/vector.js'
import type { Storage } from '../storage/storage.js'

export type SimilarParts = {
  readonly storage: Storage
  readonly reach: Reach
  readonly now: () => number
  readonly timer: () => number
}

export async function findSimilar(
  { storage, reach, now, timer }: SimilarParts,
  id: string,
  input: SearchInput,
): Promise<SimilarAnswer> {
  const startMs = timer()
  const request = check(searchRequest, input)
  const [record] = await reach.findAll([id], 'live')
  const model = await storage.meaning.active()
  const vector = record && model && (await storage.meaning.vectorOf(model.id, record.id))
  if (!record || !model || !vector) {
    throw new CairnError('not_found', {
      message: `The record "${id}" has no vectors yet.`,
      hint: '`cairn embed` makes them; a text without a word that the model knows never has any.',
    })
  }
  const filter = await reach.filter(request)
  const { page, hits } = await storage.atOneMoment(async (moment) => {
    const page = await findByMeaning(moment, {
      model,
      vector,
      root: null,
      fields: null,
      filter,
      threshold: request.threshold ?? null,
      exclude: [record.id],
      page: { limit: request.limit, offset: request.offset },
    })
    const hits = await loadPage(moment, page.found, {
      marker: plainMarker,
      withReasons: request.explain,
      wordsIn: null,
      withFacts: request.includeFacts,
      context: request.context,
      now: now(),
      asOfMs: request.asOf,
      wall: reach.wall,
    })
    return { page, hits }
  })
  const total = { value: page.total, exact: page.isExact }
  return { of: record.id, model: model.id, total, tookMs: timer() - startMs, hits }
}
