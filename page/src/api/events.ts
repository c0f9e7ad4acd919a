/** Parses a stream of server-sent events, however the bytes are split. */

export type ServerEvent = { readonly name: string; readonly data: string }

/** The events that are complete in a text, and the rest that is not. */
export function splitEvents(text: string): { events: ServerEvent[]; rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n')
  const rest = blocks.pop() ?? ''
  return { events: blocks.flatMap((block) => toEvent(block) ?? []), rest }
}

/** Null for a block without data: a comment that keeps the connection alive. */
function toEvent(block: string): ServerEvent | null {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? null : { name, data: data.join('\n') }
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const split = splitEvents(rest + decoder.decode(value, { stream: true }))
    rest = split.rest
    yield* split.events
  }
}
