/** Describes every setting once: its help, environment variables, schema and default. */

import * as z from 'zod/mini'
import { CHAT_PROVIDERS, CHAT_TIMEOUT_MS } from '../core/chat-protocols.js'
import { EXTRACTORS } from '../core/fact.js'
import { LOG_LEVELS } from '../core/log.js'
import { DEFAULT_NAMESPACE } from '../core/record.js'
import { REINFORCEMENT } from '../core/salience.js'
import { PROVIDERS } from '../embedding/open-embedder.js'
import { MATCHES } from '../query/steps.js'
import * as field from '../schemas/fields.js'
import { MODES, reranker } from '../schemas/search-request.js'
import { ENTRIES, TTL_MS } from '../search/cache.js'

type Described = {
  readonly help: string
  readonly default?: string | number | boolean
  /** The same in words, if it is not one value. */
  readonly otherwise?: string
}

export type Setting = Described & {
  /** A path in a file is relative to the folder of that file; a secret is read from the environment alone. */
  readonly kind: 'text' | 'number' | 'switch' | 'path' | 'secret'
  /** The environment variables of the setting; the first one that is set counts. */
  readonly variables: readonly string[]
  readonly schema: z.ZodMiniType
}

const line = z.string().check(z.trim(), z.minLength(1))
const positive = z.int().check(z.minimum(1))
const notNegative = z.int().check(z.minimum(0))
const cosine = z.number().check(z.minimum(-1), z.maximum(1))
const port = z.int().check(z.minimum(0), z.maximum(65_535))
// The fake provider is for tests.
const provider = z.enum(PROVIDERS.filter((name) => name !== 'fake'))
const address = line.check(
  z.refine(isAddress, 'must be an http or https address without a user name or password.'),
)
const mailAddress = line.check(
  z.refine(
    (value) => /^[^\s@]+@[^\s@]+$/.test(value),
    'must be a mail address like name@example.org.',
  ),
)

function define<Kind extends Setting['kind']>(kind: Kind) {
  return <S extends z.ZodMiniType>(variable: string, schema: S, described: Described) =>
    ({ ...described, kind, variables: [variable], schema }) as const
}
const text = define('text')
const number = define('number')
const onOff = (variable: string, described: Described) =>
  define('switch')(variable, z.boolean(), described)
const path = (variable: string, described: Described) => define('path')(variable, line, described)
function secret(variables: readonly string[], described: Described) {
  return { ...described, kind: 'secret', variables, schema: z.string() } as const
}

