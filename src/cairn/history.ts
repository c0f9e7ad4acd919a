/** What a record was can be seen and brought back, and what replaces what is said once. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord, RecordChange, Revision } from '../core/record.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { Storage } from '../storage/storage.js'
import { noRecord, type Scope } from './scope.js'

export type HistoryAnswer = {
  readonly record: CairnRecord
  /** Oldest first; what it is now is `record`. */
  readonly revisions: readonly Revision[]
}
export type SupersedeAnswer = { readonly superseded: RecordId; readonly by: RecordId }

export type History = ReturnType<typeof createHistory>

export function createHistory(
  storage: Storage,
  scope: Scope,
  change: (record: CairnRecord, change: RecordChange) => Promise<CairnRecord>,
) {
  const history = async (id: string): Promise<HistoryAnswer> => {
    const [record] = await scope.findAll([id], 'any')
    if (record === undefined) throw noRecord(id)
    return { record, revisions: await storage.history(record.id) }
  }
  return {
    history,

    /** Gives a record back what it was in a revision, the latest edit by default; what it is now is kept as well. */
    async undo(id: string, number?: number): Promise<CairnRecord> {
      const { record, revisions } = await history(id)
      const edits = revisions.filter(({ endedBy }) => endedBy === 'edit')
      const wanted =
        number === undefined ? edits.at(-1) : revisions.find((one) => one.number === number)
      if (wanted === undefined) {
        const numbers = revisions.map((one) => one.number).join(', ')
        throw badInput(
          number === undefined
            ? `The record "${id}" was never edited.`
            : `The record "${id}" has no revision ${number}.`,
          numbers === '' ? undefined : `It has ${numbers}; \`cairn history ${id}\` shows them.`,
        )
      }
      const [live] = await scope.findAll([record.id], 'live')
      assertNotSuperseded(live ?? record, id)
      const { title, body, kind, namespace, tags, people, source, metadata } = wanted
      const { importance, sector, tier, occurredAt, work } = wanted
      scope.assertContains(namespace)
      const occurredAtMs = occurredAt === null ? null : Date.parse(occurredAt)
      const known = { title, body, kind, namespace, tags, people, source, metadata }
      return change(record, {
        ...known,
        importance,
        sector,
        tier,
        occurredAtMs,
        ...(work !== null && { work }),
      })
    },

    /** From now on the newer record stands in the place of the older one. */
    async supersede(
      older: string,
      newer: string,
      input: requests.SupersedeInput = {},
    ): Promise<SupersedeAnswer> {
      const how = check(requests.supersedeInput, input)
      const [old, by] = await scope.findAll([older, newer], 'live')
      if (old === undefined || by === undefined) throw noRecord(older)
      switch (await storage.supersede(old.id, by.id, how)) {
        case 'done':
          return { superseded: old.id, by: by.id }
        case 'circle':
          throw badInput(
            `"${newer}" cannot supersede "${older}": that would go round in a circle.`,
            'A record cannot supersede itself, or what has superseded it.',
          )
        case 'superseded':
          throw badInput(
            `The record "${older}" is superseded already.`,
            `\`cairn why ${older}\` shows by what; \`cairn unlink\` takes that back.`,
          )
        case 'gone':
          throw noRecord(older)
      }
    },
  }
}

/** An edit belongs into the record that is valid. */
export function assertNotSuperseded(record: CairnRecord, text: string): void {
  if (record.supersededAt === null) return
  throw new CairnError('bad_input', {
    message: `The record "${text}" was superseded and stays as it was.`,
    hint: `Edit what has taken its place: \`cairn why ${text}\` shows it.`,
  })
}
