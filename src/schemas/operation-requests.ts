/** What the library takes as several arguments, a caller from outside gives as one object, checked alike. */

import * as z from 'zod/mini'
import { CITATION_STYLES, EXPORT_FORMATS } from '../core/work.js'
import * as field from './fields.js'
import { importRequest as transferRequest } from './import-request.js'
import { lensOptions, namedLens } from './lens-request.js'
import { sessionEnd, supersedeInput } from './memory-requests.js'
import { recordInput, recordPatch } from './record-requests.js'
import { filterShape, searchRequest } from './search-request.js'
import {
  exploreRequest,
  importRequest as importWorksRequest,
  onlineExpand,
  onlineSearch,
  workInput,
} from './work-requests.js'

const MOST_AT_ONCE = 10_000

/** An id, any beginning of one that names one thing alone, or another of its names. */
const name = z.string().check(z.trim(), z.minLength(1))
const names = z.array(name).check(z.minLength(1), z.maxLength(MOST_AT_ONCE))
const revision = z.int().check(z.minimum(1))

export const nothing = z.strictObject({})
export const oneId = z.strictObject({ id: name })
export const manyIds = z.strictObject({ ids: names })
export const oneName = z.strictObject({ name })

export const addManyRequest = z.strictObject({
  records: z.array(recordInput).check(z.minLength(1), z.maxLength(MOST_AT_ONCE)),
})
export const editRequest = z.strictObject({ id: name, ...recordPatch.shape })
export const undoRequest = z.strictObject({ id: name, revision: z.optional(revision) })
/** Records by their ids, or all that are deleted. */
export const purgeRequest = z.strictObject({
  ids: z._default(z.array(name), []),
  deleted: z._default(z.boolean(), false),
})

const { threshold, minConfidence, asOf, explain, includeFacts, context, limit, offset } =
  searchRequest.shape
/** Around a record, by its vector alone: what says how words count has no meaning here. */
export const similarRequest = z.strictObject({
  id: name,
  ...filterShape,
  ...{ threshold, minConfidence, asOf, explain, includeFacts, context, limit, offset },
})

export const supersedeRequest = z.strictObject({
  older: name,
  newer: name,
  ...supersedeInput.shape,
})
export const strengthenRequest = z.strictObject({
  ids: names,
  amount: z.optional(field.share),
  session: z.optional(field.label),
})
export const sessionEndRequest = z.strictObject({ id: name, ...sessionEnd.shape })
export const summariseRequest = z.strictObject({ id: name, summary: z.optional(z.string()) })
export const factStrengthRequest = z.strictObject({ id: name, amount: z.optional(field.share) })

export const lensSaveRequest = z.strictObject({
  name: namedLens.shape.name,
  sentence: z._default(z.nullable(field.label), null),
  options: lensOptions,
})

export const citeRequest = z.strictObject({
  ids: names,
  style: z._default(z.enum(CITATION_STYLES), 'plain'),
})
export const exportRequest = z.strictObject({
  format: z._default(z.enum(EXPORT_FORMATS), 'bibtex'),
  works: z._default(z.array(name), []),
  ...filterShape,
})
/** From a question, or from a work by any of its names. */
export const exploreFromRequest = z.strictObject({ from: name, ...exploreRequest.shape })
export const worksRequest = z.strictObject({
  works: z.array(workInput).check(z.minLength(1), z.maxLength(MOST_AT_ONCE)),
  ...importWorksRequest.shape,
})

const place = {
  namespace: z.optional(field.namespace),
  tags: z.optional(field.list(field.label)),
}
export const onlineGetRequest = z.strictObject({ ids: names, ...place })
export const onlineSearchRequest = z.strictObject({ query: name, ...onlineSearch.shape, ...place })
export const onlineExpandRequest = z.strictObject({ id: name, ...onlineExpand.shape, ...place })

export const transferPathRequest = z.strictObject({ path: name, ...transferRequest.shape })

export const statsRequest = z.strictObject({ sizes: z._default(z.boolean(), false) })
export const backupRequest = z.strictObject({
  file: name,
  force: z._default(z.boolean(), false),
})
export const doctorRequest = z.strictObject({ repair: z._default(z.boolean(), false) })
export const optimizeRequest = z.strictObject({ vacuum: z._default(z.boolean(), false) })
