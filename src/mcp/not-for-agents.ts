/** What an agent cannot do is a short list, with the reason for each. */

import type { OperationName } from '../operations/operations.js'

const NETWORK = 'it goes out over the network, which a person decides'
const FILES = 'it reads or writes paths of the machine, which an agent has its own tools for'
const CARE = 'it is care of the whole file, which belongs to its owner'

export const NOT_FOR_AGENTS = {
  list: 'search with an empty query lists, within the budget of a reply',
  'add.many':
    'remember keeps up to a hundred, one by one, so that what each nearly repeats is named',
  'session.start': 'a connection is a session: it begins with its first trace',
  'session.end': 'a connection is a session: it ends with the connection',
  purge: 'it cannot be taken back; update forgets, and a person purges',
  'models.remove': 'it cannot be taken back',
  import: FILES,
  export: FILES,
  'import.works': FILES,
  'openalex.get': NETWORK,
  'openalex.search': NETWORK,
  'openalex.expand': NETWORK,
  overview: 'counts for plots; status tells an agent what there is',
  backup: FILES,
  embed: CARE,
  optimize: CARE,
} as const satisfies Partial<Record<OperationName, string>>
