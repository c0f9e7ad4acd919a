/** Promise: a file can be looked at from afar, and nothing outside of a pin is counted. */

import type { Overview } from '../core/overview.js'
import type { Reach } from '../reach.js'
import { check } from '../requests/check.js'
import { type OverviewInput, overviewRequest } from '../requests/record-requests.js'
import type { Storage } from '../storage/storage.js'

export type OverviewParts = {
  readonly storage: Storage
  readonly reach: Reach
  readonly now: () => number
  readonly decay: number
}

export async function readOverview(
  { storage, reach, now, decay }: OverviewParts,
  input: OverviewInput,
): Promise<Overview> {
  const { by, namespaces } = check(overviewRequest, input)
  return storage.overview({
    by: by ?? null,
    namespaces: reach.narrow(namespaces),
    nowMs: now(),
    decay,
  })
}
