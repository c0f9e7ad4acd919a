/** A body is JSON of a reasonable size that comes in reasonable time, or is refused with a sentence. */

import type { IncomingMessage } from 'node:http'
import { badInput } from '../core/errors.js'
import { Refused } from './problems.js'

export type BodyLimits = { readonly maxBytes: number; readonly timeoutMs: number }

/** What stands in the body; an empty one says nothing. */
export async function readJsonBody(
  incoming: IncomingMessage,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  assertJson(incoming)
  const bytes = await readBytes(incoming, limits)
  const text = decode(bytes).trim()
  return text === '' ? {} : parseObject(text)
}

function assertJson({ headers }: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  const isEmpty = headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
  if (type === undefined && isEmpty) return
  if (!/^application\/(?:[\w.-]+\+)?json(?:\s*;|\s*$)/i.test(type ?? '')) {
    throw new Refused('unsupported_media_type', `The body must be JSON, not "${type ?? ''}".`, {
      hint: 'Send "content-type: application/json".',
    })
  }
  if (encoding !== 'identity') {
    throw new Refused('unsupported_media_type', `A body packed as "${encoding}" is not read.`)
  }
}

async function readBytes(
  incoming: IncomingMessage,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let length = 0
    const stop = (error?: unknown): void => {
      clearTimeout(timer)
      incoming.off('data', take).off('end', finish).off('error', stop).off('close', stop)
      reject(error ?? new Refused('timeout', 'The request ended before its body did.'))
    }
    const take = (part: Buffer): void => {
      length += part.length
      parts.push(part)
      if (length > maxBytes) stop(tooLarge(maxBytes))
    }
    const finish = (): void => {
      clearTimeout(timer)
      incoming.off('close', stop)
      resolve(Buffer.concat(parts, length))
    }
    const timer = setTimeout(() => stop(tooSlow(timeoutMs)), timeoutMs)
    incoming.on('data', take).on('end', finish).on('error', stop).on('close', stop)
  })
}

export function tooLarge(maxBytes: number): Refused {
  return new Refused('too_large', `A request has at most ${maxBytes} bytes here.`, {
    headers: { connection: 'close' },
  })
}

export function tooSlow(timeoutMs: number): Refused {
  return new Refused('timeout', `Nothing came for ${Math.round(timeoutMs / 1000)} seconds.`, {
    headers: { connection: 'close' },
  })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badInput('The body is not UTF-8.')
  }
}

function parseObject(text: string): Record<string, unknown> {
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
