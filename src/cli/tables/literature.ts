/** The commands that know what a work of the literature is. */

import { CITATION_STYLES } from '../../core/work.js'
import type { Command } from '../command.js'
import type { Missing } from '../flag-parser.js'
import { NETWORK_FLAGS } from '../flags.js'
import { leftOutBy, list, number, off, on, text, under } from '../forms.js'
import { commandOf } from '../operation-command.js'
import { limit, WORK_FILTER_FORMS } from '../record-forms.js'
import { restOfLine, WANTED, word, words } from '../words.js'

const LIKE_THIS = 'Give it like 10.1000/182, W2741809807 or arXiv:1706.03762.'
const WHICH_ONLINE: Missing = ['Which work? Give its DOI, OpenAlex id or arXiv id.', LIKE_THIS]
const PLACE = { namespace: text(), tags: list() }

export const LITERATURE_COMMANDS: readonly Command[] = [
  commandOf('cite', {
    words: [words({ key: 'ids', name: 'ID', missing: WANTED.work })],
    forms: { style: text({ choices: CITATION_STYLES, default: 'plain' }) },
    seeAlso: ['citations', 'export'],
    show: async () => (await import('../commands/cite.js')).showReferences,
  }),
  commandOf('citations', {
    words: [word({ key: 'id', name: 'ID', missing: WANTED.work })],
    seeAlso: ['explore', 'cite', 'openalex expand'],
    show: async () => (await import('../commands/cite.js')).showCitations,
  }),
  commandOf('explore', {
    words: [
      restOfLine({
        key: 'from',
        name: 'QUERY|ID',
        missing: [
          'Where does it start? Give a question, or a work.',
          'A work is named by its id, DOI, OpenAlex id, arXiv id or citation key.',
        ],
      }),
    ],
    forms: {
      depth: number({ default: 2 }),
      maxWorks: number({ name: 'max', default: 100 }),
      references: off('no-references', 'do not go to what a work cites'),
      citations: off('no-citations', 'do not go to what cites a work'),
      lens: text({ default: 'balanced' }),
      decay: number({ default: 0.7 }),
      ...under('Network', { online: on() }),
      ...WORK_FILTER_FORMS,
    },
    own: { ...NETWORK_FLAGS, dot: { type: 'switch', help: 'print a graph for Graphviz' } },
    examples: [
      'cairn explore 10.1145/362384.362685 --dot | dot -Tsvg > citations.svg',
      'cairn explore 10.1145/362384.362685 --online --mailto me@example.org',
    ],
    seeAlso: ['citations', 'openalex expand', 'search'],
    takesDashWords: true,
    side: async () => (await import('../commands/explore.js')).EXPLORE,
  }),
  commandOf('openalex.get', {
    words: [words({ key: 'ids', name: 'ID', missing: WHICH_ONLINE })],
    forms: PLACE,
    own: NETWORK_FLAGS,
    seeAlso: ['openalex search', 'openalex expand', 'import'],
    creates: true,
    show: async () => (await import('../commands/openalex.js')).showOnline,
  }),
  commandOf('openalex.search', {
    words: [
      restOfLine({
        key: 'query',
        name: 'QUERY',
        missing: ['The search for works is empty.', 'Give some words.'],
      }),
    ],
    forms: { limit: limit(25), since: text(), ...PLACE },
    own: NETWORK_FLAGS,
    seeAlso: ['openalex get', 'openalex expand'],
    creates: true,
    show: async () => (await import('../commands/openalex.js')).showOnline,
  }),
  commandOf('openalex.expand', {
    words: [
      word({
        key: 'id',
        name: 'ID',
        missing: ['Around which work? Give its DOI, id or key.', LIKE_THIS],
      }),
    ],
    forms: {
      citations: leftOutBy('references', 'only what it cites'),
      references: leftOutBy('citations', 'only what cites it'),
      limit: limit(50),
      ...PLACE,
    },
    own: NETWORK_FLAGS,
    seeAlso: ['citations', 'explore', 'openalex get'],
    creates: true,
    show: async () => (await import('../commands/openalex.js')).showOnline,
  }),
]
