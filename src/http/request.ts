/** Reads the input of an operation from a request: a JSON body within limits, or a query string by its schema. */

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Transform, type Writable } from 'node:stream'
import { badInput } from '../core/errors.js'
import { RequestError } from './problems.js'

const MB = 1024 * 1024

export const LIMITS = {
  bodyBytes: 16 * MB,
  uploadBytes: 200 * MB,
  uploadFiles: 10_000,
  /** For a whole body of JSON, and for each pause in an upload. */
  bodyMs: 30_000,
  headersMs: 10_000,
  /** For a whole request, uploads among them. */
  requestMs: 30 * 60_000,
  /** For the requests under way when the server stops. */
  graceMs: 15_000,
}
export type Limits = Readonly<typeof LIMITS>

/** Aborted when the client hangs up before it has its answer. */
export function watchClient(outgoing: Writable): AbortSignal {
  const gone = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  return gone.signal
}

/** An empty body is an empty input. */
export async function readJsonBody(incoming: IncomingMessage, limits: Limits) {
  assertJson(incoming)
  const body = limitBody(incoming, { maxBytes: limits.bodyBytes, timeoutMs: limits.bodyMs })
  const parts: Buffer[] = await body.toArray()
  const bytes = Buffer.concat(parts)
  if (!isUtf8(bytes)) throw badInput('The body is not UTF-8.')
  const text = bytes.toString().trim()
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw badInput(`The body is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw badInput('The body must be an object of options, such as {"query": "…"}.')
}

/** Options in the address of a request with a body would be ignored. */
export function assertNoQuery(query: URLSearchParams): void {
  const [name] = query.keys()
  if (name === undefined) return
  throw badInput(`"${name}" is in the address, and this request takes its options in the body.`)
}

/** The body of a request that takes none would be ignored. */
export function assertNoBody({ headers, method }: IncomingMessage): void {
  if (isEmpty(headers)) return
  throw badInput(`A ${method} request takes its options in the address and has no body.`)
}

function isEmpty(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
}

function assertJson({ headers }: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  if (type === undefined && isEmpty(headers)) return
  if (!/^application\/(?:[\w.-]+\+)?json(?:\s*;|\s*$)/i.test(type ?? '')) {
    const message = `The body must be JSON, not "${type ?? ''}".`
    const hint = 'Send "content-type: application/json".'
    throw new RequestError('unsupported_media_type', message, { hint })
  }
  if (encoding !== 'identity') {
    const message = `A body with the content encoding "${encoding}" is not supported.`
    throw new RequestError('unsupported_media_type', message)
  }
}

/**
 * The bytes of a body; the stream fails with a `RequestError` when they are too many or too slow. `timeoutMs` is for the
 * whole body, or with `isPerPart` for each pause between two parts of it.
 */
export function limitBody(
  incoming: IncomingMessage,
  limits: { readonly maxBytes: number; readonly timeoutMs: number; readonly isPerPart?: boolean },
): Transform {
  const { maxBytes, timeoutMs, isPerPart = false } = limits
  const headers = { connection: 'close' }
  const tooLarge = (): RequestError =>
    new RequestError('too_large', `A request has at most ${maxBytes} bytes here.`, { headers })
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  let length = 0
  const body = new Transform({
    transform(part: Buffer, _, done) {
      if (isPerPart) timer.refresh()
      length += part.length
      if (length > maxBytes) done(tooLarge())
      else done(null, part)
    },
  })
  const timer = setTimeout(() => {
    const pause = `Nothing came for ${Math.round(timeoutMs / 1000)} seconds.`
    body.destroy(new RequestError('timeout', pause, { headers }))
  }, timeoutMs)
  body.once('close', () => {
    clearTimeout(timer)
    // The rest of the body is read and dropped, so that the response gets through.
    incoming.unpipe(body).resume()
  })
  incoming.once('aborted', () =>
    body.destroy(new RequestError('timeout', 'The request ended before its body did.')),
  )
  return incoming.pipe(body)
}

export type JsonSchema = { readonly [key: string]: unknown }

/**
 * Reads `limit=5&tags=a&tags=b&ids.in=01K9` as the schema says: numbers and booleans become what they are, repeated keys
 * lists, a dot leads into an object, and a value of an object or a list may be JSON. What does not fit stays text, for
 * the schema to refuse.
 */
export function readQuery(query: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const input = new Map<string, unknown>()
  const nested = new Map<string, URLSearchParams>()
  // Without a prototype: a query may name any key.
  const properties: Record<string, JsonSchema> = Object.create(null)
  Object.assign(properties, schema.properties)
  for (const key of new Set(query.keys())) {
    const values = query.getAll(key)
    const dot = key.indexOf('.')
    const property = properties[key]
    if (property === undefined && dot > 0) {
      const [outer, inner] = [key.slice(0, dot), key.slice(dot + 1)]
      const parts = nested.get(outer) ?? new URLSearchParams()
      for (const value of values) parts.append(inner, value)
      nested.set(outer, parts)
    } else input.set(key, readValues(values, property ?? {}))
  }
  for (const [outer, parts] of nested) {
    const form = listForms(properties[outer] ?? {}).find(({ type }) => type === 'object')
    input.set(outer, readQuery(parts, form ?? {}))
  }
  return Object.fromEntries(input)
}

function readValues(texts: readonly string[], schema: JsonSchema): unknown {
  const forms = listForms(schema)
  const [first = ''] = texts
  const whole = texts.length === 1 && forms.some(isNested) ? readJson(first) : undefined
  if (whole !== undefined) return whole
  const list = forms.find(({ type }) => type === 'array')
  if (list === undefined) return texts.length > 1 ? texts : readText(first, schema)
  return texts.map((text) => readText(text, (list.items ?? {}) as JsonSchema))
}

export function readText(text: string, schema: JsonSchema): unknown {
  const forms = listForms(schema)
  const types = new Set(forms.flatMap(({ type }) => [type ?? []].flat()))
  if (forms.some(isNested)) return readJson(text) ?? text
  if (types.has('string')) return text
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)
  return isNumber && (types.has('number') || types.has('integer')) ? Number(text) : text
}

/** A list or an object; undefined if the text is neither. */
function readJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

function listForms(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf } = schema
  return Array.isArray(anyOf) ? (anyOf as JsonSchema[]).flatMap(listForms) : [schema]
}

function isNested({ type }: JsonSchema): boolean {
  return type === 'object' || type === 'array'
}
