/** Promise: flags that several commands have are described once. */

import { LOG_LEVELS } from '../../core/log.js'
import { KINDS, SECTORS, TIERS } from '../../core/record.js'
import type { Flag, Flags } from './command.js'

export const JSON_FLAG: Flag = {
  type: 'switch',
  help: 'print one JSON document instead of text',
}
export const HELP_FLAG: Flag = { type: 'switch', help: 'show this help' }

/** What every command has that opens a file. */
export const FILE_FLAGS: Flags = {
  db: {
    type: 'text',
    value: 'file',
    help: 'the Cairn file',
    default: '$CAIRN_DB, else the configuration, else cairn.db in your data folder',
    setting: 'db',
  },
  json: JSON_FLAG,
  'log-level': {
    type: 'text',
    value: 'level',
    help: `write a log: ${LOG_LEVELS.join(' | ')}`,
    default: '$CAIRN_LOG, else the configuration, else none',
    setting: 'log.level',
    suggestions: LOG_LEVELS,
  },
  'log-file': {
    type: 'text',
    value: 'file',
    help: 'write the log there',
    default: '$CAIRN_LOG_FILE, else the configuration, else standard error',
    setting: 'log.file',
  },
  help: HELP_FLAG,
}

/** The project that something is written to. */
export const NAMESPACE: Flag = {
  type: 'text',
  value: 'name',
  help: 'the project to write to',
  default: 'of the configuration, else default',
}

/** The projects that are looked at. */
export const NAMESPACES: Flag = {
  type: 'list',
  value: 'name',
  help: 'only this project; repeatable',
  default: 'all',
}

export const CURSOR: Flag = {
  type: 'text',
  value: 'place',
  help: 'go on after a page: its `next`',
}

export const SINCE: Flag = {
  type: 'text',
  value: 'moment',
  help: 'not before: 2026-06-01, yesterday, 7d',
}
export const UNTIL: Flag = { type: 'text', value: 'moment', help: 'not after' }

export const AUTHOR: Flag = { type: 'text', value: 'name', help: 'who says so' }
export const NOTE: Flag = { type: 'text', value: 'text', help: 'why' }

export const AMOUNT: Flag = {
  type: 'number',
  value: '0..1',
  help: 'how much, as a share of what is left to 1',
  default: '0.1',
}

/** How many of something; the library has the same default. */
export function limitFlag(of: string, byDefault: number): Flag {
  return { type: 'number', value: 'n', help: `how many ${of}`, default: String(byDefault) }
}

/** What of a record can be set. */
export const RECORD_FLAGS = {
  title: { type: 'text', value: 'text', help: 'a title' },
  kind: { type: 'text', value: 'kind', help: KINDS.join(' | '), choices: KINDS },
  tag: { type: 'list', value: 'tag', help: 'a tag; repeatable' },
  source: { type: 'text', value: 'text', help: 'where it comes from' },
  person: { type: 'list', value: 'name', help: 'an author or speaker; repeatable' },
  occurred: { type: 'text', value: 'moment', help: 'when it happened: 2026-06-01, yesterday, 3d' },
  importance: { type: 'number', value: '0..1', help: 'how much it matters' },
  salience: { type: 'number', value: '0.05..1', help: 'how present it is' },
  sector: { type: 'text', value: 'sector', help: SECTORS.join(' | '), choices: SECTORS },
  tier: { type: 'text', value: 'tier', help: TIERS.join(' | '), choices: TIERS },
  meta: { type: 'list', value: 'key=value', help: 'metadata; repeatable' },
} as const satisfies Flags
