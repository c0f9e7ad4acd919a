/** Maps every operation to its methods and paths, or says why it has none. */

import type { OperationName } from '../operations/operations.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Route = {
  /** Methods and paths; a name in braces is the option of the operation that this part of the path fills. */
  readonly at: readonly [`${Method} /api/${string}`, ...`${Method} /api/${string}`[]]
  /** The option that `{id}` fills, as a list of one, where the operation takes several. */
  readonly idIsOneOf?: string
  /** Whether the answer to a path with an id lacks the record, which makes it a 404. */
  readonly isMissing?: (answer: never) => boolean
}

/** An operation that HTTP does not offer. */
export type LeftOut = { readonly leftOut: string }

/** One method and path of a route. */
export type Endpoint = {
  readonly method: Method
  /** As OpenAPI writes it: `/api/records/{id}`. */
  readonly path: string
  /** The names in braces. */
  readonly parameters: readonly string[]
  /** Whether the input is a JSON body, and not the query string. */
  readonly hasBody: boolean
}

export const ROUTES: Readonly<Record<OperationName, Route | LeftOut>> = {
  search: { at: ['POST /api/search', 'GET /api/search'] },
  timeline: { at: ['GET /api/timeline'] },

  list: { at: ['GET /api/records'] },
  add: { at: ['POST /api/records'] },
  'add.many': { at: ['POST /api/records/batch'] },
  get: {
    at: ['GET /api/records/{id}', 'POST /api/records/get'],
    idIsOneOf: 'ids',
    isMissing: ({ records }: { readonly records: readonly unknown[] }) => records.length === 0,
  },
  edit: { at: ['PATCH /api/records/{id}'] },
  delete: { at: ['DELETE /api/records/{id}', 'POST /api/records/delete'], idIsOneOf: 'ids' },
  restore: {
    at: ['POST /api/records/{id}/restore', 'POST /api/records/restore'],
    idIsOneOf: 'ids',
  },
  purge: { at: ['POST /api/records/purge'] },
  history: { at: ['GET /api/records/{id}/history'] },
  undo: { at: ['POST /api/records/{id}/undo'] },
  similar: { at: ['GET /api/records/{id}/similar', 'POST /api/records/{id}/similar'] },
  links: { at: ['GET /api/records/{id}/links'] },
  why: { at: ['GET /api/records/{id}/why'] },
  supersede: { at: ['POST /api/records/{older}/supersede'] },
  reinforce: {
    at: ['POST /api/records/{id}/reinforce', 'POST /api/records/reinforce'],
    idIsOneOf: 'ids',
  },
  deemphasize: {
    at: ['POST /api/records/{id}/deemphasize', 'POST /api/records/deemphasize'],
    idIsOneOf: 'ids',
  },

  link: { at: ['POST /api/links'] },
  unlink: { at: ['DELETE /api/links'] },

  'session.list': { at: ['GET /api/sessions'] },
  'session.start': { at: ['POST /api/sessions'] },
  'session.show': { at: ['GET /api/sessions/{id}'] },
  'session.end': { at: ['POST /api/sessions/{id}/end'] },
  'session.summarise': { at: ['POST /api/sessions/{id}/summarise'] },

  'fact.list': { at: ['GET /api/facts'] },
  'fact.add': { at: ['POST /api/facts'] },
  'fact.reinforce': { at: ['POST /api/facts/{id}/reinforce'] },
  'fact.remove': { at: ['DELETE /api/facts/{id}'] },

  replay: { at: ['GET /api/replay'] },

  'lens.list': { at: ['GET /api/lenses'] },
  'lens.show': { at: ['GET /api/lenses/{name}'] },
  'lens.save': { at: ['PUT /api/lenses/{name}'] },
  'lens.remove': { at: ['DELETE /api/lenses/{name}'] },

  'import.works': { at: ['POST /api/works'] },
  cite: { at: ['GET /api/works/{id}/cite', 'POST /api/works/cite'], idIsOneOf: 'ids' },
  citations: { at: ['GET /api/works/{id}/citations'] },
  export: { at: ['GET /api/works/export', 'POST /api/works/export'] },
  // Not by GET: with `online` it asks OpenAlex and stores the works that it returns.
  explore: { at: ['POST /api/explore'] },
  'openalex.get': { at: ['POST /api/openalex/get'] },
  'openalex.search': { at: ['POST /api/openalex/search'] },
  'openalex.expand': { at: ['POST /api/openalex/expand'] },

  stats: { at: ['GET /api/stats'] },
  overview: { at: ['GET /api/overview'] },
  models: { at: ['GET /api/models'] },
  'models.remove': { at: ['DELETE /api/models/{id}'] },
  embed: { at: ['POST /api/embed'] },
  doctor: { at: ['POST /api/doctor'] },
  optimize: { at: ['POST /api/optimize'] },

  import: {
    leftOut: 'clients do not name paths of the server: files are sent to POST /api/import instead',
  },
  backup: {
    leftOut: 'clients do not name paths of the server: its owner copies the file',
  },
}

export function isRoute(entry: Route | LeftOut): entry is Route {
  return 'at' in entry
}

export function parseEndpoint(at: Route['at'][number]): Endpoint {
  const [method, path] = at.split(' ') as [Method, string]
  return {
    method,
    path,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    hasBody: method === 'POST' || method === 'PUT' || method === 'PATCH',
  }
}
