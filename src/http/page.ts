/** Of the page only files that were there at the start are served, and whatever is asked for names one of them or none. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { App, AppContext } from './api.js'
import { Refused } from './problems.js'

const INDEX = '/index.html'
const ASSETS = '/assets/'
/** `app-B7x2kQ9_.js`: another content has another name. */
const HASHED = /-[\w-]{8,}\.\w+$/
const IMMUTABLE = 'public, max-age=31536000, immutable'
const WORTH_PACKING = 1024

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

/** By the path that a browser asks for. */
export type PageFiles = ReadonlyMap<string, string>

/** Plain files alone: a link could lead anywhere. */
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
  app.get('*', async (context) => {
    const { path } = context.req
    const name = files.has(path) && !isPacked(path) ? path : INDEX
    // A missing script must not be answered with a page.
    if (name === INDEX && path.startsWith(ASSETS)) {
      throw new Refused('not_found', `There is no file ${path}.`)
    }
    if (!files.has(name)) return context.html(NOT_BUILT)
    return send(context, name, read)
  })
}

type Reader = (name: string, packing: Packing | null) => Promise<Uint8Array<ArrayBuffer>>

async function send(context: AppContext, name: string, read: Reader): Promise<Response> {
  const content = await read(name, null)
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`
  const isHashed = name.startsWith(ASSETS) && HASHED.test(name)
  const headers: Record<string, string> = {
    etag,
    vary: 'accept-encoding',
    'cache-control': isHashed ? IMMUTABLE : 'no-cache',
  }
  if (isKnown(context.req.header('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers })
  }
  const packing = choosePacking(context.req.header('accept-encoding') ?? '', name, content)
  return new Response(packing === null ? content : await read(name, packing), {
    headers: {
      ...headers,
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      ...(packing !== null && { 'content-encoding': packing }),
    },
  })
}

/** Reads and packs each file once; what was packed beside it is taken as it is. */
function createReader(files: PageFiles): Reader {
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  const load = async (name: string, packing: Packing | null): Promise<Uint8Array<ArrayBuffer>> => {
    const packed = packing === null ? undefined : files.get(`${name}${PACKED[packing]}`)
    if (packing === null || packed !== undefined) return readFile(packed ?? files.get(name) ?? '')
    const pack = packing === 'br' ? promisify(brotliCompress) : promisify(gzip)
    return pack(await readFile(files.get(name) ?? '')) as Promise<Buffer<ArrayBuffer>>
  }
  return (name, packing) => {
    const key = `${packing} ${name}`
    const known = kept.get(key) ?? load(name, packing)
    kept.set(key, known)
    known.catch(() => kept.delete(key))
    return known
  }
}

function choosePacking(accepted: string, name: string, content: Uint8Array): Packing | null {
  const type = TYPES[extname(name)] ?? ''
  if (content.length < WORTH_PACKING || !/text|json|svg|javascript/.test(type)) return null
  const wanted = accepted
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(';')[0]?.trim())
  return wanted.includes('br') ? 'br' : wanted.includes('gzip') ? 'gzip' : null
}

function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

function isPacked(path: string): boolean {
  return Object.values(PACKED).some((ending) => path.endsWith(ending))
}
