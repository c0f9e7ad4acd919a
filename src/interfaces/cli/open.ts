/** Promise: what a command works with, and how its file is opened, is decided in one place. */

import type { Cairn } from '../../cairn.js'
import { type Configuration, readConfiguration } from '../../configuration/configuration.js'
import { openLog } from '../../configuration/open-log.js'
import { openOptionsOf } from '../../configuration/open-options.js'
import { readText } from '../../configuration/read-text.js'
import type { Surroundings } from '../../configuration/surroundings.js'
import { openCairn } from '../../engine.js'
import type { Command, Context, FlagValues, World } from './command.js'

export type Opener = Pick<Context, 'open' | 'configuration'> & { close(): Promise<void> }

type Asked = Pick<Context, 'flags' | 'world'> & { readonly command: Command }

export function createOpener({ command, flags, world }: Asked): Opener {
  let read: Configuration | null = null
  let opened: Cairn | null = null
  const configuration = (): Configuration => {
    read ??= readConfiguration(surroundingsOf(world), givenFlags(command, flags))
    return read
  }
  return {
    configuration,
    open: async (options) => {
      opened = await openCairn({
        ...openOptionsOf(configuration()),
        create: options?.create ?? false,
        log: openLog(configuration(), world.now, world.writeError),
        now: world.now,
        // A command that asks once has nobody to answer from memory.
        ...(options?.keepsAnswers ? {} : { cache: false }),
        env: world.env,
        ...(flags.sql === true ? { trace: (sql) => world.writeError(`${sql}\n`) } : {}),
      })
      return opened
    },
    close: async () => opened?.close(),
  }
}

export function surroundingsOf({ folder, home, platform, env }: World): Surroundings {
  return { folder, home, platform, env, readText }
}

/** What the command line says of settings, as the table of the command has it. */
function givenFlags({ flags }: Command, given: FlagValues) {
  return Object.entries(flags).flatMap(([name, { setting }]) =>
    setting === undefined ? [] : [{ setting, flag: `--${name}`, value: given[name] }],
  )
}
