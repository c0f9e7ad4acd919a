/** The works that a work cites, and those that cite it, whatever is known of it here. */

import type { Work } from '../../core/work.js'
import { type Identifier, readIdentifier } from '../identifiers.js'
import type { Service } from './ask.js'
import { askMany } from './ask-many.js'
import { askWork } from './ask-work.js'
import { askWorks } from './lists.js'
import { identifierOf, readId } from './questions.js'

export type NeighbourOptions = {
  readonly limit: number
  readonly signal?: AbortSignal | undefined
}

/** A work that OpenAlex described, or that lists its references, is not asked for again. */
export async function askReferences(
  service: Service,
  of: Work | string,
  { limit, signal }: NeighbourOptions,
): Promise<readonly Work[]> {
  if (limit === 0) return []
  const isTold = typeof of !== 'string' && (of.references.length > 0 || of.openAlexId !== null)
  const citing = isTold ? of : await askWork(service, idOf(of), signal)
  const cited = (citing?.references ?? []).flatMap((each) => readIdentifier(each) ?? [])
  return askMany(service, cited, { limit, signal })
}

/** The most cited first, so that a limit leaves the best known. */
export async function askCitations(
  service: Service,
  of: Work | string,
  { limit, signal }: NeighbourOptions,
): Promise<readonly Work[]> {
  if (limit === 0) return []
  const id = idOf(of)
  const openAlexId =
    id.kind === 'openalex' ? id.value : (await askWork(service, id, signal))?.openAlexId
  if (openAlexId === undefined || openAlexId === null) return []
  const params = { filter: `cites:${openAlexId}`, sort: 'cited_by_count:desc' }
  return askWorks(service, { params, signal }, limit)
}

function idOf(of: Work | string): Identifier {
  return typeof of === 'string' ? readId(of) : identifierOf(of)
}
