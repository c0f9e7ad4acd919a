/** Turns a configuration into the options of `openCairn` and the log. */

import { appendFileSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import type { OpenOptions } from '../cairn/open.js'
import type { ChatConfig } from '../core/chat-model.js'
import { CHAT_BASE } from '../core/chat-protocols.js'
import { badInput, CairnError } from '../core/errors.js'
import { omitUndefined } from '../core/json-fields.js'
import { createLog, type Log, silentLog } from '../core/log.js'
import { ADDRESSES, assertLocalAddress, readText } from './config-file.js'
import { type Configuration, printOrigin, readConfiguration } from './configuration.js'
import type { SettingName } from './settings.js'

export type LoadOptions = {
  /** Where the search for `cairn.json` begins. Default: the working folder of the process. */
  readonly folder?: string
  /** Default: the environment of the process. */
  readonly env?: NonNullable<OpenOptions['env']>
  /** Milliseconds UTC, for the log. Default: the machine's clock. */
  readonly now?: () => number
}

export type LoadedOptions = OpenOptions & Required<Pick<OpenOptions, 'env' | 'log'>>

/**
 * What `cairn.json`, the user's file and the environment say, as options for `openCairn`. A log is written if
 * `log.file` names a file. See docs/configuration.md.
 * @example
 * const cairn = await openCairn(loadConfiguration())
 */
export function loadConfiguration(options: LoadOptions = {}): LoadedOptions {
  const { folder = process.cwd(), env = process.env, now = Date.now } = options
  const { platform } = process
  const configuration = readConfiguration({ folder, env, home: homedir(), platform, readText })
  return { ...toOpenOptions(configuration), env, log: openLog(configuration, now, null) }
}

export function toOpenOptions(configuration: Configuration): OpenOptions {
  const { get, getGiven, getOrigin } = configuration
  for (const name of ADDRESSES) {
    const origin = getOrigin(name)
    if (origin.kind === 'project') assertLocalAddress(name, getGiven(name), origin.path)
  }
  return {
    file: get('db') ?? '',
    ...omitUndefined({
      namespace: getGiven('namespace'),
      pinned: getGiven('pinned'),
      busyTimeoutMs: getGiven('busyTimeoutMs'),
      vectors: toEmbedder(configuration),
      llm: toChatModel(configuration),
      timeLimitMs: getGiven('search.timeLimitMs'),
    }),
    search: omitUndefined({
      lens: getGiven('search.lens'),
      mode: getGiven('search.mode'),
      match: getGiven('search.match'),
      limit: getGiven('search.limit'),
      rerank: getGiven('search.rerank'),
      threshold: getGiven('vectorSearch.threshold'),
    }),
    cache:
      get('cache.enabled') === false
        ? false
        : omitUndefined({ entries: getGiven('cache.entries'), ttlMs: getGiven('cache.ttlMs') }),
    memory: omitUndefined({
      reinforcement: getGiven('memory.reinforcement'),
      decay: getGiven('memory.decay'),
      extract: getGiven('memory.extract'),
    }),
    openAlex: omitUndefined({
      mailto: getGiven('openAlex.mailto'),
      baseUrl: getGiven('openAlex.baseUrl'),
      cacheDir: get('openAlex.cacheDir'),
    }),
  }
}

/** Undefined: the bundled model. */
function toEmbedder(configuration: Configuration): OpenOptions['vectors'] {
  const { get, getGiven, getOrigin } = configuration
  if (get('vectorSearch.enabled') === false) return false
  const provider = getGiven('vectorSearch.provider')
  const model = omitUndefined({
    model: getGiven('vectorSearch.model'),
    path: getGiven('vectorSearch.path'),
    dimensions: getGiven('vectorSearch.dimensions'),
  })
  // An address and a time-out are also for files that have their model already.
  const server = omitUndefined({
    baseUrl: getGiven('vectorSearch.baseUrl'),
    timeoutMs: getGiven('vectorSearch.timeoutMs'),
  })
  if (provider !== undefined) {
    if (provider === 'openai') assertOwnChoice('vectorSearch', 'openai', configuration)
    return { provider, ...model, ...server }
  }
  // The bundled model has no name: a setting for one is meant for another provider.
  const [first] = Object.keys(model) as (keyof typeof model)[]
  if (first === undefined) {
    return Object.keys(server).length === 0 ? undefined : { provider: 'static', ...server }
  }
  const origin = printOrigin(getOrigin(`vectorSearch.${first}`))
  throw badInput(
    `vectorSearch.${first} in ${origin} belongs to a provider, and none is named.`,
    'Set vectorSearch.provider to onnx, ollama or openai.',
  )
}

/** Undefined: none. */
function toChatModel(configuration: Configuration): ChatConfig | undefined {
  const { getGiven, getOrigin } = configuration
  const provider = getGiven('llm.provider')
  const model = getGiven('llm.model')
  const baseUrl = getGiven('llm.baseUrl')
  if (provider === undefined && model === undefined) return undefined
  if (provider === undefined || model === undefined) {
    const [given, missing] = model === undefined ? ['provider', 'model'] : ['model', 'provider']
    throw badInput(
      `llm.${given} in ${printOrigin(getOrigin(`llm.${given}` as SettingName))} needs llm.${missing} too.`,
      `Set it with \`cairn config set llm.${missing} …\`.`,
    )
  }
  assertOwnChoice('llm', provider, configuration)
  return {
    provider,
    model,
    ...omitUndefined({ baseUrl, timeoutMs: getGiven('llm.timeoutMs') }),
  }
}

/** The provider of a project's file is at the usual address, which may be that of another machine. */
function assertOwnChoice(
  part: 'vectorSearch' | 'llm',
  provider: keyof typeof CHAT_BASE,
  { getGiven, getOrigin }: Configuration,
): void {
  const origin = getOrigin(`${part}.provider`)
  if (origin.kind !== 'project' || getGiven(`${part}.baseUrl`) !== undefined) return
  assertLocalAddress(`${part}.baseUrl`, CHAT_BASE[provider], origin.path)
}

/** Without `log.file` the lines go to `otherwise`; null means no log. */
export function openLog(
  { getGiven }: Configuration,
  now: () => number,
  otherwise: ((line: string) => void) | null,
): Log {
  const level = getGiven('log.level')
  const file = getGiven('log.file')
  const writeLine = file === undefined ? otherwise : (line: string) => appendLine(file, line)
  return level === undefined || writeLine === null ? silentLog : createLog(level, now, writeLine)
}

function appendLine(file: string, line: string): void {
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
