/** Flags that no operation has, but several commands, are described once. */

import { LOG_LEVELS } from '../core/log.js'
import type { Flag, Flags } from './command.js'

export const COMMON = 'Common options'

export const JSON_FLAG: Flag = {
  type: 'switch',
  help: 'print one JSON document instead of text',
  section: COMMON,
}
export const HELP_FLAG: Flag = { type: 'switch', help: 'show this help', section: COMMON }

/** What every command has that opens a file. */
export const FILE_FLAGS: Flags = {
  db: {
    type: 'text',
    value: 'file',
    help: 'the Cairn file',
    default: '$CAIRN_DB, else the configuration, else cairn.db in your data folder',
    setting: 'db',
    section: COMMON,
  },
  json: JSON_FLAG,
  'log-level': {
    type: 'text',
    value: 'level',
    help: 'write a log',
    choices: LOG_LEVELS,
    default: '$CAIRN_LOG, else the configuration, else none',
    setting: 'log.level',
    section: COMMON,
  },
  'log-file': {
    type: 'text',
    value: 'file',
    help: 'write the log there',
    default: '$CAIRN_LOG_FILE, else the configuration, else standard error',
    setting: 'log.file',
    section: COMMON,
  },
  help: HELP_FLAG,
}

const NETWORK = 'Network'

/** How OpenAlex is reached. */
export const NETWORK_FLAGS: Flags = {
  'base-url': {
    type: 'text',
    value: 'url',
    help: 'where OpenAlex answers',
    default: '$CAIRN_OPENALEX_URL, else the configuration, else its own address',
    setting: 'openAlex.baseUrl',
    section: NETWORK,
  },
  mailto: {
    type: 'text',
    value: 'address',
    help: 'say who is asking; a key is read from $OPENALEX_API_KEY',
    default: '$CAIRN_MAILTO, else the configuration, else nobody',
    setting: 'openAlex.mailto',
    section: NETWORK,
  },
}
