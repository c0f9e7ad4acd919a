/** The commands that write, show and find records, and those that save how to search. */

import { WORK_TYPES } from '../../core/work.js'
import type { Command, Flag } from '../command.js'
import { FILE_FLAGS, settingFlag, switchFlag, textFlag } from '../flags.js'
import { createCommands } from '../operation-command.js'

const command = createCommands(() => import('../commands/records.js'))
const searchCommand = createCommands(() => import('../commands/search.js'))
const askCommand = createCommands(() => import('../commands/ask.js'))
const pastCommand = createCommands(() => import('../commands/history.js'))

const FILE = textFlag('path', 'read the text from a file; `-` is standard input')

/** The details of a work that people correct; `""` removes one. */
const WORK_FLAGS: Readonly<Record<string, Partial<Flag>>> = {
  author: {
    path: ['authors'],
    form: 'clearable',
    value: 'name',
    help: 'replaces the authors of a work, as "Stone, Ada" or "Ada Stone"',
  },
  venue: { path: ['venue'], type: 'text', value: 'text', help: 'its journal, book or proceedings' },
  year: { path: ['year'], type: 'number', value: 'year', help: 'its year' },
  doi: { path: ['doi'], type: 'text', value: 'doi', help: 'its DOI' },
  type: { path: ['type'], type: 'text', value: 'type', help: 'its type', choices: WORK_TYPES },
  abstract: { path: ['abstract'], type: 'text', value: 'text', help: 'its abstract' },
}

export const RECORD_COMMANDS: readonly Command[] = [
  command('add', {
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
  }),
  command('get', {
    examples: [`cairn get 01K9ZQ3F 01K9ZQ4B --json | jq '.records[].body'`],
    seeAlso: ['list', 'history', 'why', 'links'],
  }),
  command('list', { seeAlso: ['search', 'timeline'] }),
  command('edit', {
    positionals: { id: 'ID', body: { name: 'TEXT', help: 'the new text; `-` is standard input' } },
    flags: {
      tags: { tag: { form: 'clearable', help: 'replaces its tags; "" alone removes all' } },
      people: { person: { form: 'clearable', help: 'replaces its people; "" alone removes all' } },
      metadata: { meta: { form: 'pairs', help: 'sets a key; `key=` removes it' } },
      work: WORK_FLAGS,
    },
    ownFlags: { file: { ...FILE, help: 'read the new text from a file; `-` is standard input' } },
    seeAlso: ['history', 'undo', 'supersede'],
  }),
  pastCommand('history', {
    examples: [`cairn history 01K9ZQ3F --json | jq '.revisions[].body'`],
    seeAlso: ['undo', 'why'],
  }),
  command('undo', { seeAlso: ['history', 'edit'] }),
  command('delete', { seeAlso: ['restore', 'purge'] }),
  command('restore', {
    examples: ['cairn list --deleted'],
    seeAlso: ['delete'],
  }),
  {
    name: 'open',
    summary: 'open the file that a record came from, at its line',
    positionals: [{ name: 'ID', help: 'the record' }],
    examples: ['cairn open 01K9ZQ3F', 'cairn open 01K9ZQ3F --print'],
    flags: { print: switchFlag('print the path and the line alone'), ...FILE_FLAGS },
    seeAlso: ['get', 'search'],
    load: async () => (await import('../commands/open-file.js')).runOpen,
  },
  command('purge', {
    positionals: { ids: 'ID' },
    ownFlags: { yes: switchFlag('do not ask') },
    seeAlso: ['delete', 'optimize'],
  }),
]

/** More than the operation returns by default, because it fits on a screen. */
export const SCREEN_LIMIT = 20

const SHOWN = { section: 'What to show' }

export const SEARCH_COMMANDS: readonly Command[] = [
  searchCommand('search', {
    positionals: { query: { name: 'QUERY', takes: 'rest' } },
    flags: { limit: { limit: { default: String(SCREEN_LIMIT) } } },
    without: { wideFacets: 'on a terminal no facet can be chosen' },
    ownFlags: {
      long: switchFlag('show the whole snippet, tags, dates and facts', SHOWN),
      files: switchFlag('print the paths of the files alone', SHOWN),
      fields: textFlag('names', 'print these fields alone: id,title,path,line,score,…', SHOWN),
      sql: switchFlag('print the SQL that ran on standard error', SHOWN),
    },
    examples: [
      `cairn search 'title:attention -draft tag:paper NEAR(index page, 5)'`,
      'cairn search what did Priya decide --recall standup --context 2',
      `cairn search "who decided on WAL?" --json | jq -r '.hits[].id'`,
    ],
    seeAlso: ['list', 'similar', 'timeline', 'lens save'],
  }),
  askCommand('ask', {
    positionals: { question: { name: 'QUESTION', takes: 'rest' } },
    ownFlags: {
      provider: settingFlag('llm.provider', { value: 'name' }),
      model: settingFlag('llm.model', { value: 'name' }),
      'base-url': settingFlag('llm.baseUrl', { value: 'url' }),
    },
    examples: [`cairn ask "who decided on WAL?" --json | jq -r '.answer[].text'`],
    seeAlso: ['search', 'config set', 'doctor'],
  }),
  searchCommand('similar', { seeAlso: ['search', 'embed'] }),
  searchCommand('timeline', {
    positionals: { anchor: 'ID|TIME' },
    seeAlso: ['list', 'session show'],
  }),
  searchCommand('lens.list', { seeAlso: ['lens show', 'lens save'] }),
  searchCommand('lens.save', {
    examples: ['cairn search "release day" --lens decisions'],
    seeAlso: ['search', 'lens show', 'lens remove'],
    creates: true,
  }),
  searchCommand('lens.show', { seeAlso: ['lens list', 'search'] }),
  searchCommand('lens.remove', { seeAlso: ['lens list'] }),
]
