/** Serves the files of the page that existed when the server started, and no other file of the disk. */

import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { etag } from 'hono/etag'
import type { App } from './api.js'
import { RequestError } from './problems.js'

const INDEX = '/index.html'
const ASSETS = '/assets/'
/** `app-B7x2kQ9_.js`: the name changes with the content. */
const HASHED = /-[\w-]{8,}\.\w+$/
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** The build compresses each file. `serveStatic` sends these copies to browsers that accept them. */
const COMPRESSED = /\.(?:br|gz)$/

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Cairn</title>
<p>The page of Cairn is not built here: run <code>npm run build</code>, or use the API as
<a href="/openapi.json">/openapi.json</a> describes it.</p></html>
`

/** Files on disk by the path that a browser asks for. */
export type PageFiles = ReadonlyMap<string, string>

/** Plain files only: a link could lead anywhere. */
export async function findPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return new Map(
    entries
      .filter((entry) => entry.isFile() && !COMPRESSED.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`/${relative(folder, path).replaceAll(sep, '/')}`, path]),
  )
}

export function addPage(app: App, files: PageFiles): void {
  if (!files.has(INDEX)) app.get('*', ({ html }) => html(NOT_BUILT))
  app.get('*', etag(), async (context, next) => {
    const { path: asked } = context.req
    const name = files.has(asked) ? asked : INDEX
    // A missing script must not be answered with a page.
    if (name === INDEX && asked.startsWith(ASSETS)) {
      throw new RequestError('not_found', `There is no file ${asked}.`)
    }
    const path = files.get(name) ?? ''
    const isHashed = name.startsWith(ASSETS) && HASHED.test(name)
    context.header('vary', 'accept-encoding')
    context.header('cache-control', isHashed ? IMMUTABLE : 'no-cache')
    return serveStatic({ path, precompressed: true })(context, next)
  })
}
