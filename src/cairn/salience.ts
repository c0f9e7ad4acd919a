/** How strongly something is remembered can be changed by hand, within its bounds. */

import type { RecordId } from '../core/ids.js'
import { BY_HAND } from '../core/salience.js'
import { check } from '../schemas/check.js'
import { strengthRequest } from '../schemas/memory-requests.js'
import type { Strengthening } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
import type { Scope } from './scope.js'
import type { Sessions } from './sessions.js'

export type StrengthInput = {
  /** 0..1. Default: 0.1. */
  readonly amount?: number | undefined
  /** The session in which it is done. */
  readonly session?: string | undefined
}
export type StrengthAnswer = {
  readonly records: readonly { readonly id: RecordId; readonly salience: number }[]
}

export type StrengthParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly sessions: Sessions
  readonly decay: number
}

export type Strengthen = ReturnType<typeof createStrengthen>

export function createStrengthen({ storage, scope, sessions, decay }: StrengthParts) {
  return async (
    kind: Strengthening['kind'],
    ids: readonly string[],
    { amount = BY_HAND, session }: StrengthInput,
  ): Promise<StrengthAnswer> => {
    const checked = check(strengthRequest, { amount })
    const records = await scope.findAll(ids, 'live')
    const sessionId = session === undefined ? null : (await sessions.find(session)).id
    const salience = await storage.memory.strengthen(
      records.map(({ id }) => id),
      { kind, ...checked, decay, sessionId },
    )
    return { records: [...salience].map(([id, value]) => ({ id, salience: value })) }
  }
}
