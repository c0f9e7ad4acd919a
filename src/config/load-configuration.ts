/** A program opens its file as the command would, and only if it asks to. */

import { homedir } from 'node:os'
import process from 'node:process'
import type { OpenOptions } from '../cairn/open.js'
import type { Log } from '../core/log.js'
import { readConfiguration } from './configuration.js'
import { openLog } from './open-log.js'
import { type ConfiguredOptions, openOptionsOf } from './open-options.js'
import { readText } from './read-text.js'

export type LoadOptions = {
  /** Where the search for `cairn.json` begins. Default: the working folder of the process. */
  readonly folder?: string
  /** Default: the environment of the process. */
  readonly env?: NonNullable<OpenOptions['env']>
}

export type LoadedOptions = ConfiguredOptions & Required<Pick<OpenOptions, 'env'>> & { log: Log }

/**
 * What `cairn.json`, the user's file and the environment say, as options for `openCairn`. A log is written where
 * `log.file` names a file. See docs/configuration.md.
 * @example
 * const cairn = await openCairn(loadConfiguration())
 */
export function loadConfiguration(options: LoadOptions = {}): LoadedOptions {
  const { folder = process.cwd(), env = process.env } = options
  const home = homedir()
  const { platform } = process
  const configuration = readConfiguration({ folder, env, home, platform, readText })
  return { ...openOptionsOf(configuration), env, log: openLog(configuration, Date.now, null) }
}
