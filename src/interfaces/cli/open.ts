/** Promise: which file a command means, and how it is opened, is decided in one place. */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cairn } from '../../cairn.js'
import { badInput, CairnError } from '../../core/errors.js'
import { createLog, LOG_LEVELS, type Log, type LogLevel, silentLog } from '../../core/log.js'
import { type OpenOptions, openCairn } from '../../engine.js'
import type { Context, FlagValues, World } from './command.js'

export type Opener = Pick<Context, 'open'> & { close(): Promise<void> }

export function createOpener({ flags, world }: Pick<Context, 'flags' | 'world'>): Opener {
  let opened: Cairn | null = null
  return {
    open: async (options) => {
      opened = await openCairn({
        file: databaseFile(flags, world),
        create: options?.create ?? false,
        log: openLog(flags, world),
        now: world.now,
        // One command asks once: there would be nobody to answer from memory.
        cache: false,
        env: world.env,
        ...(options?.openAlex === undefined ? {} : { openAlex: options.openAlex }),
        ...(flags.sql === true ? { trace: (sql) => world.writeError(`${sql}\n`) } : {}),
      })
      return opened
    },
    close: async () => opened?.close(),
  }
}

/** The flag, else the environment, else the data folder of the system. */
export function databaseFile(flags: FlagValues, world: World): string {
  const named = flags.db ?? world.env.CAIRN_DB
  if (named === '') throw badInput('--db needs the path of a file.')
  if (typeof named === 'string') return named
  return join(dataFolder(world), 'cairn', 'cairn.db')
}

/** How OpenAlex is reached: the flags, else the environment; answers are kept in the cache folder of the user. */
export function openAlexOptions(
  flags: FlagValues,
  world: World,
): NonNullable<OpenOptions['openAlex']> {
  const baseUrl = flags['base-url'] ?? world.env.CAIRN_OPENALEX_URL
  const mailto = flags.mailto ?? world.env.CAIRN_MAILTO
  return {
    cacheDir: join(cacheFolder(world), 'cairn', 'openalex'),
    ...(typeof mailto === 'string' ? { mailto } : {}),
    ...(typeof baseUrl === 'string' && baseUrl !== '' ? { baseUrl } : {}),
  }
}

function cacheFolder({ env, home, platform }: World): string {
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Caches')
  return env.XDG_CACHE_HOME || join(home, '.cache')
}

function dataFolder({ env, home, platform }: World): string {
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_DATA_HOME || join(home, '.local', 'share')
}

export function openLog(flags: FlagValues, world: World): Log {
  const level = flags['log-level'] ?? world.env.CAIRN_LOG
  if (level === undefined || level === '') return silentLog
  if (!isLevel(level)) {
    throw badInput(`The log level must be one of ${LOG_LEVELS.join(', ')}, not "${String(level)}".`)
  }
  const file = flags['log-file']
  return createLog(level, world.now, typeof file === 'string' ? appendTo(file) : world.writeError)
}

function appendTo(file: string): (line: string) => void {
  return (line) => {
    try {
      appendFileSync(file, line)
    } catch (cause) {
      throw new CairnError('unreadable_file', {
        message: `The log cannot be written to ${file}.`,
        hint: 'Name another file with --log-file.',
        cause,
      })
    }
  }
}

function isLevel(level: unknown): level is LogLevel {
  return LOG_LEVELS.some((known) => known === level)
}
