/** Everything that can be configured is described once: what it is for, its variable, its default, what it may be. */

import * as z from 'zod/mini'
import { LOG_LEVELS } from '../core/log.js'
import { DEFAULT_NAMESPACE } from '../core/record.js'
import { REINFORCEMENT } from '../core/salience.js'
import { PROVIDERS } from '../embedding/open-embedder.js'
import { MATCHES } from '../query/steps.js'
import * as field from '../schemas/fields.js'
import { budget, DEFAULT_BUDGET } from '../schemas/reply-budget.js'
import { MODES } from '../schemas/search-request.js'
import { ENTRIES, TTL_MS } from '../search/cache.js'

export type Setting = {
  readonly help: string
  /** A path in a file is relative to that file's folder; a secret is read from the environment alone. */
  readonly kind: 'text' | 'number' | 'switch' | 'path' | 'secret'
  /** The environment variables that say it; the first that is there counts. */
  readonly variables: readonly [string, ...string[]]
  readonly schema: z.ZodMiniType
  /** What holds where nobody says anything. */
  readonly default?: string | number | boolean
  /** The same in words, where it is no one value. */
  readonly otherwise?: string
}

const text = z.string().check(z.trim(), z.minLength(1))
const wholeFromOne = z.int().check(z.minimum(1))
const address = text.check(
  z.refine(isAddress, 'must be an http or https address without a user name or password.'),
)
const mailAddress = text.check(
  z.refine(
    (value) => /^[^\s@]+@[^\s@]+$/.test(value),
    'must be a mail address like name@example.org.',
  ),
)

