/** The commands that bring things in from elsewhere and take them out again. */

import { EXPORT_FORMATS } from '../../core/work.js'
import { operation } from '../../operations/operations.js'
import type { Command } from '../command.js'
import { speechOf } from '../flag-parser.js'
import { FILE_FLAGS } from '../flags.js'
import { list, number, on, onOrOff, text } from '../forms.js'
import { commandOf } from '../operation-command.js'
import { WORK_FILTER_FORMS } from '../record-forms.js'
import { eachWord, words } from '../words.js'

/** What can be imported; a test compares them with the importers. */
export const FORMATS =
  'archive markdown text pdf jsonl chatgpt claude claude-code codex chat beir mbox git bibtex ris csl'.split(
    ' ',
  )

const IMPORT_FORMS = {
  format: text({ suggestions: FORMATS }),
  namespace: text(),
  tags: list(),
  source: text(),
  prune: onOrOff('keep what is gone from a folder of notes, texts or PDFs'),
  batch: number({ default: 1000 }),
}
const WATCHED = speechOf(operation('import').options, [], IMPORT_FORMS)

export const TRANSFER_COMMANDS: readonly Command[] = [
  commandOf('import', {
    words: [
      eachWord({
        key: 'path',
        name: 'PATH',
        help: 'a file or a folder; `-` is standard input',
        missing: ['There is nothing to import.', 'Name a file or a folder; `-` is standard input.'],
      }),
    ],
    forms: { ...IMPORT_FORMS, dryRun: on() },
    own: {
      git: { type: 'switch', help: 'read the commits of a repository; as --format git' },
    },
    examples: [
      'cairn import ~/notes refs.bib --namespace thesis',
      'cairn import --git ~/src/shop',
      'cairn import notes.jsonl --db copy.cairn',
      'curl -s https://example.org/refs.bib | cairn import -',
    ],
    seeAlso: ['watch', 'add', 'openalex get'],
    run: async () => (await import('../commands/import.js')).runImport,
  }),
  {
    name: 'watch',
    summary: 'import a folder, and again whenever something in it changes',
    words: [{ name: 'FOLDER', help: 'its path' }],
    examples: ['cairn watch ~/notes', 'cairn watch ~/papers --format pdf --namespace papers'],
    flags: { ...WATCHED.flags, ...FILE_FLAGS },
    seeAlso: ['import'],
    speech: WATCHED,
    load: async () => {
      const { runWatch } = await import('../commands/watch.js')
      return (context) => runWatch(context, WATCHED.read(context))
    },
  },
  commandOf('export', {
    words: [words({ key: 'works', name: 'ID' })],
    forms: { format: text({ choices: EXPORT_FORMATS, default: 'bibtex' }), ...WORK_FILTER_FORMS },
    own: {
      all: {
        type: 'switch',
        help: 'write all that the file knows, as an archive for `cairn import`',
      },
      output: {
        type: 'text',
        value: 'file',
        help: 'write to this file',
        default: 'standard output',
      },
      force: { type: 'switch', help: 'replace the file if it is there' },
    },
    examples: [
      'cairn export > library.bib',
      'cairn export --all --output notes.jsonl',
      'cairn export --since 2015 --date occurred --format csv --output list.csv',
    ],
    seeAlso: ['cite', 'import', 'backup'],
    run: async () => (await import('../commands/export.js')).runExport,
  }),
]
