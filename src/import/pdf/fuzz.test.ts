/** No bytes, however wrong, end the process or keep it busy: they are text or one sentence. */

import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { CairnError } from '../../core/errors.js'
import { paragraphs, writePdf } from './pdf-writer.fixture.js'
import { readPdf } from './read-pdf.js'
import { createPdfWorker } from './worker.js'

const pages = [
  paragraphs(['The first page has ﬁne lines', 'and goes on.', '', 'Twice.']),
  paragraphs(['And a second page.']),
]
const SOURCES = [
  writePdf({ pages, info: { Title: 'A Title', CreationDate: 'D:2020' }, labels: '/S /r' }),
  writePdf({ pages, xmp: '<dc:title>T</dc:title>', password: '' }),
  writePdf({ pages: [[]], isScanned: true }),
]
const RUNS = Number(process.env.FUZZ_RUNS ?? 25)

const worker = createPdfWorker()
afterAll(() => worker.close())

async function expectTextOrSentence(bytes: Uint8Array): Promise<void> {
  try {
    const { text, pages: spans } = await readPdf(bytes, { name: 'x.pdf', worker })
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u00ad/u)
    let end = 0
    for (const span of spans) {
      expect(span.start).toBeGreaterThanOrEqual(end)
      expect(span.end).toBeGreaterThanOrEqual(span.start)
      end = span.end
    }
    expect(end).toBe(text.length)
  } catch (error) {
    if (!(error instanceof CairnError)) throw error
    expect(error.message).toMatch(/^The file x\.pdf is .+\.$/)
  }
}

type Change = { readonly place: number; readonly kind: string; readonly bytes: Uint8Array }

const change: fc.Arbitrary<Change> = fc.record({
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  kind: fc.constantFrom('set', 'cut', 'repeat', 'insert'),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 12 }),
    fc
      .constantFrom(
        '0 R',
        '-1',
        '99999999999',
        '<<',
        '>>',
        '[',
        '(',
        'stream\n',
        'endobj',
        '/',
        '%',
      )
      .map((text) => new Uint8Array(Buffer.from(text))),
  ),
})

function applyChange(bytes: Uint8Array, { place, kind, bytes: other }: Change) {
  const at = Math.floor(place * bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (kind) {
    case 'set':
      return Buffer.concat([before, other, after.subarray(other.length)])
    case 'cut':
      return Buffer.concat([before, after.subarray(other.length * 20)])
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, 60), after])
    default:
      return Buffer.concat([before, other, after])
  }
}

test('a changed PDF is text or one sentence', async () => {
  const changed = fc
    .tuple(fc.constantFrom(...SOURCES), fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([source, changes]) => changes.reduce<Uint8Array>(applyChange, source))
  await fc.assert(fc.asyncProperty(changed, expectTextOrSentence), { numRuns: RUNS })
})

test('random bytes are one sentence, with and without the mark of a PDF', async () => {
  const random = fc
    .tuple(fc.constantFrom('', '%PDF-1.7\n'), fc.uint8Array({ maxLength: 500 }))
    .map(([mark, bytes]) => Buffer.concat([Buffer.from(mark), bytes]))
  await fc.assert(fc.asyncProperty(random, expectTextOrSentence), { numRuns: Math.ceil(RUNS / 3) })
})
