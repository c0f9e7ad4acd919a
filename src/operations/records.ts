/** Records are added, read, changed and removed. */

import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import { defineOperation } from './operation.js'
import { CURSOR, FILTER, ID, IDS, LIMIT, NAMESPACE, RECORD } from './options.js'

const PAGE = 1000

export const RECORD_OPERATIONS = [
  defineOperation({
    name: 'add',
    summary: 'store one record and list what is nearly the same',
    effect: 'writes',
    schema: async () => (await import('../schemas/record-requests.js')).recordInput,
    options: {
      body: { help: 'the text', value: 'text' },
      namespace: NAMESPACE,
      ...RECORD,
      sector: { ...RECORD.sector, unset: 'read from the text' },
      session: { help: 'the session it is a turn of', value: 'id' },
      createdIn: {
        help: 'the session in which it is noted down, without being a turn',
        value: 'id',
      },
      extractFacts: { help: 'take facts out of the text by plain patterns' },
    },
    examples: [
      { body: 'We deploy on Thursdays.' },
      { body: 'Priya prefers tabs.', tags: ['style'], sector: 'semantic', extractFacts: true },
    ],
    run: (cairn, input) => cairn.add(input),
  }),
  defineOperation({
    name: 'add.many',
    summary: 'store many records, all of them or none',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).addManyRequest,
    options: { records: { help: 'each as add takes it', value: 'record' } },
    examples: [
      { records: [{ body: 'The pooler listens on 6543.' }, { body: 'Backups run at 3.' }] },
    ],
    run: async (cairn, { records }) => ({ added: await cairn.addMany(records) }),
  }),
  defineOperation({
    name: 'get',
    summary: 'show whole records',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).manyIds,
    options: { ids: IDS },
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: (cairn, { ids }) => cairn.get(ids),
  }),
  defineOperation({
    name: 'list',
    summary: 'list records, newest first',
    effect: 'reads',
    schema: async () => (await import('../schemas/record-requests.js')).listRequest,
    options: {
      ...FILTER,
      limit: LIMIT,
      cursor: CURSOR,
      deleted: { help: 'list what is deleted and can be restored' },
    },
    examples: [
      { tags: ['release'], since: '7d' },
      { sectors: ['reflective'], includeSuperseded: true },
      { deleted: true },
    ],
    run: (cairn, input) => cairn.list(input),
  }),
  defineOperation({
    name: 'edit',
    summary: 'change a record; what it was is kept',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).editRequest,
    options: {
      id: ID,
      body: { help: 'the new text', value: 'text' },
      namespace: { help: 'the project to move it to', value: 'name' },
      ...RECORD,
      session: { help: 'the session in which it is changed', value: 'id' },
    },
    examples: [
      { id: '01K9ZQ3F', body: 'We deploy on Fridays.' },
      { id: '01K9ZQ3F', tags: ['release', 'weekly'], importance: 0.9 },
    ],
    run: (cairn, { id, ...patch }) => cairn.edit(id, patch),
  }),
  defineOperation({
    name: 'history',
    summary: 'show what a record was before each change',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: ID },
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.history(id),
  }),
  defineOperation({
    name: 'undo',
    summary: 'give a record back what it was before its last edit',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).undoRequest,
    options: {
      id: ID,
      revision: { help: 'the revision to go back to', value: 'n', unset: 'the last' },
    },
    examples: [{ id: '01K9ZQ3F' }, { id: '01K9ZQ3F', revision: 1 }],
    run: (cairn, { id, revision }) => cairn.undo(id, revision),
  }),
  defineOperation({
    name: 'delete',
    summary: 'hide records everywhere, until they are restored or purged',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).manyIds,
    options: { ids: IDS },
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: async (cairn, { ids }) => ({ deleted: await cairn.delete(ids) }),
  }),
  defineOperation({
    name: 'restore',
    summary: 'bring deleted records back',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).manyIds,
    options: { ids: IDS },
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: async (cairn, { ids }) => ({ restored: await cairn.restore(ids) }),
  }),
  defineOperation({
    name: 'purge',
    summary: 'remove records for good: rows, index, vectors and bytes',
    effect: 'erases',
    schema: async () => (await import('../schemas/operation-requests.js')).purgeRequest,
    options: { ids: IDS, deleted: { help: 'everything that is deleted' } },
    examples: [{ ids: ['01K9ZQ3F'] }, { deleted: true }],
    async run(cairn, { ids = [], deleted = false }) {
      if (deleted === ids.length > 0) {
        throw badInput('Which records? Give their ids, or ask for all that are deleted.')
      }
      return cairn.purge(deleted ? await allDeleted(cairn) : ids)
    },
  }),
]

async function allDeleted(cairn: Cairn): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page = await cairn.list({ deleted: true, limit: PAGE, cursor })
    ids.push(...page.records.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== null)
  return ids
}
