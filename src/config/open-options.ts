/** A configuration becomes the options that `openCairn` takes, and says nothing where nobody did. */

import type { OpenOptions } from '../cairn/open.js'
import { badInput } from '../core/errors.js'
import { ADDRESSES, assertOwnAddress } from './addresses.js'
import { type Configuration, whereOf } from './configuration.js'

export type ConfiguredOptions = Pick<
  OpenOptions,
  | 'file'
  | 'cache'
  | 'namespace'
  | 'pinned'
  | 'busyTimeoutMs'
  | 'vectors'
  | 'search'
  | 'memory'
  | 'openAlex'
>

export function openOptionsOf(configuration: Configuration): ConfiguredOptions {
  const { get, saidOf, originOf } = configuration
  for (const name of ADDRESSES) {
    const origin = originOf(name)
    if (origin.kind === 'project') assertOwnAddress(name, saidOf(name), origin.path)
  }
  return {
    file: get('db') ?? '',
    ...present({
      namespace: saidOf('namespace'),
      pinned: saidOf('pinned'),
      busyTimeoutMs: saidOf('busyTimeoutMs'),
      vectors: vectorsOf(configuration),
    }),
    search: present({
      lens: saidOf('search.lens'),
      mode: saidOf('search.mode'),
      match: saidOf('search.match'),
      limit: saidOf('search.limit'),
      threshold: saidOf('vectorSearch.threshold'),
    }),
    cache:
      get('cache.enabled') === false
        ? false
        : present({ entries: saidOf('cache.entries'), ttlMs: saidOf('cache.ttlMs') }),
    memory: present({
      reinforcement: saidOf('memory.reinforcement'),
      decay: saidOf('memory.decay'),
    }),
    openAlex: present({
      mailto: saidOf('openAlex.mailto'),
      baseUrl: saidOf('openAlex.baseUrl'),
      cacheDir: get('openAlex.cacheDir'),
    }),
  }
}

const OF_A_MODEL = [
  'vectorSearch.model',
  'vectorSearch.path',
  'vectorSearch.baseUrl',
  'vectorSearch.dimensions',
] as const

/** Undefined: the model that every file gets. */
function vectorsOf(configuration: Configuration): OpenOptions['vectors'] {
  const { get, saidOf } = configuration
  if (get('vectorSearch.enabled') === false) return false
  const provider = saidOf('vectorSearch.provider')
  if (provider === undefined) {
    assertNoModel(configuration)
    return undefined
  }
  return {
    provider,
    ...present({
      model: saidOf('vectorSearch.model'),
      path: saidOf('vectorSearch.path'),
      baseUrl: saidOf('vectorSearch.baseUrl'),
      dimensions: saidOf('vectorSearch.dimensions'),
      timeoutMs: saidOf('vectorSearch.timeoutMs'),
    }),
  }
}

/** The bundled model has no name, no address and no choice: who gives one means another. */
function assertNoModel({ saidOf, originOf }: Configuration): void {
  const said = OF_A_MODEL.find((name) => saidOf(name) !== undefined)
  if (said === undefined) return
  throw badInput(
    `${said} in ${whereOf(originOf(said))} belongs to a provider, and none is named.`,
    'Set vectorSearch.provider to onnx, ollama or openai.',
  )
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

function present<T extends Readonly<Record<string, unknown>>>(parts: T): Present<T> {
  const there = Object.entries(parts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as Present<T>
}
