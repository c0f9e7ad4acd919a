/** The commands that find records, and those that keep how to look for them. */

import type { Command } from '../command.js'
import { list, number, text } from '../forms.js'
import { commandOf } from '../operation-command.js'
import { FILTER_FORMS, limit } from '../record-forms.js'
import {
  ANSWER_FORMS,
  BELIEF_FORMS,
  LENS_OPTIONS,
  SEARCH_FORMS,
  THRESHOLD,
} from '../search-forms.js'
import { restOfLine, WANTED, word } from '../words.js'

const { offset, includeFacts, context, explain } = ANSWER_FORMS

export const SEARCH_COMMANDS: readonly Command[] = [
  commandOf('search', {
    words: [restOfLine({ key: 'query', name: 'QUERY' })],
    forms: SEARCH_FORMS,
    own: {
      marks: {
        type: 'switch',
        help: 'snippets as HTML: matched words in <mark>, the rest escaped',
        section: 'What to show',
      },
      sql: {
        type: 'switch',
        help: 'print the SQL that ran on standard error',
        section: 'What to show',
      },
    },
    examples: [
      `cairn search 'title:attention -draft tag:paper NEAR(index page, 5)'`,
      'cairn search what did Priya decide --recall standup --context 2',
      `cairn search "who decided on WAL?" --json | jq -r '.hits[].id'`,
    ],
    seeAlso: ['list', 'similar', 'timeline', 'lens save'],
    takesDashWords: true,
    side: async () => (await import('../commands/search.js')).SEARCH,
  }),
  commandOf('similar', {
    words: [
      word({
        key: 'id',
        name: 'ID',
        missing: ['Similar to which record? Give its id.', '`cairn list` shows the ids.'],
      }),
    ],
    forms: {
      limit: limit(10),
      offset,
      includeFacts,
      context,
      explain,
      ...FILTER_FORMS,
      ...BELIEF_FORMS,
      threshold: THRESHOLD,
    },
    seeAlso: ['search', 'embed'],
    side: async () => (await import('../commands/search.js')).SIMILAR,
  }),
  commandOf('timeline', {
    words: [word({ key: 'anchor', name: 'ID|MOMENT' })],
    forms: {
      before: number({ default: 5 }),
      after: number({ default: 5 }),
      since: text(),
      until: text(),
      namespaces: list(),
      limit: limit(50),
      cursor: text(),
    },
    seeAlso: ['list', 'session show'],
    show: async () => (await import('../commands/timeline.js')).showTimeline,
  }),
  commandOf('lens.list', {
    seeAlso: ['lens show', 'lens save'],
    show: async () => (await import('../commands/lens.js')).showLenses,
  }),
  commandOf('lens.save', {
    words: [word({ key: 'name', name: 'NAME', missing: WANTED.lens })],
    forms: { sentence: text(), options: LENS_OPTIONS },
    examples: ['cairn search "release day" --lens decisions'],
    seeAlso: ['search', 'lens show', 'lens remove'],
    creates: true,
    side: async () => (await import('../commands/lens.js')).LENS_SAVE,
  }),
  commandOf('lens.show', {
    words: [word({ key: 'name', name: 'NAME', missing: WANTED.lens })],
    seeAlso: ['lens list', 'search'],
    show: async () => (await import('../commands/lens.js')).showLens,
  }),
  commandOf('lens.remove', {
    words: [word({ key: 'name', name: 'NAME', missing: WANTED.lens })],
    seeAlso: ['lens list'],
    show: async () => (await import('../commands/lens.js')).showRemovedLens,
  }),
]
