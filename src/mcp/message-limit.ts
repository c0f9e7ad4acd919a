/** Passes on the messages of a client, and answers one that is too long with an error instead of closing the connection. */

import { Transform } from 'node:stream'

export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

const NEWLINE = 10
/** The length of the start and the end of a long message that are kept, to find its id. */
const END_BYTES = 1000
const ID = String.raw`"id"\s*:\s*(-?\d+|"[^"\\]*")\s*`
const FIRST_ID = new RegExp(
  String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*${ID}`,
)
const LAST_ID = new RegExp(String.raw`${ID}(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

export type TooLong = ReturnType<typeof describeTooLong>

/** A message is a line. Whatever is longer than the limit is dropped up to its end. */
export function createMessageLimit(
  refuse: (answer: TooLong) => void,
  maxBytes = MAX_MESSAGE_BYTES,
): Transform {
  let parts: Buffer[] = []
  let length = 0
  let start = ''
  let end = ''
  const take = (part: Buffer): void => {
    if (length <= maxBytes) parts.push(part)
    length += part.length
    if (length <= maxBytes) return
    if (start === '') start = Buffer.concat(parts).toString('utf8', 0, END_BYTES)
    end = (end + part.toString('utf8', Math.max(0, part.length - END_BYTES))).slice(-END_BYTES)
    parts = []
  }
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at))
        if (length > maxBytes) refuse(describeTooLong(findId(start, end), maxBytes))
        else this.push(Buffer.concat([...parts, chunk.subarray(at, at + 1)]))
        parts = []
        length = 0
        start = ''
        end = ''
        from = at + 1
      }
      take(chunk.subarray(from))
      done()
    },
  })
}

/** The id of a message as its first or its last property; nothing if it is neither. */
function findId(start: string, end: string): { readonly id?: string | number } {
  const written = FIRST_ID.exec(start)?.[1] ?? LAST_ID.exec(end)?.[1]
  return written === undefined ? {} : { id: JSON.parse(written) }
}

function describeTooLong(id: ReturnType<typeof findId>, maxBytes: number) {
  const message = `A message has at most ${maxBytes} bytes; send a long text in parts.`
  return { jsonrpc: '2.0' as const, ...id, error: { code: -32600, message } }
}
