import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMessageLimit } from './message-limit.js'

async function pass(chunks: readonly Buffer[], maxBytes: number) {
  const refused: unknown[] = []
  const limit = createMessageLimit(({ id }) => refused.push(id), maxBytes)
  for (const chunk of chunks) limit.write(chunk)
  limit.end()
  const passed: Buffer[] = await limit.toArray()
  return { passed: Buffer.concat(passed).toString(), refused }
}

test('whole messages pass, long ones are refused, however the bytes are cut', async () => {
  const lines = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 8 })
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(lines, sizes, async (texts, cuts) => {
      const messages = texts.map((text) => `${text.replaceAll('\n', ' ')}\n`)
      let rest = Buffer.from(messages.join(''))
      const chunks: Buffer[] = []
      for (let i = 0; rest.length > 0; i++) {
        chunks.push(rest.subarray(0, cuts[i % cuts.length]))
        rest = rest.subarray(cuts[i % cuts.length])
      }
      const { passed, refused } = await pass(chunks, 20)
      const short = messages.filter((one) => Buffer.byteLength(one) <= 21)
      expect(passed).toBe(short.join(''))
      expect(refused).toHaveLength(messages.length - short.length)
    }),
  )
})

test.each([
  ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"text":"LONG"}}', 7],
  ['{"method":"x","params":{"id":1,"text":"LONG"},"jsonrpc":"2.0","id":"a-1"}', 'a-1'],
  ['{"params":{"text":"LONG"},"id":8,"jsonrpc":"2.0"}', 8],
  ['{"method":"x","params":{"text":"LONG","id":3}}', undefined],
  ['LONG', undefined],
])('the answer to %s has its id', async (text, id) => {
  const long = Buffer.from(`${text.replace('LONG', 'x'.repeat(5000))}\n{}\n`)
  const chunks = [long.subarray(0, 900), long.subarray(900, 4000), long.subarray(4000)]
  expect(await pass(chunks, 3000)).toEqual({ passed: '{}\n', refused: [id] })
})
