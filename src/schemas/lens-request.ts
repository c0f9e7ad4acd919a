/** A lens may hold any option of a search but what is asked and where in the answer to begin. */

import * as z from 'zod/mini'
import * as field from './fields.js'
import { searchRequest } from './search-request.js'

const lensName = field.label.check(
  z.refine(
    (name) => /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(name),
    'a lens has a name of one word.',
  ),
)

export const namedLens = z.strictObject({ name: lensName })

const { query, offset, recallSession, asOf, ...options } = searchRequest.shape

/** Checked as a search would be; kept as it was given, so that later defaults hold for it too. */
export const lensOptions = z.partial(z.strictObject(options))
export type LensOptions = z.input<typeof lensOptions>