export const SETTINGS = {
  db: {
    help: 'the Cairn file',
    kind: 'path',
    variables: ['CAIRN_DB'],
    schema: text,
    otherwise: '`cairn/cairn.db` in your data folder',
  },
  namespace: {
    help: 'the project that is written to',
    kind: 'text',
    variables: ['CAIRN_NAMESPACE'],
    schema: field.namespace,
    default: DEFAULT_NAMESPACE,
  },
  pinned: {
    help: 'nothing outside the namespace can be read or written',
    kind: 'switch',
    variables: ['CAIRN_PINNED'],
    schema: z.boolean(),
    default: false,
  },
  busyTimeoutMs: {
    help: 'how long a write waits for another process, in milliseconds',
    kind: 'number',
    variables: ['CAIRN_BUSY_TIMEOUT_MS'],
    schema: z.int().check(z.minimum(0)),
    default: 5000,
  },
  'vectorSearch.enabled': {
    help: 'find by meaning; without it, by words alone',
    kind: 'switch',
    variables: ['CAIRN_VECTORS'],
    schema: z.boolean(),
    default: true,
  },
  'vectorSearch.provider': {
    help: 'whose model a new file gets; a file that has one keeps it until `cairn embed --model`',
    kind: 'text',
    variables: ['CAIRN_PROVIDER'],
    // The one for tests is nobody's choice.
    schema: z.enum(PROVIDERS.filter((name) => name !== 'fake')),
    default: 'static',
  },
  'vectorSearch.model': {
    help: 'the name of the model',
    kind: 'text',
    variables: ['CAIRN_MODEL'],
    schema: text,
    otherwise: "the provider's own",
  },
  'vectorSearch.path': {
    help: 'the folder of an ONNX model',
    kind: 'path',
    variables: ['CAIRN_MODEL_PATH'],
    schema: text,
    otherwise: 'none',
  },
  'vectorSearch.baseUrl': {
    help: 'where a remote model answers',
    kind: 'text',
    variables: ['CAIRN_MODEL_URL'],
    schema: address,
    otherwise: "the provider's own",
  },
  'vectorSearch.dimensions': {
    help: 'how many numbers a vector has, if it can be chosen',
    kind: 'number',
    variables: ['CAIRN_DIMENSIONS'],
    schema: wholeFromOne,
    otherwise: "the model's own",
  },
  'vectorSearch.timeoutMs': {
    help: 'how long a remote model may take, in milliseconds',
    kind: 'number',
    variables: ['CAIRN_MODEL_TIMEOUT_MS'],
    schema: wholeFromOne,
    otherwise: "the provider's own",
  },
  'vectorSearch.threshold': {
    help: 'least similarity of a match by meaning',
    kind: 'number',
    variables: ['CAIRN_THRESHOLD'],
    schema: z.number().check(z.minimum(-1), z.maximum(1)),
    otherwise: "the model's own",
  },
  'vectorSearch.apiKey': {
    help: 'the key of an OpenAI-compatible server',
    kind: 'secret',
    variables: ['CAIRN_API_KEY', 'OPENAI_API_KEY'],
    schema: z.string(),
    otherwise: 'none',
  },
  'search.lens': {
    help: 'how hits are ranked: a built-in lens or a saved one',
    kind: 'text',
    variables: ['CAIRN_LENS'],
    schema: text,
    default: 'balanced',
  },
  'search.mode': {
    help: 'by words, by meaning or both',
    kind: 'text',
    variables: ['CAIRN_MODE'],
    schema: z.enum(MODES),
    default: 'hybrid',
  },
  'search.match': {
    help: 'whether a hit needs all words of a query',
    kind: 'text',
    variables: ['CAIRN_MATCH'],
    schema: z.enum(MATCHES),
    default: 'auto',
  },
  'search.limit': {
    help: 'how many hits',
    kind: 'number',
    variables: ['CAIRN_LIMIT'],
    schema: field.limit,
    otherwise: '20 on the command line, 10 elsewhere',
  },
  'cache.enabled': {
    help: 'answer a search that was asked before from memory, in a server or a program',
    kind: 'switch',
    variables: ['CAIRN_CACHE'],
    schema: z.boolean(),
    default: true,
  },
  'cache.entries': {
    help: 'how many answers are kept',
    kind: 'number',
    variables: ['CAIRN_CACHE_ENTRIES'],
    schema: z.int().check(z.minimum(0)),
    default: ENTRIES,
  },
  'cache.ttlMs': {
    help: 'how long an answer is kept, in milliseconds',
    kind: 'number',
    variables: ['CAIRN_CACHE_TTL_MS'],
    schema: wholeFromOne,
    default: TTL_MS,
  },
  'memory.reinforcement': {
    help: 'what a recall adds to the salience, as a share of what is left to 1; 0 switches it off',
    kind: 'number',
    variables: ['CAIRN_REINFORCEMENT'],
    schema: field.share,
    default: REINFORCEMENT,
  },
  'memory.decay': {
    help: 'how fast salience fades, as a multiple of the usual; 0 switches it off',
    kind: 'number',
    variables: ['CAIRN_DECAY'],
    schema: z.number().check(z.minimum(0)),
    default: 1,
  },
  'log.level': {
    help: 'write a log, down to this level',
    kind: 'text',
    variables: ['CAIRN_LOG'],
    schema: z.enum(LOG_LEVELS),
    otherwise: 'no log',
  },
  'log.file': {
    help: 'write the log there',
    kind: 'path',
    variables: ['CAIRN_LOG_FILE'],
    schema: text,
    otherwise: 'standard error',
  },
  'openAlex.mailto': {
    help: 'say who is asking OpenAlex',
    kind: 'text',
    variables: ['CAIRN_MAILTO'],
    schema: mailAddress,
    otherwise: 'nobody',
  },
  'openAlex.baseUrl': {
    help: 'where OpenAlex answers',
    kind: 'text',
    variables: ['CAIRN_OPENALEX_URL'],
    schema: address,
    otherwise: 'its own address',
  },
  'openAlex.cacheDir': {
    help: 'where answers of OpenAlex are kept for a week',
    kind: 'path',
    variables: ['CAIRN_OPENALEX_CACHE'],
    schema: text,
    otherwise: '`cairn/openalex` in your cache folder',
  },
  'openAlex.apiKey': {
    help: 'the key for OpenAlex',
    kind: 'secret',
    variables: ['OPENALEX_API_KEY'],
    schema: z.string(),
    otherwise: 'none',
  },
  'mcp.budget': {
    help: 'most tokens of a reply to an agent that does not say',
    kind: 'number',
    variables: ['CAIRN_BUDGET'],
    schema: budget,
    default: DEFAULT_BUDGET,
  },
  'mcp.port': {
    help: 'the port of `cairn mcp --http`; 0 takes any that is free',
    kind: 'number',
    variables: ['CAIRN_PORT'],
    schema: z.int().check(z.minimum(0), z.maximum(65_535)),
    default: 7377,
  },
  'http.port': {
    help: 'the port of `cairn serve`; 0 takes any that is free',
    kind: 'number',
    variables: ['CAIRN_HTTP_PORT'],
    schema: z.int().check(z.minimum(0), z.maximum(65_535)),
    default: 4747,
  },
  'mcp.token': {
    help: 'what clients of `cairn mcp --http` and `cairn serve` must send',
    kind: 'secret',
    variables: ['CAIRN_TOKEN'],
    schema: z.string(),
    otherwise: 'a new one is printed',
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof SETTINGS
export type SettingValue<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['schema']>

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** The names before the dot. */
export const SECTIONS: readonly string[] = [
  ...new Set(SETTING_NAMES.flatMap((name) => (name.includes('.') ? name.split('.')[0] : []))),
].filter((section) => section !== undefined)

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

export function settingOf(name: SettingName): Setting {
  return SETTINGS[name]
}

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
