/** An edit keeps what was there, gives new text its vectors, and says in which session it was made. */

import type { CairnRecord, RecordChange } from '../core/record.js'
import type { Indexer } from '../embedding/indexer.js'
import { check } from '../schemas/check.js'
import { type RecordPatch, recordPatch } from '../schemas/record-requests.js'
import type { Storage } from '../storage/storage.js'
import { assertNotSuperseded } from './history.js'
import { noRecord, type Scope } from './scope.js'
import type { Sessions } from './sessions.js'
import { identitiesWith } from './work-records.js'

export type EditingParts = {
  readonly storage: Storage
  readonly indexer: Indexer
  readonly scope: Scope
  readonly sessions: Sessions
}

export type Editing = ReturnType<typeof createEditing>

export function createEditing({ storage, indexer, scope, sessions }: EditingParts) {
  /** A checked change, such as an earlier state. */
  const change = async (before: CairnRecord, wanted: RecordChange): Promise<CairnRecord> => {
    const { id, sessionId } = before
    const { title = before.title, body = before.body } = wanted
    const isNewText = title !== before.title || body !== before.body
    const vectors = isNewText ? await indexer.embedTexts([{ title, body, sessionId }]) : null
    const whole = { ...wanted, ...identitiesWith(before, wanted) }
    const record = await storage.update(id, whole, vectors ?? undefined)
    if (record === null) throw noRecord(id)
    await indexer.embedPending(1)
    return record
  }
  return {
    change,
    async edit(id: string, patch: RecordPatch): Promise<CairnRecord> {
      const { occurredAt, session, ...rest } = check(recordPatch, patch)
      if (rest.namespace !== undefined) scope.assertContains(rest.namespace)
      const [before] = await scope.findAll([id], 'live')
      if (before === undefined) throw noRecord(id)
      assertNotSuperseded(before, id)
      const editor = session === undefined ? null : await sessions.find(session)
      const wanted = {
        ...rest,
        ...(occurredAt === undefined ? {} : { occurredAtMs: occurredAt }),
      } as RecordChange
      const record = await change(before, wanted)
      if (editor !== null) await storage.memory.touch(editor.id, [record.id], 'updated')
      return record
    },
  }
}
