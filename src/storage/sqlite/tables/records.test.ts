import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashContent } from './records.js'

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), halves())

/** Texts that JSON escapes: halves of pairs, quotes, control characters. */
function halves() {
  return fc
    .array(fc.constantFrom('\ud800', '\udfff', '"', '\\', '\n', '\u0000', '\u001f', ' ', 'é', '𝄞'))
    .map((parts) => parts.join(''))
}

test('[M14] the hash of what a record says is that of a list in JSON, as in every file so far', () => {
  const content = fc.record({
    kind: fc.constantFrom('memory' as const, 'document' as const, 'work' as const),
    title: fc.option(anyText),
    body: anyText,
    sessionId: fc.option(anyText),
    occurredAtMs: fc.option(fc.integer()),
  })
  fc.assert(
    fc.property(content, ({ kind, title, body, sessionId, occurredAtMs }) => {
      const place = sessionId === null ? [] : [sessionId, occurredAtMs]
      const list = JSON.stringify([kind, title, body, ...place])
      expect(hashContent({ kind, title, body, sessionId, occurredAtMs }).toString('hex')).toBe(
        hash('sha256', list, 'hex'),
      )
    }),
  )
})
