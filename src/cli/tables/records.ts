/** The commands that write, show and find records, and those that save how to search. */

import type { Command } from '../command.js'
import { switchFlag, textFlag } from '../flags.js'
import { operationCommand } from '../operation-command.js'

const FILE = textFlag('path', 'read the text from a file; `-` is standard input')

export const RECORD_COMMANDS: readonly Command[] = [
  operationCommand('add', {
    positionals: {
      body: { name: 'TEXT', help: 'the text; `-` is standard input', isOptional: true },
    },
    flags: {
      tags: { tag: { form: 'clearable' } },
      people: { person: { form: 'clearable' } },
    },
    ownFlags: { file: FILE },
    examples: [
      'cairn add --file notes/deploy.md --kind document --title "Deployment process"',
      'git log -1 --format=%B | cairn add --source git --meta repo=shop',
    ],
    seeAlso: ['import', 'edit', 'get'],
    // A session that is named must exist, and so must the file.
    creates: ({ session, createdIn }) => !session && !createdIn,
    steps: async () => (await import('../commands/records.js')).ADD,
  }),
  operationCommand('get', {
    positionals: { ids: 'ID' },
    examples: [`cairn get 01K9ZQ3F 01K9ZQ4B --json | jq '.records[].body'`],
    seeAlso: ['list', 'history', 'why', 'links'],
    show: async () => (await import('../commands/records.js')).showRecords,
  }),
  operationCommand('list', {
    seeAlso: ['search', 'timeline'],
    steps: async () => (await import('../commands/records.js')).LIST,
  }),
  operationCommand('edit', {
    positionals: { id: 'ID', body: { name: 'TEXT', help: 'the new text; `-` is standard input' } },
    flags: {
      tags: { tag: { form: 'clearable', help: 'replaces its tags; "" alone removes all' } },
      people: { person: { form: 'clearable', help: 'replaces its people; "" alone removes all' } },
      metadata: { meta: { form: 'pairs', help: 'sets a key; `key=` removes it' } },
    },
    ownFlags: { file: { ...FILE, help: 'read the new text from a file; `-` is standard input' } },
    seeAlso: ['history', 'undo', 'supersede'],
    steps: async () => (await import('../commands/records.js')).EDIT,
  }),
  operationCommand('history', {
    positionals: { id: 'ID' },
    examples: [`cairn history 01K9ZQ3F --json | jq '.revisions[].body'`],
    seeAlso: ['undo', 'why'],
    show: async () => (await import('../commands/history.js')).showHistory,
  }),
  operationCommand('undo', {
    positionals: { id: 'ID' },
    seeAlso: ['history', 'edit'],
    show: async () => (await import('../commands/records.js')).showRecord,
  }),
  operationCommand('delete', {
    positionals: { ids: 'ID' },
    seeAlso: ['restore', 'purge'],
    show: async () => (await import('../commands/records.js')).showDeleted,
  }),
  operationCommand('restore', {
    positionals: { ids: 'ID' },
    examples: ['cairn list --deleted'],
    seeAlso: ['delete'],
    show: async () => (await import('../commands/records.js')).showRestored,
  }),
  operationCommand('purge', {
    positionals: { ids: 'ID' },
    seeAlso: ['delete', 'optimize'],
    show: async () => (await import('../commands/records.js')).showPurged,
  }),
]

/** More than the operation returns by default: a screen has room for it. */
export const SCREEN_LIMIT = 20

const SHOWN = { section: 'What to show' }

export const SEARCH_COMMANDS: readonly Command[] = [
  operationCommand('search', {
    positionals: { query: { name: 'QUERY', takes: 'rest' } },
    flags: { limit: { limit: { default: String(SCREEN_LIMIT) } } },
    ownFlags: {
      marks: switchFlag('snippets as HTML: matched words in <mark>, the rest escaped', SHOWN),
      sql: switchFlag('print the SQL that ran on standard error', SHOWN),
    },
    examples: [
      `cairn search 'title:attention -draft tag:paper NEAR(index page, 5)'`,
      'cairn search what did Priya decide --recall standup --context 2',
      `cairn search "who decided on WAL?" --json | jq -r '.hits[].id'`,
    ],
    seeAlso: ['list', 'similar', 'timeline', 'lens save'],
    takesDashWords: true,
    steps: async () => (await import('../commands/search.js')).SEARCH,
  }),
  operationCommand('similar', {
    positionals: { id: 'ID' },
    seeAlso: ['search', 'embed'],
    steps: async () => (await import('../commands/search.js')).SIMILAR,
  }),
  operationCommand('timeline', {
    positionals: { anchor: 'ID|TIME' },
    seeAlso: ['list', 'session show'],
    show: async () => (await import('../commands/search.js')).showTimeline,
  }),
  operationCommand('lens.list', {
    seeAlso: ['lens show', 'lens save'],
    show: async () => (await import('../commands/search.js')).showLenses,
  }),
  operationCommand('lens.save', {
    positionals: { name: 'NAME' },
    examples: ['cairn search "release day" --lens decisions'],
    seeAlso: ['search', 'lens show', 'lens remove'],
    creates: true,
    steps: async () => (await import('../commands/search.js')).LENS_SAVE,
  }),
  operationCommand('lens.show', {
    positionals: { name: 'NAME' },
    seeAlso: ['lens list', 'search'],
    show: async () => (await import('../commands/search.js')).showLens,
  }),
  operationCommand('lens.remove', {
    positionals: { name: 'NAME' },
    seeAlso: ['lens list'],
    show: async () => (await import('../commands/search.js')).showRemovedLens,
  }),
]
