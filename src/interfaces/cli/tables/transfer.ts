/** Promise: the commands that bring things in from elsewhere and take them out again. */

import { EXPORT_FORMATS } from '../../../core/work.js'
import type { Command, Flag } from '../command.js'
import { FILE_FLAGS, NAMESPACE } from '../flags.js'
import { WORK_FILTER_FLAGS } from '../search-options.js'

/** What can be imported; a test compares them with the importers. */
export const FORMATS =
  'archive markdown text pdf jsonl chatgpt claude claude-code codex chat beir mbox git bibtex ris csl'.split(
    ' ',
  )
const FORMAT: Flag = {
  type: 'text',
  value: 'format',
  help: FORMATS.join(' | '),
  default: 'by the path and what it holds',
  suggestions: FORMATS,
}
const TAG: Flag = { type: 'list', value: 'tag', help: 'give each of them this tag; repeatable' }
const NO_PRUNE: Flag = {
  type: 'switch',
  help: 'keep what is gone from a folder of notes, texts or PDFs',
}

export const TRANSFER_COMMANDS: readonly Command[] = [
  {
    name: 'import',
    summary: 'read notes, papers, PDFs, chats, mail and commits; again only what changed',
    usage: 'import PATH… [options]',
    examples: [
      'cairn import ~/notes --tag notes',
      'cairn import refs.bib --namespace papers --dry-run',
      'cairn import --git ~/src/shop',
      'cairn import notes.jsonl --db copy.cairn',
      'curl -s https://example.org/refs.bib | cairn import -',
    ],
    flags: {
      format: FORMAT,
      git: { type: 'switch', help: 'read the commits of a repository; as --format git' },
      namespace: NAMESPACE,
      tag: TAG,
      'dry-run': { type: 'switch', help: 'say what would be done, and write nothing' },
      'no-prune': NO_PRUNE,
      ...FILE_FLAGS,
    },
    maxWords: null,
    load: async () => (await import('../commands/import.js')).runImport,
  },
  {
    name: 'watch',
    summary: 'import a folder, and again whenever something in it changes',
    usage: 'watch FOLDER [options]',
    examples: ['cairn watch ~/notes', 'cairn watch ~/papers --format pdf --namespace papers'],
    flags: {
      format: FORMAT,
      namespace: NAMESPACE,
      tag: TAG,
      'no-prune': NO_PRUNE,
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/watch.js')).runWatch,
  },
  {
    name: 'export',
    summary:
      'write works as BibTeX, RIS, CSL-JSON, a reading list or a table, or the whole file as an archive',
    usage: 'export [ID…] [options]',
    examples: [
      'cairn export > library.bib',
      'cairn export 10.1145/362384.362685 vaswani2017attention --format ris',
      'cairn export --tag ranking --since 2015 --date occurred --format markdown --output reading.md',
      'cairn export --all --output notes.jsonl',
    ],
    flags: {
      all: {
        type: 'switch',
        help: 'write all that the file knows, as an archive for `cairn import`',
      },
      format: {
        type: 'text',
        value: 'format',
        help: EXPORT_FORMATS.join(' | '),
        default: 'bibtex',
        choices: EXPORT_FORMATS,
      },
      output: {
        type: 'text',
        value: 'file',
        help: 'write to this file',
        default: 'standard output',
      },
      force: { type: 'switch', help: 'replace the file if it is there' },
      ...WORK_FILTER_FLAGS,
      ...FILE_FLAGS,
    },
    maxWords: null,
    load: async () => (await import('../commands/export.js')).runExport,
  },
]
