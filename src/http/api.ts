/** Builds the application: the routes of the operations, the import, /openapi.json and the page. */

import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Cairn } from '../cairn/cairn.js'
import type { AskEvent } from '../core/answer.js'
import { type Caller, OWNER } from '../core/caller.js'
import { badInput, CairnError, describeMissing } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { OPERATIONS, perform, toSmallAnswer } from '../operations/operations.js'
import { addFiles } from './files.js'
import { isApiPath, readNamespace, readTarget } from './guard.js'
import { addImport } from './import.js'
import { addRateLimit } from './limits.js'
import type { Metrics } from './metrics.js'
import { describeApi, describeInput } from './openapi.js'
import { addPage, type PageFiles } from './page.js'
import { describeProblem, RequestError } from './problems.js'
import {
  assertNoBody,
  assertNoQuery,
  type JsonSchema,
  type Limits,
  readJsonBody,
  readQuery,
  watchClient,
} from './request.js'
import { createHangUp, sendJson, streamEvents, wantsEvents } from './respond.js'
import { type Endpoint, listEndpoints } from './routes.js'
import { addRequestLog, addWatching } from './watching.js'

/** How many operations may start in one turn of the event loop. */
const STARTS_PER_TURN = 25

type Environment = { Bindings: HttpBindings; Variables: { operation?: string; caller: Caller } }
export type App = Hono<Environment>
export type AppContext = Context<Environment>

export type AppParts = {
  readonly cairn: Cairn
  readonly log: Log
  readonly page: PageFiles
  readonly limits: Limits
  readonly hasToken: boolean
  readonly isProxied: boolean
  /** Without this cookie, the caller that creates the first token of an open server would lock itself out. */
  readonly ownerCookie: () => string
  /** The caller that the guard admitted. */
  readonly findCaller: (incoming: IncomingMessage) => Caller
  /** Requests a second of one caller; 0: no limit. Default: none without tokens, else 50. */
  readonly rate: number | undefined
  readonly metrics: Metrics
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

export function createApp(parts: AppParts): App {
  const { cairn, log, hasToken } = parts
  const app: App = new Hono<Environment>({
    getPath: (request) => readTarget(request).path,
  })
  app.use((context, next) => {
    context.set('caller', parts.findCaller(context.env.incoming))
    return next()
  })
  addRequestLog(app, parts)
  addRateLimit(app, parts)
  addWatching(app, parts)
  addRoutes(app, parts)
  app.get('/api/caller', (context) => sendJson(context, context.get('caller')))
  addImport(app, parts)
  addFiles(app, parts)
  app.get('/openapi.json', (context) => sendJson(context, describeApi({ hasToken })))
  refuseOtherMethods(app)
  app.use(async ({ req }, next) => {
    if (!isApiPath(req.path)) return next()
    throw new RequestError('not_found', `There is nothing at ${req.path}.`, {
      hint: '/openapi.json lists what there is.',
    })
  })
  addPage(app, parts.page)
  refuseOtherMethods(app)
  app.onError((error, context) => {
    const { status, body, headers } = describeProblem(error, cairn.file)
    if (status >= 500) {
      log('error', 'http.fault', { status, path: context.req.path, reason: error.stack ?? '' })
    }
    return Response.json(body, { status, headers })
  })
  return app
}

function addRoutes(app: App, parts: AppParts): void {
  const { cairn, limits, stopping } = parts
  const takeTurn = createTurns()
  for (const operation of OPERATIONS) {
    let schema: JsonSchema | null = null
    for (const endpoint of listEndpoints(operation)) {
      const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
      app.on(endpoint.method, path, async (context) => {
        context.set('operation', operation.name)
        schema ??= describeInput(operation)
        const { searchParams } = new URL(context.req.url)
        const { incoming } = context.env
        if (endpoint.hasBody) assertNoQuery(searchParams)
        else assertNoBody(incoming)
        const given = endpoint.hasBody
          ? await readJsonBody(incoming, limits)
          : readQuery(searchParams, schema)
        await takeTurn()
        const input = { ...given, ...readPath(context, endpoint, given) }
        const view = findView(context, cairn, input)
        const isAsk = operation.name === 'ask'
        const signal = isAsk ? createHangUp(context, stopping) : watchClient(context.env.outgoing)
        if (isAsk && wantsEvents(context)) {
          return streamEvents(context, parts, async (send) => {
            const onEvent = ({ kind, ...data }: AskEvent) => send(kind, data)
            const call = { isRemote: true, signal, onEvent }
            send('answer', await perform(operation, view, input, call))
          })
        }
        const answer = (await perform(operation, view, input, { isRemote: true, signal })) as {
          missing?: readonly string[]
        }
        if (operation.name === 'token.add' && !parts.hasToken && context.get('caller') === OWNER) {
          context.header('set-cookie', parts.ownerCookie())
        }
        if (endpoint.parameters.length > 0 && answer.missing?.[0] !== undefined) {
          throw new CairnError('not_found', {
            message: describeMissing([answer.missing[0]]).message,
            hint: 'GET /api/records lists those there are.',
          })
        }
        return sendJson(context, toSmallAnswer(operation, answer, input))
      })
    }
  }
}

/** The Cairn as the caller sees it: in the one of its namespaces that the input names, else the request, else its first. */
export function findView(context: AppContext, cairn: Cairn, input: object = {}): Cairn {
  const { namespace, namespaces } = input as Readonly<Record<string, unknown>>
  const [named, another] = [namespace ?? namespaces ?? []].flat()
  const isNamed = typeof named === 'string' && another === undefined
  const asked = isNamed ? named : readNamespace(context.env.incoming.headers)
  return cairn.as(context.get('caller'), asked)
}

function readPath(
  { req }: AppContext,
  { parameters }: Endpoint,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const twice = parameters.find(({ option }) => option in given)
  if (twice !== undefined) {
    throw badInput(`${twice.option} is in the path already.`, 'Leave it out of the rest.')
  }
  const entries = parameters.map(({ name, option }) => {
    const value = req.param(name) ?? ''
    return [option, option === name ? value : [value]]
  })
  return Object.fromEntries(entries)
}

/** Every path that was added refuses the methods that it does not have, and names those that it has. */
function refuseOtherMethods(app: App): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL')
  for (const path of new Set(routes.map((route) => route.path))) {
    const known = routes.filter((route) => route.path === path).map(({ method }) => method)
    const all = new Set(['OPTIONS', ...known, ...(known.includes('GET') ? ['HEAD'] : [])])
    const allow = [...all].sort().join(', ')
    app.all(path, ({ req }) => {
      if (req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
      throw new RequestError('method_not_allowed', `${req.path} has no method ${req.method}.`, {
        hint: `It has ${allow}.`,
        headers: { allow },
      })
    })
  }
}

/**
 * Limits how many operations start in one turn of the event loop, so that other work, such as an import, gets on under
 * load. The returned function resolves when the caller may start, in the order of the calls.
 */
export function createTurns(): () => Promise<void> {
  let started = 0
  return async () => {
    while (started >= STARTS_PER_TURN) await setImmediate()
    if (started === 0) {
      void setImmediate().then(() => {
        started = 0
      })
    }
    started += 1
  }
}
