/** Serves the files of the page that were there when the server started, and no other file of the disk. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { App } from './api.js'
import { acceptedEncodings } from './compress.js'
import { RequestError } from './problems.js'

const INDEX = '/index.html'
const ASSETS = '/assets/'
/** `app-B7x2kQ9_.js`: the name changes with the content. */
const HASHED = /-[\w-]{8,}\.\w+$/
const IMMUTABLE = 'public, max-age=31536000, immutable'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}
/** The build packs each file, for browsers that accept an encoding. */
const PACKED = { br: '.br', gzip: '.gz' } as const

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
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`/${relative(folder, path).replaceAll(sep, '/')}`, path]),
  )
}

export function addPage(app: App, files: PageFiles): void {
  const contents = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  const read = (name: string) => {
    const content = contents.get(name) ?? readFile(files.get(name) ?? '')
    contents.set(name, content)
    content.catch(() => contents.delete(name))
    return content
  }
  app.get('*', async ({ req, html }) => {
    const isPacked = Object.values(PACKED).some((ending) => req.path.endsWith(ending))
    const name = files.has(req.path) && !isPacked ? req.path : INDEX
    // A missing script must not be answered with a page.
    if (name === INDEX && req.path.startsWith(ASSETS)) {
      throw new RequestError('not_found', `There is no file ${req.path}.`)
    }
    if (!files.has(name)) return html(NOT_BUILT)
    const content = await read(name)
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`
    const isHashed = name.startsWith(ASSETS) && HASHED.test(name)
    const headers: Record<string, string> = {
      etag,
      vary: 'accept-encoding',
      'cache-control': isHashed ? IMMUTABLE : 'no-cache',
    }
    const known = (req.header('if-none-match') ?? '').split(',')
    if (known.some((one) => one.trim().replace(/^W\//, '') === etag)) {
      return new Response(null, { status: 304, headers })
    }
    headers['content-type'] = TYPES[extname(name)] ?? 'application/octet-stream'
    const encoding = acceptedEncodings(req.header('accept-encoding'), ['br', 'gzip'] as const).find(
      (one) => files.has(`${name}${PACKED[one]}`),
    )
    if (encoding === undefined) return new Response(content, { headers })
    headers['content-encoding'] = encoding
    return new Response(await read(`${name}${PACKED[encoding]}`), { headers })
  })
}
