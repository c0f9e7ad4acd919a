/** Promise: the commands that find records, and those that keep how to look for them. */

import type { Command } from '../command.js'
import { CURSOR, FILE_FLAGS, limitFlag, NAMESPACES, SINCE, UNTIL } from '../flags.js'
import { FILTER_FLAGS, LENS_FLAGS, SEARCH_FLAGS } from '../search-options.js'

const { limit: _, ...lensFlags } = LENS_FLAGS

export const SEARCH_COMMANDS: readonly Command[] = [
  {
    name: 'search',
    summary: 'find records by words and by meaning',
    usage: 'search [QUERY] [options]',
    examples: [
      'cairn search "deployment process" --limit 5',
      `cairn search 'title:attention OR "solid state" -draft tag:paper NEAR(index page, 5)'`,
      'cairn search "how do we ship code?" --explain',
      'cairn search "release day" --as-of 2026-07-01 --facets',
      'cairn search "what did Priya decide?" --recall standup --context 2',
      `cairn search "who decided on WAL?" --json | jq -r '.hits[].id'`,
    ],
    flags: {
      ...SEARCH_FLAGS,
      marks: {
        type: 'switch',
        help: 'snippets as HTML: matched words in <mark>, the rest escaped',
        section: 'What to show',
      },
      sql: { type: 'switch', help: 'print the SQL that ran on standard error' },
      ...FILE_FLAGS,
    },
    takesDashWords: true,
    maxWords: null,
    load: async () => (await import('../commands/search.js')).runSearch,
  },
  {
    name: 'similar',
    summary: 'find records near to one in meaning',
    usage: 'similar ID [options]',
    examples: ['cairn similar 01K9ZQ3F', 'cairn similar 01K9ZQ3F --kind work --limit 5'],
    flags: {
      ...FILTER_FLAGS,
      threshold: {
        type: 'number',
        value: 'cosine',
        help: 'least similarity',
        default: "the model's own",
      },
      limit: limitFlag('records', 10),
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/similar.js')).runSimilar,
  },
  {
    name: 'timeline',
    summary: 'show records in the order of time, around one or over a stretch',
    usage: 'timeline [ID] [options]',
    examples: [
      'cairn timeline 01K9ZQ3F --before 3 --after 3',
      'cairn timeline --since 7d --namespace team',
    ],
    flags: {
      before: { type: 'number', value: 'n', help: 'how many before the record', default: '5' },
      after: { type: 'number', value: 'n', help: 'how many after the record', default: '5' },
      since: SINCE,
      until: UNTIL,
      namespace: NAMESPACES,
      limit: limitFlag('records of a stretch', 50),
      cursor: CURSOR,
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/timeline.js')).runTimeline,
  },
  {
    name: 'lens list',
    summary: 'show the lenses there are',
    usage: 'lens list [options]',
    examples: ['cairn lens list'],
    flags: { ...FILE_FLAGS },
    maxWords: 0,
    load: async () => (await import('../commands/lens.js')).runLensList,
  },
  {
    name: 'lens save',
    summary: 'keep search options under a name',
    usage: 'lens save NAME [any option of a search] [options]',
    examples: [
      'cairn lens save decisions --tag decision --since 6m --sentence "What was decided lately"',
      'cairn search "release day" --lens decisions',
    ],
    flags: {
      sentence: { type: 'text', value: 'text', help: 'what it is for' },
      ...FILE_FLAGS,
      limit: { type: 'number', value: 'n', help: 'how many hits', section: 'What to show' },
      ...lensFlags,
    },
    maxWords: 1,
    load: async () => (await import('../commands/lens.js')).runLensSave,
  },
  {
    name: 'lens show',
    summary: 'show what a lens is made of',
    usage: 'lens show NAME [options]',
    examples: ['cairn lens show memory'],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/lens.js')).runLensShow,
  },
  {
    name: 'lens remove',
    summary: 'forget a saved lens',
    usage: 'lens remove NAME [options]',
    examples: ['cairn lens remove decisions'],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/lens.js')).runLensRemove,
  },
]
