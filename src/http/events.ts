/** What happens is told while it happens, as server-sent events, and the stream ends with it. */

export type Tell = (event: 'progress' | 'done' | 'error', data: unknown) => void

/** Runs `work` and sends what it tells; whoever hangs up hears no more, and the work ends as it sees fit. */
export function eventStream(work: (tell: Tell) => Promise<void>): Response {
  const encoder = new TextEncoder()
  let isHeard = true
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => {
        if (isHeard) controller.enqueue(encoder.encode(text))
      }
      // Something at once: until then a client does not know that it is being served.
      send(': hello\n\n')
      await work((event, data) => send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
      if (isHeard) controller.close()
    },
    cancel() {
      isHeard = false
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  })
}
