/** Reads the configuration and opens the file of a command. */

import type { Cairn } from '../cairn/cairn.js'
import { openCairn } from '../cairn/open.js'
import { type Environment, readText } from '../config/config-file.js'
import { type Configuration, readConfiguration } from '../config/configuration.js'
import { openLog, toOpenOptions } from '../config/load-configuration.js'
import type { CliContext, Command, CommandContext } from './command.js'

export function createOpener(
  command: Command,
  { flags, cli }: Pick<CommandContext, 'flags' | 'cli'>,
): Pick<CommandContext, 'open' | 'configuration'> & { close(): Promise<void> } {
  let read: Configuration | null = null
  let opened: Cairn | null = null
  const configuration = (): Configuration => {
    const given = Object.entries(command.flags).flatMap(([name, { setting }]) =>
      setting === undefined ? [] : [{ setting, flag: `--${name}`, value: flags[name] }],
    )
    read ??= readConfiguration(toEnvironment(cli), given)
    return read
  }
  return {
    configuration,
    open: async ({ create = false, cachesResults = false } = {}) => {
      opened = await openCairn({
        ...toOpenOptions(configuration()),
        create,
        log: openLog(configuration(), cli.now, cli.writeError),
        now: cli.now,
        ...(!cachesResults && { cache: false }),
        env: cli.env,
        ...(flags.sql === true && { trace: (sql: string) => cli.writeError(`${sql}\n`) }),
      })
      return opened
    },
    close: async () => opened?.close(),
  }
}

export function toEnvironment({ folder, home, platform, env }: CliContext): Environment {
  return { folder, home, platform, env, readText }
}
