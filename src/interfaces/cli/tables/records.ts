/** Promise: the commands that write and show records. */

import { KINDS, TIERS } from '../../../core/record.js'
import type { Command, Flag } from '../command.js'
import { CURSOR, FILE_FLAGS, limitFlag, NAMESPACE, RECORD_FLAGS } from '../flags.js'
import { FILTER_FLAGS } from '../search-options.js'

const FILE: Flag = {
  type: 'text',
  value: 'path',
  help: 'read the text from a file; `-` is standard input',
}

export const RECORD_COMMANDS: readonly Command[] = [
  {
    name: 'add',
    summary: 'store a record',
    usage: 'add [TEXT] [options]',
    examples: [
      'cairn add "We deploy on Thursdays, never before a holiday." --tag release --person Priya',
      'cairn add --file notes/deploy.md --kind document --title "Deployment process"',
      'cairn add "Priya prefers tabs." --session standup --extract-facts',
      'git log -1 --format=%B | cairn add --source git --meta repo=shop',
    ],
    flags: {
      file: FILE,
      ...RECORD_FLAGS,
      kind: { ...RECORD_FLAGS.kind, help: KINDS.join(' | '), default: 'memory' },
      importance: { ...RECORD_FLAGS.importance, default: '0.5' },
      salience: { ...RECORD_FLAGS.salience, default: '0.5' },
      sector: { ...RECORD_FLAGS.sector, default: 'by rules, for a memory' },
      tier: { ...RECORD_FLAGS.tier, help: TIERS.join(' | '), default: 'project' },
      session: { type: 'text', value: 'id', help: 'the session it is said in' },
      'extract-facts': { type: 'switch', help: 'take facts out of the text, by rules' },
      namespace: NAMESPACE,
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/add.js')).runAdd,
  },
  {
    name: 'get',
    summary: 'show whole records',
    usage: 'get ID… [options]',
    examples: ['cairn get 01K9ZQ3F', `cairn get 01K9ZQ3F 01K9ZQ4B --json | jq '.records[].body'`],
    flags: { ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('../commands/get.js')).runGet,
  },
  {
    name: 'list',
    summary: 'list records, newest first',
    usage: 'list [options]',
    examples: [
      'cairn list --kind document --since 30d',
      'cairn list --sector reflective --include-superseded',
      'cairn list --deleted',
    ],
    flags: {
      ...FILTER_FLAGS,
      limit: limitFlag('records', 20),
      cursor: CURSOR,
      deleted: { type: 'switch', help: 'list what was deleted instead' },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/list.js')).runList,
  },
  {
    name: 'edit',
    summary: 'change a record; what is not given stays',
    usage: 'edit ID [TEXT] [options]',
    examples: [
      'cairn edit 01K9ZQ3F "We deploy on Thursdays, and on Mondays for fixes."',
      'cairn edit 01K9ZQ3F --tag release --tag weekly --importance 0.9',
    ],
    flags: {
      file: { ...FILE, help: 'read the new text from a file; `-` is standard input' },
      ...RECORD_FLAGS,
      tag: { ...RECORD_FLAGS.tag, help: 'replaces the tags; repeatable; --tag "" removes all' },
      person: {
        ...RECORD_FLAGS.person,
        help: 'replaces the people; repeatable; "" removes all',
      },
      meta: { ...RECORD_FLAGS.meta, help: 'sets a key; `key=` removes it; repeatable' },
      session: { type: 'text', value: 'id', help: 'the session it is changed in' },
      namespace: { type: 'text', value: 'name', help: 'move it to another project' },
      ...FILE_FLAGS,
    },
    maxWords: 2,
    load: async () => (await import('../commands/edit.js')).runEdit,
  },
  {
    name: 'history',
    summary: 'show what a record was before each change',
    usage: 'history ID [options]',
    examples: ['cairn history 01K9ZQ3F', `cairn history 01K9ZQ3F --json | jq '.revisions[].body'`],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/past.js')).runHistory,
  },
  {
    name: 'undo',
    summary: 'give a record back what it was before its last edit',
    usage: 'undo ID [options]',
    examples: ['cairn undo 01K9ZQ3F', 'cairn undo 01K9ZQ3F --to 1'],
    flags: {
      to: {
        type: 'number',
        value: 'n',
        help: 'what it was in this revision; `cairn history` shows them',
        default: 'before the last edit',
      },
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/past.js')).runUndo,
  },
  {
    name: 'delete',
    summary: 'hide records; `restore` brings them back',
    usage: 'delete ID… [options]',
    examples: ['cairn delete 01K9ZQ3F'],
    flags: { ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('../commands/remove.js')).runDelete,
  },
  {
    name: 'restore',
    summary: 'bring deleted records back',
    usage: 'restore ID… [options]',
    examples: ['cairn list --deleted', 'cairn restore 01K9ZQ3F'],
    flags: { ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('../commands/remove.js')).runRestore,
  },
  {
    name: 'purge',
    summary: 'remove records for good, down to the bytes of the file',
    usage: 'purge ID… [options]',
    examples: ['cairn purge 01K9ZQ3F', 'cairn purge --deleted'],
    flags: {
      deleted: { type: 'switch', help: 'purge everything that was deleted' },
      ...FILE_FLAGS,
    },
    maxWords: null,
    load: async () => (await import('../commands/remove.js')).runPurge,
  },
]
