/** The commands that look after models and files, and those that measure. */

import { OVERVIEW_STEPS } from '../../core/answer.js'
import { operation } from '../../operations/operations.js'
import type { Command } from '../command.js'
import { HELP_FLAG, JSON_FLAG } from '../flags.js'
import { list, on, text } from '../forms.js'
import { commandOf } from '../operation-command.js'
import { word } from '../words.js'

const EVAL: Command = {
  name: 'eval',
  summary: 'measure how well search answers queries with known answers',
  words: [
    {
      name: 'DIR',
      help: 'a folder with corpus.jsonl, queries.jsonl and qrels.tsv',
      isMany: true,
    },
  ],
  examples: [
    'cairn eval sets/scifact',
    'cairn eval sets/scifact sets/chats --mode keyword,semantic --json',
    'cairn eval sets/chats --corpus sessions.jsonl --qrels qrels_sessions.tsv',
    'cairn eval sets --per-query before.jsonl',
    'cairn eval sets --compare before.jsonl',
  ],
  flags: {
    mode: {
      type: 'text',
      value: 'modes',
      help: 'the modes to compare, with commas between them',
      default: 'keyword,semantic,hybrid',
    },
    lens: { type: 'text', value: 'lens', help: 'the lens of every search', default: 'none' },
    model: {
      type: 'text',
      value: 'model',
      help: 'the embedding model: static, onnx:FOLDER, ollama:NAME or openai:NAME',
      default: 'static',
    },
    'base-url': { type: 'text', value: 'url', help: 'where that model answers' },
    dimensions: { type: 'number', value: 'n', help: 'how many dimensions it is asked for' },
    'per-query': {
      type: 'text',
      value: 'file',
      help: 'write how each query was answered there, a line each',
    },
    compare: {
      type: 'text',
      value: 'file',
      help: 'compare with such a file of an earlier run, with a paired test',
    },
    'limit-queries': {
      type: 'number',
      value: 'n',
      help: 'only the first n queries of each set',
      default: 'all',
    },
    corpus: {
      type: 'text',
      value: 'file',
      help: 'the documents, inside each folder',
      default: 'corpus.jsonl',
    },
    qrels: {
      type: 'text',
      value: 'file',
      help: 'the judgements, inside each folder',
      default: 'qrels.tsv, else qrels/test.tsv',
    },
    json: JSON_FLAG,
    help: HELP_FLAG,
  },
  seeAlso: ['search', 'embed'],
  load: async () => (await import('../commands/eval.js')).runEval,
}

export const CARE_COMMANDS: readonly Command[] = [
  commandOf('embed', {
    own: {
      model: {
        type: 'text',
        value: 'model',
        help: 'static, onnx:FOLDER, ollama:NAME or openai:NAME; takes over once it has read everything',
        default: 'the one in charge',
      },
      'base-url': { type: 'text', value: 'url', help: 'where a remote model answers' },
      dimensions: {
        type: 'number',
        value: 'n',
        help: 'how many numbers a vector has, if it can be chosen',
      },
    },
    examples: [
      'cairn embed --model onnx:models/all-MiniLM-L6-v2',
      'cairn embed --model ollama:nomic-embed-text',
    ],
    seeAlso: ['models', 'search'],
    run: async () => (await import('../commands/embed.js')).runEmbed,
  }),
  commandOf('models', {
    own: {
      remove: { type: 'text', value: 'model', help: operation('models.remove').summary },
    },
    examples: ['cairn models --remove cairn/static@1'],
    seeAlso: ['embed', 'stats'],
    alsoPerforms: ['models.remove'],
    run: async () => (await import('../commands/models.js')).runModels,
  }),
  EVAL,
  commandOf('stats', {
    examples: [`cairn stats --json | jq '.sizes.parts'`],
    seeAlso: ['doctor', 'models'],
    side: async () => (await import('../commands/stats.js')).STATS,
  }),
  commandOf('overview', {
    forms: { by: text({ choices: OVERVIEW_STEPS }), namespaces: list() },
    examples: [`cairn overview --by month --json | jq '.overTime'`],
    seeAlso: ['stats', 'timeline'],
    show: async () => (await import('../commands/overview.js')).showOverview,
  }),
  commandOf('backup', {
    words: [
      word({
        key: 'file',
        name: 'FILE',
        missing: ['Where to? Name the file of the copy.', 'For example: cairn backup notes.cairn'],
      }),
    ],
    forms: { force: on() },
    seeAlso: ['export', 'doctor'],
    run: async () => (await import('../commands/backup.js')).runBackup,
  }),
  commandOf('optimize', {
    forms: { vacuum: on() },
    seeAlso: ['doctor', 'purge'],
    show: async () => (await import('../commands/optimize.js')).showOptimized,
  }),
  commandOf('doctor', {
    forms: { repair: on() },
    seeAlso: ['stats', 'optimize'],
    show: async () => (await import('../commands/doctor.js')).showCheckup,
  }),
]
