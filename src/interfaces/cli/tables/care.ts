/** Promise: the commands that look after models and files, and those that measure. */

import type { Command } from '../command.js'
import { FILE_FLAGS, HELP_FLAG, JSON_FLAG } from '../flags.js'

export const CARE_COMMANDS: readonly Command[] = [
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
    load: async () => (await import('../commands/embed.js')).runEmbed,
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
    load: async () => (await import('../commands/models.js')).runModels,
  },
  {
    name: 'eval',
    summary: 'measure how well search answers queries with known answers',
    usage: 'eval DIR… [options]',
    examples: [
      'cairn eval sets/scifact',
      'cairn eval sets/scifact sets/chats --mode keyword,semantic --json',
      'cairn eval sets/chats --corpus corpus_sessions.jsonl --qrels qrels_sessions.tsv',
      'cairn eval sets --per-query before.jsonl && cairn eval sets --compare before.jsonl',
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
    maxWords: null,
    load: async () => (await import('../commands/eval.js')).runEval,
  },
  {
    name: 'stats',
    summary: 'what the file holds, and what takes how much room',
    usage: 'stats [options]',
    examples: ['cairn stats', `cairn stats --json | jq '.sizes.parts'`],
    flags: { ...FILE_FLAGS },
    maxWords: 0,
    load: async () => (await import('../commands/stats.js')).runStats,
  },
  {
    name: 'backup',
    summary: 'copy the file as it is now, while others write',
    usage: 'backup FILE [options]',
    examples: ['cairn backup ~/backups/cairn.db', 'cairn backup /mnt/disk/notes.cairn --force'],
    flags: {
      force: { type: 'switch', help: 'replace the file if it is there' },
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/backup.js')).runBackup,
  },
  {
    name: 'optimize',
    summary: 'put the index in order after large imports',
    usage: 'optimize [options]',
    examples: ['cairn optimize', 'cairn optimize --vacuum'],
    flags: {
      vacuum: { type: 'switch', help: 'write the file anew too, without what is free in it' },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/optimize.js')).runOptimize,
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
    load: async () => (await import('../commands/doctor.js')).runDoctor,
  },
]
