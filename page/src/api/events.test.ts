/** Events are the same however the network cuts them. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents, type ServerEvent } from './events.js'

async function read(pieces: readonly Uint8Array[]): Promise<ServerEvent[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const events: ServerEvent[] = []
  for await (const event of readEvents(stream)) events.push(event)
  return events
}

const bytes = new TextEncoder().encode(
  'event: progress\ndata: {"read": 1, "name": "péché.md"}\n\n: still here\n\nevent: done\ndata: a\ndata: b\n\n',
)
const wanted = [
  { name: 'progress', data: '{"read": 1, "name": "péché.md"}' },
  { name: 'done', data: 'a\nb' },
]

test('wherever the bytes are cut, the same events come out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const pieces = at.slice(1).map((end, i) => bytes.slice(at[i], end))
      expect(await read(pieces)).toEqual(wanted)
    }),
  )
})

test('lines may end as Windows ends them', async () => {
  const windows = new TextEncoder().encode('event: done\r\ndata: x\r\n\r\n')
  expect(await read([windows])).toEqual([{ name: 'done', data: 'x' }])
})
