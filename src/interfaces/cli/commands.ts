/** Promise: every command of `cairn`, in the order that its help shows them. */

import { KINDS } from '../../core/record.js'
import type { Command, Flags } from './command.js'

const FILE_FLAGS: Flags = {
  db: {
    type: 'text',
    value: 'file',
    help: 'the Cairn file',
    default: '$CAIRN_DB, else cairn.db in your data folder',
  },
  json: { type: 'switch', help: 'print one JSON document instead of text' },
  'log-level': {
    type: 'text',
    value: 'level',
    help: 'write a log: error | warn | info | debug',
    default: '$CAIRN_LOG, else none',
  },
  'log-file': {
    type: 'text',
    value: 'file',
    help: 'write the log there',
    default: 'standard error',
  },
  help: { type: 'switch', help: 'show this help' },
}

const NAMESPACE: Flags = {
  namespace: { type: 'text', value: 'name', help: 'the project to write to', default: 'default' },
}

const RECORD_FLAGS: Flags = {
  title: { type: 'text', value: 'text', help: 'a title' },
  kind: { type: 'text', value: 'kind', help: KINDS.join(' | '), choices: KINDS },
  tag: { type: 'list', value: 'tag', help: 'a tag; repeatable' },
  source: { type: 'text', value: 'text', help: 'where it comes from' },
  person: { type: 'list', value: 'name', help: 'an author or speaker; repeatable' },
  occurred: { type: 'text', value: 'moment', help: 'when it happened: 2026-06-01, yesterday, 3d' },
  importance: { type: 'number', value: '0..1', help: 'how much it matters' },
  tier: { type: 'text', value: 'tier', help: 'session | project | global' },
  meta: { type: 'list', value: 'key=value', help: 'metadata; repeatable' },
}

