/** The commands on works, and those that import and export. */

import type { Command } from '../command.js'
import { readInput } from '../command-line.js'
import { deriveFlags, FILE_FLAGS, NETWORK_FLAGS, switchFlag, textFlag } from '../flags.js'
import { createCommands } from '../operation-command.js'

const command = createCommands(() => import('../commands/literature.js'))
const transferCommand = createCommands(() => import('../commands/transfer.js'))

export const LITERATURE_COMMANDS: readonly Command[] = [
  command('cite', {
    ownFlags: { 'in-text': switchFlag('print the mark for the running text: (Stone, 2019)') },
    examples: ['cairn cite 10.1145/362384.362685 --style nature.csl'],
    seeAlso: ['citations', 'export'],
  }),
  command('citations', { seeAlso: ['explore', 'cite', 'openalex expand'] }),
  command('explore', {
    positionals: { from: { name: 'QUERY|ID', takes: 'rest' } },
    flags: {
      references: { 'no-references': { form: 'off', help: 'do not follow the works it cites' } },
      citations: { 'no-citations': { form: 'off', help: 'do not follow the works that cite it' } },
    },
    ownFlags: { ...NETWORK_FLAGS, dot: switchFlag('print a graph for Graphviz') },
    examples: [
      'cairn explore 10.1145/362384.362685 --dot | dot -Tsvg > citations.svg',
      'cairn explore 10.1145/362384.362685 --online --mailto me@example.org',
    ],
    seeAlso: ['citations', 'openalex expand', 'search'],
  }),
  command('works.duplicates', { seeAlso: ['works merge', 'export'] }),
  command('works.merge', { seeAlso: ['works duplicates', 'history', 'unlink'] }),
  command('openalex.get', {
    ownFlags: NETWORK_FLAGS,
    seeAlso: ['openalex search', 'openalex expand', 'import'],
    creates: true,
  }),
  command('openalex.search', {
    positionals: { query: { name: 'QUERY', takes: 'rest' } },
    ownFlags: NETWORK_FLAGS,
    seeAlso: ['openalex get', 'openalex expand'],
    creates: true,
  }),
  command('openalex.expand', {
    // Either flag alone leaves the other direction out; both together ask for both, as does neither.
    flags: {
      references: { citations: { form: 'off', unless: 'references', help: 'only what cites it' } },
      citations: { references: { form: 'off', unless: 'citations', help: 'only what it cites' } },
    },
    ownFlags: NETWORK_FLAGS,
    seeAlso: ['citations', 'explore', 'openalex get'],
    creates: true,
  }),
]

const WATCH: Command = {
  name: 'watch',
  summary: 'import a folder, and again whenever something in it changes',
  positionals: [{ name: 'FOLDER', help: 'its path' }],
  examples: ['cairn watch ~/notes', 'cairn watch ~/papers --format pdf --namespace papers'],
  flags: { ...deriveFlags('import', ['path', 'dryRun']), ...FILE_FLAGS },
  seeAlso: ['import'],
  load: async () => {
    const { runWatch } = await import('../commands/transfer.js')
    return (context) => runWatch(context, readInput(WATCH, context))
  },
}

export const TRANSFER_COMMANDS: readonly Command[] = [
  transferCommand('import', {
    positionals: {
      path: { name: 'PATH', takes: 'each', help: 'a file or a folder; `-` is standard input' },
    },
    ownFlags: {
      git: switchFlag('import the commits of a repository; as --format git'),
    },
    examples: [
      'cairn import ~/notes refs.bib --namespace thesis',
      'cairn import --git ~/src/shop',
      'cairn import notes.jsonl --db copy.cairn',
      'curl -s https://example.org/refs.bib | cairn import -',
    ],
    seeAlso: ['watch', 'add', 'openalex get'],
  }),
  WATCH,
  transferCommand('mirror', {
    ownFlags: { watch: switchFlag('keep going: follow both sides until Ctrl-C') },
    examples: ['cairn mirror ~/vault/memories --watch'],
    seeAlso: ['import', 'watch', 'restore'],
  }),
  transferCommand('export', {
    positionals: { works: 'ID' },
    without: {
      kinds: 'works are all of one kind',
      includeDocuments: 'works are all of one kind',
      ids: 'a work is an argument of its own',
    },
    ownFlags: {
      all: switchFlag('write the whole content of the file, as an archive for `cairn import`'),
      salvage: switchFlag(
        'with --all: leave out what cannot be read of a damaged file, and name it',
      ),
      output: textFlag('file', 'write to this file', { default: 'standard output' }),
      force: switchFlag('replace the file if it exists'),
    },
    examples: [
      'cairn export > library.bib',
      'cairn export --all --output notes.jsonl',
      'cairn export --all --salvage --output saved.jsonl',
      'cairn export --since 2015 --date occurred --output list.csv',
    ],
    seeAlso: ['cite', 'import', 'backup'],
  }),
]
