/** A file can be looked at from afar, and nothing outside of a pin is counted. */

import type { Overview } from '../core/answer.js'
import { check } from '../schemas/check.js'
import { type OverviewInput, overviewRequest } from '../schemas/record-requests.js'
import type { Storage } from '../storage/storage.js'
import type { Scope } from './scope.js'

export type OverviewParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly now: () => number
  readonly decay: number
}

export async function readOverview(
  { storage, scope, now, decay }: OverviewParts,
  input: OverviewInput,
): Promise<Overview> {
  const { by, namespaces } = check(overviewRequest, input)
  return storage.overview({
    by: by ?? null,
    namespaces: scope.narrow(namespaces),
    nowMs: now(),
    decay,
  })
}
