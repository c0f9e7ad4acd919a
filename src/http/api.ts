/** Each route runs the operation that it names, and answers with exactly what that gives. */

import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Cairn } from '../cairn/cairn.js'
import { badInput, CairnError } from '../core/errors.js'
import { OPERATIONS, perform } from '../operations/operations.js'
import { schemaOf } from './json-schema.js'
import { Refused } from './problems.js'
import { type BodyLimits, readJsonBody } from './read-body.js'
import { readQuery } from './read-query.js'
import { hasBody, type Place, placeOf, type Route } from './route.js'
import { isRoute, ROUTES } from './routes.js'
import { Turns } from './turns.js'

export type App = Hono<{ Bindings: HttpBindings }>
export type AppContext = Context<{ Bindings: HttpBindings }>

export function addRoutes(app: App, cairn: Cairn, limits: BodyLimits): void {
  const turns = new Turns()
  for (const operation of OPERATIONS) {
    const route = ROUTES[operation.name]
    if (!isRoute(route)) continue
    for (const place of route.at.map(placeOf)) {
      app.on(place.method, honoPathOf(place.path), async (context) => {
        const given = hasBody(place)
          ? await readJsonBody(context.env.incoming, limits)
          : readQuery(new URL(context.req.url).searchParams, await schemaOf(operation))
        await turns.take()
        const input = { ...given, ...fromPath(context, place, route, given) }
        const answer = await perform(operation, cairn, input)
        assertThere(route, place, context, answer)
        return context.json(answer as object)
      })
    }
  }
}

/** Whatever else is asked of these paths: which methods they have. */
export function addOtherMethods(app: App, places: readonly Pick<Place, 'method' | 'path'>[]): void {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of places) {
    const known = methods.get(path) ?? new Set(['OPTIONS'])
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  for (const [path, known] of methods) {
    const allow = [...known].sort().join(', ')
    app.all(honoPathOf(path), ({ req }) => {
      if (req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
      throw new Refused('method_not_allowed', `${req.path} has no method ${req.method}.`, {
        hint: `It has ${allow}.`,
        headers: { allow },
      })
    })
  }
}

export function operationPlaces(): Place[] {
  return Object.values(ROUTES).flatMap((route) => (isRoute(route) ? route.at.map(placeOf) : []))
}

function honoPathOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function fromPath(
  context: AppContext,
  { parameters }: Place,
  { idIsOneOf }: Route,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled = parameters.map((name): [string, unknown] => {
    const value = context.req.param(name) ?? ''
    return idIsOneOf === undefined ? [name, value] : [idIsOneOf, [value]]
  })
  const twice = filled.find(([name]) => name in given)
  if (twice !== undefined) {
    throw badInput(`${twice[0]} stands in the path already.`, 'Leave it out of the rest.')
  }
  return Object.fromEntries(filled)
}

/** Where a path names one thing, an answer without it is no answer. */
function assertThere(
  { isMissing }: Route,
  { parameters }: Place,
  { req }: AppContext,
  answer: unknown,
): void {
  const [first] = parameters
  if (first === undefined || isMissing?.(answer as never) !== true) return
  throw new CairnError('not_found', {
    message: `No record has the id "${req.param(first) ?? ''}".`,
    hint: 'GET /api/records lists those there are.',
  })
}
