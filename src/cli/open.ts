/** Reads the configuration, opens the file of a command, and reads the flags that name a model. */

import { resolve } from 'node:path'
import type { Cairn } from '../cairn/cairn.js'
import { type Environment, readText } from '../config/config-file.js'
import { type Configuration, readConfiguration } from '../config/configuration.js'
import { openLog, toOpenOptions } from '../config/load-configuration.js'
import { badInput } from '../core/errors.js'
import { type EmbedderConfig, PROVIDERS, type Provider } from '../embedding/open-embedder.js'
import type { CliContext, Command, CommandContext, FlagValues } from './command.js'

export function createOpener(
  command: Command,
  { flags, cli }: Pick<CommandContext, 'flags' | 'cli'>,
): Pick<CommandContext, 'open' | 'configuration'> & { close(): Promise<void> } {
  let read: Configuration | null = null
  let opened: Cairn | null = null
  const configuration = (): Configuration => {
    if (read !== null) return read
    const given = Object.entries(command.flags).flatMap(([name, { setting }]) =>
      setting === undefined ? [] : [{ setting, flag: `--${name}`, value: flags[name] }],
    )
    read = readConfiguration(toEnvironment(cli), given)
    return read
  }
  return {
    configuration,
    open: async ({ create = false, cachesResults = false, salvage = false, ...more } = {}) => {
      const { timeLimitMs, onLog = () => {} } = more
      const writeLog = openLog(configuration(), cli.now, cli.writeError)
      // Not before: an MCP server opens no file until a tool is called.
      const { openCairn, SERVER_TIME_LIMIT_MS } = await import('../cairn/open.js')
      opened = await openCairn({
        ...(cachesResults && { timeLimitMs: SERVER_TIME_LIMIT_MS }),
        ...toOpenOptions(configuration()),
        ...(timeLimitMs !== undefined && { timeLimitMs }),
        create,
        salvage,
        log: (level, event, fields = {}) => {
          onLog(event, fields)
          writeLog(level, event, fields)
        },
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

/** `provider:name`. The folder of an ONNX model becomes an absolute path, so that it is found from anywhere. */
export function readModel(flags: FlagValues): EmbedderConfig | null {
  const { model, dimensions } = flags
  const baseUrl = flags['base-url']
  if (model === undefined) {
    if (baseUrl !== undefined || dimensions !== undefined) {
      throw badInput('--base-url and --dimensions belong to a model.', 'Name it with --model.')
    }
    return null
  }
  const [, provider = '', name = ''] = /^([^:]*):?(.*)$/s.exec(String(model)) ?? []
  if (!PROVIDERS.some((known) => known === provider)) {
    const hint = 'Give static, onnx:FOLDER, ollama:NAME or openai:NAME.'
    throw badInput(`There is no model "${String(model)}".`, hint)
  }
  const named = name === '' ? {} : provider === 'onnx' ? { path: resolve(name) } : { model: name }
  return {
    provider: provider as Provider,
    ...named,
    ...(typeof baseUrl === 'string' && { baseUrl }),
    ...(typeof dimensions === 'number' && { dimensions }),
  }
}
