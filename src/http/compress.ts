/** Sends JSON, compressed for clients that accept it. */

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'

/** A smaller answer fits into one packet anyway. */
const MIN_BYTES = 1400

/** Quick settings: an answer is compressed once for each request. */
const COMPRESSORS = {
  br: (text: string) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => promisify(gzip)(text, { level: 5 }),
}

/** The encodings that a request accepts, of these; the best first. */
export function acceptedEncodings<Name extends string>(
  header: string | undefined,
  known: readonly Name[],
): Name[] {
  const accepted = (header ?? '')
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.replace(/;.*/, '').trim())
  return known.filter((name) => accepted.includes(name))
}

/** Answers with JSON, compressed if it is long and the client accepts it. */
export async function sendJson(context: Context, value: unknown): Promise<Response> {
  const text = JSON.stringify(value)
  const known = text.length < MIN_BYTES ? [] : (['br', 'gzip'] as const)
  const [encoding] = acceptedEncodings(context.req.header('accept-encoding'), known)
  const type = { 'content-type': 'application/json' }
  if (encoding === undefined) return context.body(text, 200, type)
  const body = new Uint8Array(await COMPRESSORS[encoding](text))
  return context.body(body, 200, { ...type, 'content-encoding': encoding })
}
