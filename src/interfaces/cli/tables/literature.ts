/** Promise: the commands that know what a work of the literature is. */

import { CITATION_STYLES } from '../../../core/work.js'
import type { Command, Flags } from '../command.js'
import { FILE_FLAGS, limitFlag, NAMESPACE } from '../flags.js'
import { WORK_FILTER_FLAGS } from '../search-options.js'

const NETWORK_FLAGS: Flags = {
  'base-url': {
    type: 'text',
    value: 'url',
    help: 'where OpenAlex answers',
    default: '$CAIRN_OPENALEX_URL, else the configuration, else its own address',
    setting: 'openAlex.baseUrl',
    section: 'Network',
  },
  mailto: {
    type: 'text',
    value: 'address',
    help: 'say who is asking; a key is read from $OPENALEX_API_KEY',
    default: '$CAIRN_MAILTO, else the configuration, else nobody',
    setting: 'openAlex.mailto',
    section: 'Network',
  },
}
const PLACE_FLAGS: Flags = {
  namespace: NAMESPACE,
  tag: { type: 'list', value: 'tag', help: 'give each of them this tag; repeatable' },
}

export const LITERATURE_COMMANDS: readonly Command[] = [
  {
    name: 'cite',
    summary: 'print references of works',
    usage: 'cite ID… [options]',
    examples: [
      'cairn cite vaswani2017attention',
      'cairn cite 10.1145/362384.362685 --style bibtex',
    ],
    flags: {
      style: {
        type: 'text',
        value: 'style',
        help: CITATION_STYLES.join(' | '),
        default: 'plain',
        choices: CITATION_STYLES,
      },
      ...FILE_FLAGS,
    },
    maxWords: null,
    load: async () => (await import('../commands/cite.js')).runCite,
  },
  {
    name: 'explore',
    summary: 'go from a question or a work to what it cites and what cites it',
    usage: 'explore QUERY|ID [options]',
    examples: [
      'cairn explore "ranking web pages"',
      'cairn explore vaswani2017attention --depth 1 --no-citations',
      'cairn explore 10.1145/362384.362685 --dot | dot -Tsvg > citations.svg',
      'cairn explore 10.1145/362384.362685 --online --mailto me@example.org',
    ],
    flags: {
      depth: { type: 'number', value: 'n', help: 'how many hops from the start', default: '2' },
      max: {
        type: 'number',
        value: 'n',
        help: 'at most so many works, those at the start included',
        default: '100',
      },
      'no-references': { type: 'switch', help: 'do not go to what a work cites' },
      'no-citations': { type: 'switch', help: 'do not go to what cites a work' },
      decay: {
        type: 'number',
        value: '0..1',
        help: 'what remains of the relevance after each hop',
        default: '0.7',
      },
      dot: { type: 'switch', help: 'print a graph for Graphviz' },
      online: {
        type: 'switch',
        help: 'ask OpenAlex on the way, and keep the works it tells of',
        section: 'Network',
      },
      ...NETWORK_FLAGS,
      ...WORK_FILTER_FLAGS,
      ...FILE_FLAGS,
    },
    takesDashWords: true,
    maxWords: null,
    load: async () => (await import('../commands/explore.js')).runExplore,
  },
  {
    name: 'openalex get',
    summary: 'bring works in from OpenAlex by their identifiers',
    usage: 'openalex get ID… [options]',
    examples: ['cairn openalex get 10.1145/362384.362685 arXiv:1706.03762 --namespace papers'],
    flags: { ...PLACE_FLAGS, ...NETWORK_FLAGS, ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('../commands/openalex.js')).runOpenAlexGet,
  },
  {
    name: 'openalex search',
    summary: 'bring in the works that OpenAlex finds for some words',
    usage: 'openalex search QUERY [options]',
    examples: ['cairn openalex search "hybrid retrieval" --limit 10 --since 2019'],
    flags: {
      limit: limitFlag('works', 25),
      since: {
        type: 'text',
        value: 'date',
        help: 'published then or later: 2019, 2019-07, 2019-07-28',
      },
      ...PLACE_FLAGS,
      ...NETWORK_FLAGS,
      ...FILE_FLAGS,
    },
    maxWords: null,
    load: async () => (await import('../commands/openalex.js')).runOpenAlexSearch,
  },
  {
    name: 'openalex expand',
    summary: 'bring in what a work cites and what cites it',
    usage: 'openalex expand ID [options]',
    examples: [
      'cairn openalex expand vaswani2017attention --limit 20',
      'cairn openalex expand 10.1145/362384.362685 --citations',
    ],
    flags: {
      references: { type: 'switch', help: 'only what it cites', default: 'both' },
      citations: { type: 'switch', help: 'only what cites it', default: 'both' },
      limit: limitFlag('works of each', 50),
      ...PLACE_FLAGS,
      ...NETWORK_FLAGS,
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/openalex.js')).runOpenAlexExpand,
  },
]
