/** Maps every operation to its methods and paths. */

import type { AnyOperation } from '../operations/operation.js'
import type { OperationName } from '../operations/operations.js'
import { describeOptions } from '../schemas/fields.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type At = `${Method} /api/${string}`

/** Null: clients do not name paths of the server. Files are sent to POST /api/import, and come from `files.ts`. */
export const ROUTES: Readonly<Record<OperationName, readonly At[] | null>> = {
  search: ['POST /api/search', 'GET /api/search'],
  // Not by GET: it costs the time of a model.
  ask: ['POST /api/ask'],
  timeline: ['GET /api/timeline'],
  log: ['GET /api/log'],

  list: ['GET /api/records'],
  add: ['POST /api/records'],
  'add.many': ['POST /api/records/batch'],
  get: ['GET /api/records/{id}', 'POST /api/records/get'],
  edit: ['PATCH /api/records/{id}'],
  delete: ['DELETE /api/records/{id}', 'POST /api/records/delete'],
  restore: ['POST /api/records/{id}/restore', 'POST /api/records/restore'],
  purge: ['POST /api/records/purge'],
  history: ['GET /api/records/{id}/history'],
  undo: ['POST /api/records/{id}/undo'],
  similar: ['GET /api/records/{id}/similar', 'POST /api/records/{id}/similar'],
  links: ['GET /api/records/{id}/links'],
  why: ['GET /api/records/{id}/why'],
  supersede: ['POST /api/records/{older}/supersede'],
  reinforce: ['POST /api/records/{id}/reinforce', 'POST /api/records/reinforce'],
  deemphasize: ['POST /api/records/{id}/deemphasize', 'POST /api/records/deemphasize'],

  link: ['POST /api/links'],
  unlink: ['DELETE /api/links'],

  'session.list': ['GET /api/sessions'],
  'session.start': ['POST /api/sessions'],
  'session.show': ['GET /api/sessions/{id}'],
  'session.end': ['POST /api/sessions/{id}/end'],
  'session.summarise': ['POST /api/sessions/{id}/summarise'],

  'fact.list': ['GET /api/facts'],
  'fact.add': ['POST /api/facts'],
  'fact.reinforce': ['POST /api/facts/{id}/reinforce'],
  'fact.remove': ['DELETE /api/facts/{id}'],

  briefing: ['GET /api/briefing'],
  replay: ['GET /api/replay'],

  'lens.list': ['GET /api/lenses'],
  'lens.show': ['GET /api/lenses/{name}'],
  'lens.save': ['PUT /api/lenses/{name}'],
  'lens.remove': ['DELETE /api/lenses/{name}'],

  'import.works': ['POST /api/works'],
  'works.duplicates': ['GET /api/works/duplicates'],
  'works.merge': ['POST /api/works/{id}/merge'],
  cite: ['GET /api/works/{id}/cite', 'POST /api/works/cite'],
  citations: ['GET /api/works/{id}/citations'],
  export: ['GET /api/works/export', 'POST /api/works/export'],
  // Not by GET: with `online` it asks OpenAlex and stores the works that it returns.
  explore: ['POST /api/explore'],
  'openalex.get': ['POST /api/openalex/get'],
  'openalex.search': ['POST /api/openalex/search'],
  'openalex.expand': ['POST /api/openalex/expand'],

  stats: ['GET /api/stats'],
  overview: ['GET /api/overview'],
  models: ['GET /api/models'],
  'models.remove': ['DELETE /api/models/{id}'],
  embed: ['POST /api/embed'],
  doctor: ['POST /api/doctor'],
  optimize: ['POST /api/optimize'],

  'token.list': ['GET /api/tokens'],
  'token.add': ['POST /api/tokens'],
  'token.revoke': ['DELETE /api/tokens/{name}'],

  import: null,
  mirror: null,
  backup: null,
  copy: null,
}

export type Endpoint = ReturnType<typeof listEndpoints>[number]

/** The parameters are the names in braces. Where an operation takes several ids, `{id}` is a list of one. */
export function listEndpoints(operation: AnyOperation & { name: OperationName }) {
  const options = describeOptions(operation.schema)
  return (ROUTES[operation.name] ?? []).map((at) => {
    const [method, path] = at.split(' ') as [Method, string]
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      option: name in options ? name : `${name}s`,
    }))
    // Any other method takes its input from the query string.
    const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
    return { method, path, parameters, hasBody }
  })
}