export const SETTINGS = {
  db: path('CAIRN_DB', {
    help: 'the Cairn file, or postgres://user@host/name',
    otherwise: '`cairn/cairn.db` in your data folder',
  }),
  namespace: text('CAIRN_NAMESPACE', field.namespace, {
    help: 'the namespace to write to',
    default: DEFAULT_NAMESPACE,
  }),
  pinned: onOff('CAIRN_PINNED', {
    help: 'refuse to read or write any other namespace',
    default: false,
  }),
  busyTimeoutMs: number('CAIRN_BUSY_TIMEOUT_MS', notNegative, {
    help: 'how long a write waits for another process, in milliseconds',
    default: 5000,
  }),
  'vectorSearch.enabled': onOff('CAIRN_VECTORS', {
    help: 'semantic search; without it, keyword search alone',
    default: true,
  }),
  'vectorSearch.provider': text('CAIRN_PROVIDER', provider, {
    help: 'the provider of the embedding model of a new file; a file keeps its model until `cairn embed --model`',
    default: 'static',
  }),
  'vectorSearch.model': text('CAIRN_MODEL', line, {
    help: 'the name of the model',
    otherwise: "the provider's own",
  }),
  'vectorSearch.path': path('CAIRN_MODEL_PATH', {
    help: 'the folder of an ONNX model',
    otherwise: 'none',
  }),
  'vectorSearch.baseUrl': text('CAIRN_MODEL_URL', address, {
    help: 'the address of a remote model, also of a file that has its model already',
    otherwise: "the provider's own",
  }),
  'vectorSearch.dimensions': number('CAIRN_DIMENSIONS', positive, {
    help: 'the dimensions of a vector, if the model offers a choice',
    otherwise: "the model's own",
  }),
  'vectorSearch.timeoutMs': number('CAIRN_MODEL_TIMEOUT_MS', positive, {
    help: 'the timeout of a request to a remote model, in milliseconds',
    otherwise: "5000 for a query, the provider's own for texts",
  }),
  'vectorSearch.threshold': number('CAIRN_THRESHOLD', cosine, {
    help: 'the least similarity of a semantic match',
    otherwise: "the model's own",
  }),
  'vectorSearch.apiKey': secret(['CAIRN_API_KEY', 'OPENAI_API_KEY'], {
    help: 'the key of an OpenAI-compatible server',
    otherwise: 'none',
  }),
  'llm.provider': text('CAIRN_LLM_PROVIDER', z.enum(CHAT_PROVIDERS), {
    help: 'the provider of a language model that writes answers; nothing is sent to one unless it is set',
    otherwise: 'none',
  }),
  'llm.model': text('CAIRN_LLM_MODEL', line, {
    help: 'the name of the language model',
    otherwise: 'none',
  }),
  'llm.baseUrl': text('CAIRN_LLM_URL', address, {
    help: 'the address of the language model',
    otherwise: "the provider's own",
  }),
  'llm.timeoutMs': number('CAIRN_LLM_TIMEOUT_MS', positive, {
    help: 'how long a reply of the language model may take, in milliseconds',
    default: CHAT_TIMEOUT_MS,
  }),
  'llm.apiKey': secret(['CAIRN_LLM_KEY'], {
    help: 'the key of an OpenAI-compatible server of language models',
    otherwise: 'that of `vectorSearch`',
  }),
  'search.lens': text('CAIRN_LENS', line, {
    help: 'the lens that ranks the hits: a built-in or a saved one',
    default: 'balanced',
  }),
  'search.mode': text('CAIRN_MODE', z.enum(MODES), {
    help: 'keyword search, semantic search or both',
    default: 'hybrid',
  }),
  'search.match': text('CAIRN_MATCH', z.enum(MATCHES), {
    help: 'whether a hit needs all words of a query',
    default: 'auto',
  }),
  'search.limit': number('CAIRN_LIMIT', field.limit, {
    help: 'the number of hits',
    otherwise: '20 on the command line, 10 elsewhere',
  }),
  'search.rerank': text('CAIRN_RERANK', reranker, {
    help: 'rank the best 30 hits again: with `llm`, or with the cross-encoder in `onnx:FOLDER`',
    default: 'off',
  }),
  'search.timeLimitMs': number('CAIRN_TIME_LIMIT_MS', notNegative, {
    help: 'how long a search may take, in milliseconds; 0: no limit',
    otherwise: '5000 in a server, no limit elsewhere',
  }),
  'cache.enabled': onOff('CAIRN_CACHE', {
    help: 'cache the answers of searches, in a server or a program',
    default: true,
  }),
  'cache.entries': number('CAIRN_CACHE_ENTRIES', notNegative, {
    help: 'the number of cached answers',
    default: ENTRIES,
  }),
  'cache.ttlMs': number('CAIRN_CACHE_TTL_MS', positive, {
    help: 'how long an answer stays in the cache, in milliseconds',
    default: TTL_MS,
  }),
  'memory.reinforcement': number('CAIRN_REINFORCEMENT', field.share, {
    help: 'how much a recall adds to the salience, as a share of the distance to 1; 0 switches it off',
    default: REINFORCEMENT,
  }),
  'memory.decay': number('CAIRN_DECAY', z.number().check(z.minimum(0)), {
    help: 'the speed at which salience fades, as a multiple of the default; 0 switches it off',
    default: 1,
  }),
  'memory.extract': text('CAIRN_EXTRACT', z.enum(EXTRACTORS), {
    help: 'who finds facts and makes the summaries of sessions: `rules`, the language `model`, or `both`',
    default: 'rules',
  }),
  'log.level': text('CAIRN_LOG', z.enum(LOG_LEVELS), {
    help: 'write a log of events at this level and above',
    otherwise: 'no log',
  }),
  'log.file': path('CAIRN_LOG_FILE', { help: 'the file of the log', otherwise: 'standard error' }),
  'openAlex.mailto': text('CAIRN_MAILTO', mailAddress, {
    help: 'your mail address, sent to OpenAlex',
    otherwise: 'none',
  }),
  'openAlex.baseUrl': text('CAIRN_OPENALEX_URL', address, {
    help: 'the address of OpenAlex',
    otherwise: 'its own address',
  }),
  'openAlex.cacheDir': path('CAIRN_OPENALEX_CACHE', {
    help: 'the folder where responses of OpenAlex are cached for a week',
    otherwise: '`cairn/openalex` in your cache folder',
  }),
  'openAlex.apiKey': secret(['OPENALEX_API_KEY'], {
    help: 'the key for OpenAlex',
    otherwise: 'none',
  }),
  'mcp.budget': number('CAIRN_BUDGET', field.budget, {
    help: 'the token budget of an MCP reply, if the agent gives none',
    default: field.DEFAULT_BUDGET,
  }),
  'mcp.port': number('CAIRN_PORT', port, {
    help: 'the port of `cairn mcp --http`; 0 takes any that is free',
    default: 7377,
  }),
  'http.port': number('CAIRN_HTTP_PORT', port, {
    help: 'the port of `cairn serve`; 0 takes any that is free',
    default: 4747,
  }),
  'mcp.token': secret(['CAIRN_TOKEN'], {
    help: 'the token that clients of `cairn mcp --http` and `cairn serve` must send; at least 16 characters',
    otherwise: 'a new one is printed',
  }),
} satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof SETTINGS
export type SettingValue<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['schema']>

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

export const SECTIONS = [...new Set(SETTING_NAMES.flatMap((name) => name.split('.').slice(0, -1)))]

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

export function getSetting(name: SettingName): Setting {
  return SETTINGS[name]
}

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