const FILTER_FLAGS: Flags = {
  namespace: { type: 'list', value: 'name', help: 'only this project; repeatable', default: 'all' },
  'include-global': {
    type: 'switch',
    help: 'with --namespace: global memories of other projects too',
  },
  kind: { type: 'list', value: 'kind', help: `${KINDS.join(' | ')}; repeatable`, choices: KINDS },
  tag: { type: 'list', value: 'tag', help: 'has any of these tags; repeatable' },
  'all-tags': { type: 'list', value: 'tag', help: 'has all of these tags; repeatable' },
  'no-tag': { type: 'list', value: 'tag', help: 'has none of these tags; repeatable' },
  source: { type: 'list', value: 'text', help: 'comes from there; repeatable' },
  person: { type: 'list', value: 'name', help: 'by a person whose name has this; repeatable' },
  since: { type: 'text', value: 'moment', help: 'not before: 2026-06-01, yesterday, 7d' },
  until: { type: 'text', value: 'moment', help: 'not after' },
  date: {
    type: 'text',
    value: 'which',
    help: 'the date meant by --since and --until: created | updated | occurred',
    default: 'created',
  },
  id: { type: 'list', value: 'id', help: 'only these records; repeatable' },
  'not-id': { type: 'list', value: 'id', help: 'without these records; repeatable' },
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'add',
    summary: 'store a record',
    usage: 'add [TEXT] [options]',
    examples: [
      'cairn add "We deploy on Thursdays, never before a holiday." --tag release --person Priya',
      'cairn add --file notes/deploy.md --kind document --title "Deployment process"',
      'git log -1 --format=%B | cairn add --source git --meta repo=shop',
    ],
    flags: {
      file: {
        type: 'text',
        value: 'path',
        help: 'read the text from a file; `-` is standard input',
      },
      ...RECORD_FLAGS,
      kind: { ...RECORD_FLAGS.kind, type: 'text', help: KINDS.join(' | '), default: 'memory' },
      importance: { type: 'number', value: '0..1', help: 'how much it matters', default: '0.5' },
      tier: { type: 'text', value: 'tier', help: 'session | project | global', default: 'project' },
      ...NAMESPACE,
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('./commands/add.js')).runAdd,
  },
  {
    name: 'search',
    summary: 'find records by words or by meaning',
    usage: 'search [QUERY] [options]',
    examples: [
      'cairn search "deployment process" --limit 5',
      `cairn search 'title:attention OR "solid state" -draft tag:paper NEAR(index page, 5)'`,
      'cairn search "how do we ship code?" --mode semantic',
      `cairn search "who decided on WAL?" --json | jq -r '.hits[].id'`,
    ],
    flags: {
      mode: { type: 'text', value: 'mode', help: 'keyword | semantic', default: 'keyword' },
      threshold: {
        type: 'number',
        value: 'cosine',
        help: 'least similarity of a match by meaning',
        default: "the model's own",
      },
      'no-vector': { type: 'switch', help: 'do without vectors' },
      match: {
        type: 'text',
        value: 'how',
        help: 'auto (all words, then any, then as beginnings) | all | any',
        default: 'auto',
      },
      field: {
        type: 'list',
        value: 'field',
        help: 'look only in title, body or people; repeatable',
      },
      ...FILTER_FLAGS,
      limit: { type: 'number', value: 'n', help: 'how many hits', default: '20' },
      offset: { type: 'number', value: 'n', help: 'how many hits to skip', default: '0' },
      explain: { type: 'switch', help: 'show how each score came about' },
      marks: {
        type: 'switch',
        help: 'snippets as HTML: matched words in <mark>, the rest escaped',
      },
      sql: { type: 'switch', help: 'print the SQL that ran on standard error' },
      ...FILE_FLAGS,
    },
    takesDashWords: true,
    maxWords: null,
    load: async () => (await import('./commands/search.js')).runSearch,
  },
  {
    name: 'similar',
    summary: 'find records near to one in meaning',
    usage: 'similar ID [options]',
    examples: ['cairn similar 01K9ZQ3F', 'cairn similar 01K9ZQ3F --kind work --limit 5'],
    flags: {
      threshold: {
        type: 'number',
        value: 'cosine',
        help: 'least similarity',
        default: "the model's own",
      },
      ...FILTER_FLAGS,
      limit: { type: 'number', value: 'n', help: 'how many records', default: '10' },
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('./commands/similar.js')).runSimilar,
  },
  {
    name: 'get',
    summary: 'show whole records',
    usage: 'get ID… [options]',
    examples: ['cairn get 01K9ZQ3F', `cairn get 01K9ZQ3F 01K9ZQ4B --json | jq '.records[].body'`],
    flags: { ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('./commands/get.js')).runGet,
  },
  {
    name: 'list',
    summary: 'list records, newest first',
    usage: 'list [options]',
    examples: ['cairn list --kind document --since 30d', 'cairn list --deleted'],
    flags: {
      ...FILTER_FLAGS,
      limit: { type: 'number', value: 'n', help: 'how many records', default: '20' },
      cursor: { type: 'text', value: 'place', help: 'go on after a page: its `next`' },
      deleted: { type: 'switch', help: 'list what was deleted instead' },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('./commands/list.js')).runList,
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
      file: {
        type: 'text',
        value: 'path',
        help: 'read the new text from a file; `-` is standard input',
      },
      ...RECORD_FLAGS,
      tag: {
        type: 'list',
        value: 'tag',
        help: 'replaces the tags; repeatable; --tag "" removes all',
      },
      person: {
        type: 'list',
        value: 'name',
        help: 'replaces the people; repeatable; "" removes all',
      },
      meta: { type: 'list', value: 'key=value', help: 'sets a key; `key=` removes it; repeatable' },
      namespace: { type: 'text', value: 'name', help: 'move it to another project' },
      ...FILE_FLAGS,
    },
    maxWords: 2,
    load: async () => (await import('./commands/edit.js')).runEdit,
  },
  {
    name: 'delete',
    summary: 'hide records; `restore` brings them back',
    usage: 'delete ID… [options]',
    examples: ['cairn delete 01K9ZQ3F'],
    flags: { ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('./commands/remove.js')).runDelete,
  },
  {
    name: 'restore',
    summary: 'bring deleted records back',
    usage: 'restore ID… [options]',
    examples: ['cairn list --deleted', 'cairn restore 01K9ZQ3F'],
    flags: { ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('./commands/remove.js')).runRestore,
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
    load: async () => (await import('./commands/remove.js')).runPurge,
  },
  {
    name: 'embed',
    summary: 'make the vectors that are missing, or those of another model',
    usage: 'embed [options]',
    examples: [
      'cairn embed',
      'cairn embed --model onnx:models/all-MiniLM-L6-v2',
      'cairn embed --model ollama:nomic-embed-text',
    ],
    flags: {
      model: {
        type: 'text',
        value: 'model',
        help: 'static | onnx:FOLDER | ollama:NAME | openai:NAME; takes over once it has read everything',
        default: 'the one in charge',
      },
      'base-url': { type: 'text', value: 'url', help: 'where a remote model answers' },
      dimensions: {
        type: 'number',
        value: 'n',
        help: 'how many numbers a vector has, if it can be chosen',
      },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('./commands/embed.js')).runEmbed,
  },
  {
    name: 'models',
    summary: 'show the models that have vectors here, and remove old ones',
    usage: 'models [options]',
    examples: ['cairn models', 'cairn models --remove cairn/static@1'],
    flags: {
      remove: {
        type: 'text',
        value: 'model',
        help: 'forget the vectors of a model that is not in charge',
      },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('./commands/models.js')).runModels,
  },
  {
    name: 'stats',
    summary: 'what the file holds',
    usage: 'stats [options]',
    examples: ['cairn stats', `cairn stats --json | jq '.namespaces'`],
    flags: { ...FILE_FLAGS },
    maxWords: 0,
    load: async () => (await import('./commands/stats.js')).runStats,
  },
  {
    name: 'doctor',
    summary: 'check the file, and repair what can be derived again',
    usage: 'doctor [options]',
    examples: ['cairn doctor', 'cairn doctor --repair'],
    flags: {
      repair: { type: 'switch', help: 'build the index and everything derived anew' },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('./commands/doctor.js')).runDoctor,
  },
]
