/** Serves the files of the page that were there when the server started, and no other file of the disk. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { App } from './api.js'
import { RequestError } from './problems.js'

const INDEX = '/index.html'
const ASSETS = '/assets/'
/** `app-B7x2kQ9_.js`: the name changes with the content. */
const HASHED = /-[\w-]{8,}\.\w+$/
const IMMUTABLE = 'public, max-age=31536000, immutable'
const MIN_PACKED_BYTES = 1024

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
const PACKED = { br: '.br', gzip: '.gz' } as const
type Packing = keyof typeof PACKED

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
  const read = createReader(files)
  app.get('*', async ({ req, html }) => {
    const isPacked = Object.values(PACKED).some((ending) => req.path.endsWith(ending))
    const name = files.has(req.path) && !isPacked ? req.path : INDEX
    // A missing script must not be answered with a page.
    if (name === INDEX && req.path.startsWith(ASSETS)) {
      throw new RequestError('not_found', `There is no file ${req.path}.`)
    }
    if (!files.has(name)) return html(NOT_BUILT)
    const content = await read(name, null)
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
    const packing = choosePacking(req.header('accept-encoding') ?? '', name, content)
    if (packing === null) return new Response(content, { headers })
    headers['content-encoding'] = packing
    return new Response(await read(name, packing), { headers })
  })
}

/** Reads and packs each file once; a file that was packed by the build is taken as it is. */
function createReader(files: PageFiles) {
  type Content = Promise<Uint8Array<ArrayBuffer>>
  const cache = new Map<string, Content>()
  const load = async (name: string, packing: Packing | null): Content => {
    const packed = packing === null ? undefined : files.get(`${name}${PACKED[packing]}`)
    const content = await readFile(packed ?? files.get(name) ?? '')
    if (packing === null || packed !== undefined) return content
    const pack = packing === 'br' ? promisify(brotliCompress) : promisify(gzip)
    return pack(content) as Promise<Buffer<ArrayBuffer>>
  }
  return (name: string, packing: Packing | null): Content => {
    const key = `${packing} ${name}`
    const content = cache.get(key) ?? load(name, packing)
    cache.set(key, content)
    content.catch(() => cache.delete(key))
    return content
  }
}

function choosePacking(accepted: string, name: string, content: Uint8Array): Packing | null {
  const type = TYPES[extname(name)] ?? ''
  if (content.length < MIN_PACKED_BYTES || !/text|json|svg|javascript/.test(type)) return null
  const wanted = accepted
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(';')[0]?.trim())
  if (wanted.includes('br')) return 'br'
  return wanted.includes('gzip') ? 'gzip' : null
}
