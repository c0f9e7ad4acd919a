/** The operations that add, read, change and remove records. */

import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import * as field from '../schemas/fields.js'
import * as requests from '../schemas/record-requests.js'
import { erases, reads, writes } from './operation.js'

const PAGE = 1000

export const RECORD_OPERATIONS = {
  add: writes('store one record and list near-duplicates', {
    schema: requests.recordInput,
    examples: [
      { body: 'We deploy on Thursdays.' },
      { body: 'Priya prefers tabs.', tags: ['style'], sector: 'semantic', extractFacts: true },
    ],
    method: (cairn, input) => cairn.add(input),
  }),
  'add.many': writes('store many records, all of them or none', {
    schema: requests.addManyRequest,
    examples: [
      { records: [{ body: 'The pooler listens on 6543.' }, { body: 'Backups run at 3.' }] },
    ],
    own: { records: field.many(z.any()) },
    run: async (cairn, { records }) => ({ added: await cairn.addMany(records) }),
  }),
  get: reads('show whole records', {
    schema: requests.manyRecords,
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: (cairn, { ids }) => cairn.get(ids),
  }),
  list: reads('list records, newest first', {
    schema: requests.listRequest,
    examples: [
      { tags: ['release'], since: '7d' },
      { sectors: ['reflective'], includeSuperseded: true },
      { deleted: true },
    ],
    method: (cairn, input) => cairn.list(input),
  }),
  edit: writes('change a record; the earlier text is kept', {
    schema: requests.editRequest,
    examples: [
      { id: '01K9ZQ3F', body: 'We deploy on Fridays.' },
      { id: '01K9ZQ3F', tags: ['release', 'weekly'], importance: 0.9 },
    ],
    own: { id: field.id },
    run: (cairn, { id, ...patch }) => cairn.edit(id, patch),
  }),
  history: reads('show the earlier revisions of a record', {
    schema: requests.oneRecord,
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.history(id),
  }),
  undo: writes('restore a record to an earlier revision', {
    schema: requests.undoRequest,
    examples: [{ id: '01K9ZQ3F' }, { id: '01K9ZQ3F', revision: 1 }],
    run: (cairn, { id, revision }) => cairn.undo(id, revision),
  }),
  delete: writes('hide records until they are restored or purged', {
    schema: requests.manyRecords,
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: async (cairn, { ids }) => ({ deleted: await cairn.delete(ids) }),
  }),
  restore: writes('restore deleted records', {
    schema: requests.manyRecords,
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: async (cairn, { ids }) => ({ restored: await cairn.restore(ids) }),
  }),
  purge: erases('remove records for good: rows, index, vectors and bytes', {
    schema: requests.purgeRequest,
    examples: [{ ids: ['01K9ZQ3F'] }, { deleted: true }],
    async run(cairn, { ids = [], deleted = false }) {
      if (deleted === ids.length > 0) {
        throw badInput('Which records? Give their ids, or ask for all that are deleted.')
      }
      return cairn.purge(deleted ? await listDeleted(cairn) : ids)
    },
  }),
}

async function listDeleted(cairn: Cairn): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page = await cairn.list({ deleted: true, limit: PAGE, cursor })
    ids.push(...page.records.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== null)
  return ids
}
