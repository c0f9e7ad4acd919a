/** How much a reply to an agent may cost is limited and defaulted once. */

import * as z from 'zod/mini'

export const DEFAULT_BUDGET = 2000
export const LEAST_BUDGET = 400
export const MOST_BUDGET = 50_000

/** Tokens. */
export const budget = z.int().check(z.minimum(LEAST_BUDGET), z.maximum(MOST_BUDGET))
