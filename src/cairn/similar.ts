/** What is near to a record in meaning is found by the record's own vector, itself left out. */

import type { SimilarAnswer } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import { check } from '../schemas/check.js'
import { type SearchInput, searchRequest } from '../schemas/search-request.js'
import { loadPage } from '../search/load-page.js'
import { plainMarker } from '../search/marks.js'
import { findByVector } from '../search/vector.js'
import type { Storage } from '../storage/storage.js'
import type { Scope } from './scope.js'

export type SimilarParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly now: () => number
  readonly timer: () => number
}

export async function findSimilar(
  { storage, scope, now, timer }: SimilarParts,
  id: string,
  input: SearchInput,
): Promise<SimilarAnswer> {
  const startMs = timer()
  const request = check(searchRequest, input)
  const [record] = await scope.findAll([id], 'live')
  const model = await storage.vectors.active()
  const vector = record && model && (await storage.vectors.vectorOf(model.id, record.id))
  if (!record || !model || !vector) {
    throw new CairnError('not_found', {
      message: `The record "${id}" has no vectors yet.`,
      hint: '`cairn embed` makes them; a text without a word that the model knows never has any.',
    })
  }
  const filter = await scope.filter(request)
  const { page, hits } = await storage.snapshot(async (moment) => {
    const page = await findByVector(moment, {
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
      pinnedNamespace: scope.pinnedNamespace,
    })
    return { page, hits }
  })
  const total = { value: page.total, exact: page.isExact }
  return { of: record.id, model: model.id, total, tookMs: timer() - startMs, hits }
}
