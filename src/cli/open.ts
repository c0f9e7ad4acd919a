/** What a command works with, and how its file is opened, is decided in one place. */

import type { Cairn } from '../cairn/cairn.js'
import { openCairn } from '../cairn/open.js'
import type { Environment } from '../config/config-file.js'
import { readText } from '../config/config-file.js'
import { type Configuration, readConfiguration } from '../config/configuration.js'
import { openLog, toOpenOptions } from '../config/load-configuration.js'
import type { CliContext, Command, CommandContext, FlagValues } from './command.js'

export type Opener = Pick<CommandContext, 'open' | 'configuration'> & { close(): Promise<void> }

type Asked = Pick<CommandContext, 'flags' | 'world'> & { readonly command: Command }

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
        ...toOpenOptions(configuration()),
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

export function surroundingsOf({ folder, home, platform, env }: CliContext): Environment {
  return { folder, home, platform, env, readText }
}

/** What the command line says of settings, as the table of the command has it. */
function givenFlags({ flags }: Command, given: FlagValues) {
  return Object.entries(flags).flatMap(([name, { setting }]) =>
    setting === undefined ? [] : [{ setting, flag: `--${name}`, value: given[name] }],
  )
}
