/** The commands that write and show records. */

import { KINDS, TIERS } from '../../core/record.js'
import type { Command, Flag } from '../command.js'
import { clearableList, number, on, pairs, text } from '../forms.js'
import { commandOf } from '../operation-command.js'
import { FILTER_FORMS, limit, RECORD_FORMS } from '../record-forms.js'
import { WANTED, word, words } from '../words.js'

const FILE: Flag = {
  type: 'text',
  value: 'path',
  help: 'read the text from a file; `-` is standard input',
}
const RECORD = word({ key: 'id', name: 'ID', missing: WANTED.record })
const RECORDS = words({ key: 'ids', name: 'ID', missing: WANTED.records })

export const RECORD_COMMANDS: readonly Command[] = [
  commandOf('add', {
    words: [word({ key: 'body', name: 'TEXT', help: 'the text; `-` is standard input' })],
    forms: {
      ...RECORD_FORMS,
      kind: text({ choices: KINDS, default: 'memory' }),
      importance: number({ default: 0.5 }),
      salience: number({ default: 0.5 }),
      tier: text({ choices: TIERS, default: 'project' }),
      session: text(),
      createdIn: text(),
      extractFacts: on(),
      namespace: text(),
    },
    own: { file: FILE },
    examples: [
      'cairn add --file notes/deploy.md --kind document --title "Deployment process"',
      'git log -1 --format=%B | cairn add --source git --meta repo=shop',
    ],
    seeAlso: ['import', 'edit', 'get'],
    // A session that is named must be there, and so must the file.
    creates: ({ session, createdIn }) => !session && !createdIn,
    side: async () => (await import('../commands/add.js')).ADD,
  }),
  commandOf('get', {
    words: [RECORDS],
    examples: [`cairn get 01K9ZQ3F 01K9ZQ4B --json | jq '.records[].body'`],
    seeAlso: ['list', 'history', 'why', 'links'],
    show: async () => (await import('../commands/get.js')).showRecords,
  }),
  commandOf('list', {
    forms: { ...FILTER_FORMS, limit: limit(20), cursor: text(), deleted: on() },
    seeAlso: ['search', 'timeline'],
    side: async () => (await import('../commands/list.js')).LIST,
  }),
  commandOf('edit', {
    words: [
      RECORD,
      word({ key: 'body', name: 'TEXT', help: 'the new text; `-` is standard input' }),
    ],
    forms: {
      ...RECORD_FORMS,
      tags: clearableList({ help: 'replaces its tags; "" alone removes all' }),
      people: clearableList({ name: 'person', help: 'replaces its people; "" alone removes all' }),
      metadata: pairs({ name: 'meta', help: 'sets a key; `key=` removes it' }),
      session: text(),
      namespace: text(),
    },
    own: { file: { ...FILE, help: 'read the new text from a file; `-` is standard input' } },
    seeAlso: ['history', 'undo', 'supersede'],
    side: async () => (await import('../commands/edit.js')).EDIT,
  }),
  commandOf('history', {
    words: [RECORD],
    examples: [`cairn history 01K9ZQ3F --json | jq '.revisions[].body'`],
    seeAlso: ['undo', 'why'],
    show: async () => (await import('../commands/past.js')).showHistory,
  }),
  commandOf('undo', {
    words: [RECORD],
    forms: { revision: number({ name: 'to' }) },
    seeAlso: ['history', 'edit'],
    show: async () => (await import('../commands/edit.js')).showRecord,
  }),
  commandOf('delete', {
    words: [RECORDS],
    seeAlso: ['restore', 'purge'],
    show: async () => (await import('../commands/remove.js')).showDeleted,
  }),
  commandOf('restore', {
    words: [RECORDS],
    examples: ['cairn list --deleted'],
    seeAlso: ['delete'],
    show: async () => (await import('../commands/remove.js')).showRestored,
  }),
  commandOf('purge', {
    words: [words({ key: 'ids', name: 'ID' })],
    forms: { deleted: on() },
    seeAlso: ['delete', 'optimize'],
    show: async () => (await import('../commands/remove.js')).showPurged,
  }),
]
