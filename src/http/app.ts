/** The API, its description and the page are one application, and every mistake is answered in one shape. */

import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Cairn } from '../cairn/cairn.js'
import type { Log } from '../core/log.js'
import { type App, addOtherMethods, addRoutes, operationPlaces } from './api.js'
import { isForPrograms } from './guard.js'
import { addImport } from './import.js'
import { describeApi } from './openapi.js'
import { addPage, type PageFiles } from './page.js'
import { problemOf, Refused } from './problems.js'
import type { BodyLimits } from './read-body.js'
import type { UploadLimits } from './receive.js'

export type AppParts = {
  readonly cairn: Cairn
  readonly log: Log
  readonly page: PageFiles
  readonly body: BodyLimits
  readonly upload: UploadLimits
  readonly hasToken: boolean
  /** Is aborted when the server is told to end. */
  readonly stopping: AbortSignal
}

export function createApp(parts: AppParts): App {
  const { cairn, log, body, upload, stopping, hasToken } = parts
  const app: App = new Hono<{ Bindings: HttpBindings }>()
  addRoutes(app, cairn, body)
  addImport(app, { cairn, log, limits: upload, stopping })
  app.get('/openapi.json', async (context) => context.json(await describeApi({ hasToken })))
  addOtherMethods(app, [
    ...operationPlaces(),
    { method: 'POST', path: '/api/import' },
    { method: 'GET', path: '/openapi.json' },
  ])
  app.use(async ({ req }, next) => {
    if (isForPrograms(req.path)) {
      throw new Refused('not_found', `There is nothing at ${req.path}.`, {
        hint: '/openapi.json lists what there is.',
      })
    }
    return next()
  })
  addPage(app, parts.page)
  addOtherMethods(app, [{ method: 'GET', path: '*' }])
  app.onError((error, context) => {
    const { status, body: problem, headers } = problemOf(error, cairn.file)
    if (status >= 500) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      log('error', 'http.fault', { status, path: context.req.path, reason })
    }
    return Response.json(problem, { status, headers })
  })
  return app
}
