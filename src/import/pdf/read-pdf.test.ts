/** Real PDFs come out as text with pages, and each that cannot says why in one sentence. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { CairnError } from '../../core/errors.js'
import { paragraphs, type WrittenPdf, writePdf } from './pdf-writer.fixture.js'
import { type PdfOptions, type PdfText, readPdf } from './read-pdf.js'
import { createPdfWorker } from './worker.js'

const options: PdfOptions = { name: 'paper.pdf', worker: createPdfWorker() }
afterAll(() => options.worker.close())
const read = (pdf: WrittenPdf): Promise<PdfText> => readPdf(writePdf(pdf), options)
const textOf = async (texts: readonly string[]): Promise<string> =>
  (await read({ pages: [paragraphs(texts)] })).text

async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await readPdf(bytes, options).catch((thrown: unknown) => thrown)
  if (!(error instanceof CairnError)) throw error
  expect(error.code).toBe('unreadable_file')
  expect(error.hint).toMatch(/^[A-Z].+\.$/)
  return error.message
}

describe('text', () => {
  test('lines of a paragraph are joined, and paragraphs stand apart', async () => {
    const lines = ['The first line of a paragraph that', 'goes on here.', '', 'Another paragraph.']
    expect(await textOf(lines)).toBe(
      'The first line of a paragraph that goes on here.\n\nAnother paragraph.',
    )
  })

  test('words are joined over the hyphen at the end of a line', async () => {
    expect(await textOf(['All the infor-', 'mation there is.'])).toBe(
      'All the information there is.',
    )
    expect(await textOf(['From Anglo-', 'American law.'])).toBe('From Anglo- American law.')
    expect(await textOf(['The range 10-', 'fold or so.'])).toBe('The range 10- fold or so.')
  })

  test('the hyphen of a compound stays', async () => {
    expect(await textOf(['A state-of-the-', 'art method.'])).toBe('A state-of-the-art method.')
    const lines = ['A well-known fact that is', 'always well-', 'known to all.']
    expect(await textOf(lines)).toContain('is always well-known to all.')
  })

  test('soft hyphens are removed, and split words are joined if the document has them elsewhere', async () => {
    const lines = [
      'Un\u00adbreak\u00adable information here, infor\u00ad',
      'mation there is.\u00ad',
    ]
    expect(await textOf(lines)).toBe('Unbreakable information here, information there is.')
  })

  test('ligatures, accents and spaces are as a person types them', async () => {
    expect(await textOf(['The eﬃcient ﬁnal\u00a0ﬂow'])).toBe('The efficient final flow')
    expect(await textOf(['Poincar´e and Mu\u0308ller'])).toBe('Poincaré and Müller')
  })

  test('control characters and glyphs without a letter are gone', async () => {
    const text = await textOf(['a\u0001b\u0000c\ue001d\ufffde\u200bf'])
    expect(text).toBe('abcdef')
    expect(text.isWellFormed()).toBe(true)
  })

  test('scripts without spaces are joined without them', async () => {
    expect(await textOf(['机器学习是人工', '智能的分支'])).toBe('机器学习是人工智能的分支')
  })

  test('items of a list keep their lines', async () => {
    expect(await textOf(['Two things:', '• the first', '• the second'])).toBe(
      'Two things:\n• the first\n• the second',
    )
  })

  test('an address that a line breaks is whole again', async () => {
    const { text, doi } = await read({
      pages: [paragraphs(['See https://doi.org/10.1145/', '3292500.3330701 for more.'])],
    })
    expect(text).toBe('See https://doi.org/10.1145/3292500.3330701 for more.')
    expect(doi).toBe('10.1145/3292500.3330701')
  })

  test('columns follow each other, and a sentence continues in the next column', async () => {
    const left = [
      { text: 'The left column holds', y: 700 },
      { text: 'half of a sentence and', y: 688 },
    ]
    const right = [
      { text: 'the right one the rest.', x: 320, y: 700 },
      { text: 'And then it ends.', x: 320, y: 688 },
    ]
    const { text } = await read({ pages: [[...left, ...right]] })
    expect(text).toBe(
      'The left column holds half of a sentence and the right one the rest. And then it ends.',
    )
  })

  test('headings stand apart from the text below them', async () => {
    const page = [
      { text: 'A Heading', y: 700, size: 16 },
      { text: 'The text below it.', y: 684 },
    ]
    expect((await read({ pages: [page] })).text).toBe('A Heading\n\nThe text below it.')
  })

  test('superscripts stay in their line', async () => {
    const page = [
      { text: 'As shown', x: 72, y: 700 },
      { text: '12', x: 114, y: 704, size: 6 },
      { text: 'before.', x: 124, y: 700 },
      { text: 'And so on.', y: 688 },
    ]
    expect((await read({ pages: [page] })).text).toMatch(/^As shown ?12 before\. And so on\.$/)
  })
})

describe('pages', () => {
  test('every page is a slice of the text, and one without text is empty', async () => {
    const { text, pages } = await read({
      pages: [paragraphs(['One.']), [], paragraphs(['Three.'])],
    })
    expect(pages.map(({ start, end }) => text.slice(start, end))).toEqual(['One.', '', 'Three.'])
    expect(pages.map(({ page }) => page)).toEqual([1, 2, 3])
    expect(text).toBe('One.\n\nThree.')
  })

  test('a word that a page breaks is whole, and each half is on its page', async () => {
    const { text, pages } = await read({
      pages: [paragraphs(['All the infor-']), [], paragraphs(['mation there is.'])],
    })
    expect(text).toBe('All the information there is.')
    expect(pages.map(({ start, end }) => text.slice(start, end))).toEqual([
      'All the infor',
      '',
      'mation there is.',
    ])
  })

  test('pages have the names that the document gives them', async () => {
    const pages = [paragraphs(['One.']), paragraphs(['Two.'])]
    const named = await read({ pages, labels: '/S /r' })
    expect(named.pages.map(({ label }) => label)).toEqual(['i', 'ii'])
    expect((await read({ pages })).pages.map(({ label }) => label)).toEqual([null, null])
  })

  test('headers, footers and page numbers are left out', async () => {
    const pages = ['one', 'two', 'three', 'four', 'five'].map((word, at) => [
      { text: 'A Journal of Things', y: 760, size: 8 },
      ...paragraphs([`This is page ${word} of the text.`, 'It has a second line.']),
      { text: `${at + 11}`, y: 40, size: 8 },
    ])
    const { text } = await read({ pages })
    expect(text).not.toContain('Journal')
    expect(text).not.toMatch(/\d/)
    expect(text).toContain('This is page three of the text. It has a second line.')
  })

  test('numbers at the edge that do not count pages stay', async () => {
    const pages = [7, 3, 19, 4].map((number) => [
      ...paragraphs(['Some text of the page.']),
      { text: `${number}`, y: 40 },
    ])
    expect((await read({ pages })).text).toContain('19')
  })

  test('pages that all have the same text keep it', async () => {
    const pages = [1, 2, 3, 4].map(() => paragraphs(['Confidential']))
    expect((await read({ pages })).text.match(/Confidential/g)).toHaveLength(4)
  })

  test('a page with more text than a page can hold is read in part and reported', async () => {
    const many = Array.from({ length: 25_000 }, (_, at) => ({
      text: 'ab',
      x: 50 + (at % 5) * 100,
      y: 50 + (at % 60) * 10,
    }))
    const { pages, brokenPages } = await read({ pages: [many, paragraphs(['The next page.'])] })
    expect(brokenPages).toEqual([1])
    expect(pages.map(({ start, end }) => end > start)).toEqual([true, true])
  })

  test('a hundred pages are read without blocking other work', async () => {
    let turns = 0
    let other = setImmediate(function count() {
      turns++
      other = setImmediate(count)
    })
    const pages = Array.from({ length: 100 }, (_, at) => paragraphs([`Page ${at} has text.`]))
    const result = await read({ pages })
    clearImmediate(other)
    expect(result.pages).toHaveLength(100)
    expect(turns).toBeGreaterThanOrEqual(100)
  })
})

describe('details', () => {
  test('title, authors and date come from the info dictionary', async () => {
    const result = await read({
      pages: [paragraphs(['Text.'])],
      info: {
        Title: 'On Memory – Part Ⅰ',
        Author: 'Ada Lovelace, Alan Turing and Grace Hopper',
        CreationDate: "D:20250208122313+01'00'",
        Subject: 'Things, 12 (2020) 1-9. doi:10.1016/J.Thing.2020.01.001.',
      },
    })
    expect(result.title).toBe('On Memory – Part Ⅰ')
    expect(result.authors).toEqual(['Ada Lovelace', 'Alan Turing', 'Grace Hopper'])
    expect(result.createdAt).toBe('2025-02-08T11:23:13.000Z')
    expect(result.doi).toBe('10.1016/j.thing.2020.01.001')
  })

  test('missing details are null', async () => {
    const result = await read({
      pages: [paragraphs(['Text.'])],
      info: { Title: 'Microsoft Word - draft7.docx' },
    })
    const { title, authors, createdAt, doi, arxivId, brokenPages } = result
    expect({ title, createdAt, doi, arxivId }).toEqual({
      title: null,
      createdAt: null,
      doi: null,
      arxivId: null,
    })
    expect([authors, brokenPages]).toEqual([[], []])
  })

  test('XMP fills details that the info dictionary lacks', async () => {
    const list = (names: string) => `<rdf:Seq><rdf:li>${names}</rdf:li></rdf:Seq>`
    const result = await read({
      pages: [paragraphs(['Text.'])],
      xmp: `<dc:title><rdf:Alt><rdf:li>Of Stones</rdf:li></rdf:Alt></dc:title>
        <dc:creator>${list('Doe, Jane</rdf:li><rdf:li>Roe, Rick')}</dc:creator>
        <prism:doi>10.1000/182</prism:doi>`,
    })
    expect(result.title).toBe('Of Stones')
    expect(result.authors).toEqual(['Doe, Jane', 'Roe, Rick'])
    expect(result.doi).toBe('10.1000/182')
  })

  test('the turned stamp of a preprint gives its arXiv id and stays out of the text around it', async () => {
    const stamp = { text: 'arXiv:1706.03762v5 [cs.CL] 6 Dec 2017', x: 30, y: 200, isTurned: true }
    const { text, arxivId } = await read({
      pages: [[...paragraphs(['Attention is all', 'you need.']), stamp]],
    })
    expect(arxivId).toBe('1706.03762')
    expect(text).toBe('Attention is all you need.\n\narXiv:1706.03762v5 [cs.CL] 6 Dec 2017')
  })

  test('identifiers of later pages are those of other works', async () => {
    const { doi } = await read({
      pages: [paragraphs(['Text.']), paragraphs(['References: doi:10.1000/999'])],
    })
    expect(doi).toBeNull()
  })
})

describe('files without text', () => {
  const valid = { pages: [paragraphs(['A secret text.'])], info: { Title: 'Secrets' } }

  test('an empty file and one of another kind are named', async () => {
    expect(await refusal(new Uint8Array())).toBe('The file paper.pdf is empty.')
    expect(await refusal(Buffer.from('PK\u0003\u0004 a zip'))).toBe(
      'The file paper.pdf is not a PDF.',
    )
  })

  test('an encrypted file is refused', async () => {
    const bytes = writePdf({ ...valid, password: 'open sesame' })
    expect(await refusal(bytes)).toBe('The file paper.pdf is encrypted and needs a password.')
  })

  test('a file that only forbids copying opens without a password', async () => {
    expect((await read({ ...valid, password: '' })).text).toBe('A secret text.')
  })

  test('the error for a scanned file suggests text recognition', async () => {
    const bytes = writePdf({ pages: [[], []], isScanned: true })
    expect(await refusal(bytes)).toBe(
      'The file paper.pdf is a PDF without text: its pages are images, or their letters cannot be decoded.',
    )
  })

  test('a file that lost its end is damaged', async () => {
    const bytes = writePdf(valid)
    const end = Buffer.from(bytes).lastIndexOf('xref\n0')
    for (const length of [9, 120, bytes.length >> 1, end]) {
      const message = await refusal(bytes.subarray(0, length))
      expect(message).toBe('The file paper.pdf is a damaged PDF.')
    }
  })

  test('a file with a wrong table of objects is read all the same', async () => {
    const broken = Buffer.from(writePdf(valid))
    const at = broken.lastIndexOf('xref\n0')
    broken.fill('9', at + 30, at + 120)
    expect((await readPdf(broken, options)).text).toBe('A secret text.')
  })

  test('a file that claims a billion pages gives those it has', async () => {
    const text = Buffer.from(writePdf(valid)).toString('latin1')
    const lying = text.replace('/Count 1 >>', '/Count 1000000000 >>')
    const result = await readPdf(Buffer.from(lying, 'latin1'), options)
    expect(result.text).toBe('A secret text.')
    expect(result.pages.length).toBeLessThan(200)
  })
})

describe('calling', () => {
  test('a signal ends the reading', async () => {
    const pages = Array.from({ length: 60 }, (_, at) => paragraphs([`Page ${at}.`]))
    const bytes = writePdf({ pages })
    const reason = new Error('enough')
    await expect(readPdf(bytes, { ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
    // While it is opened, and while its pages are read.
    for (const turns of [0, 1, 2, 30]) {
      const controller = new AbortController()
      const reading = readPdf(bytes, { ...options, signal: controller.signal })
      const ended = expect(reading).rejects.toBe(reason)
      for (let turn = 0; turn < turns; turn++) await nextTurn()
      controller.abort(reason)
      await ended
    }
  })

  test('a signal ends a page that would never end', async () => {
    // Early enough that the limits of a page, which end it as well, are not reached first on a busy machine.
    const signal = AbortSignal.timeout(20)
    const reading = readPdf(writeEndless(), { ...options, signal })
    await expect(reading).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await read({ pages: [paragraphs(['The next file.'])] })).text).toBe('The next file.')
  })

  test('the bytes of the caller stay as they are', async () => {
    const bytes = Buffer.from(writePdf({ pages: [paragraphs(['Some text.'])] }))
    const before = Buffer.from(bytes)
    expect((await readPdf(bytes, options)).text).toBe('Some text.')
    expect(bytes.equals(before)).toBe(true)
  })
})

/** Thirty forms, of which each draws the next one twice: a billion letters on one page. */
function writeEndless(): Uint8Array {
  const forms = Array.from({ length: 30 }, (_, at) => {
    const drawn = at === 29 ? 'BT /F1 10 Tf 72 700 Td (x) Tj ET' : '/Im1 Do /Im1 Do'
    const resources = `<< /Font << /F1 3 0 R >> /XObject << /Im1 ${101 + at} 0 R >> >>`
    const entries = `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources ${resources}`
    const head = `${100 + at} 0 obj\n<< ${entries} /Length ${drawn.length} >>`
    return `${head}\nstream\n${drawn}\nendstream\nendobj\n`
  })
  const scanned = Buffer.from(writePdf({ pages: [[]], isScanned: true })).toString('latin1')
  // Without its table the file is searched for objects, also for those that were put in.
  const changed = scanned
    .replace('/Im1 7 0 R', '/Im1 100 0 R')
    .replace('xref\n0', `${forms.join('')}xrfe\n0`)
  return new Uint8Array(Buffer.from(changed, 'latin1'))
}

test('a PDF of too many pages is refused before any is read', async () => {
  const worker = createPdfWorker(3)
  const pages = Array.from({ length: 4 }, (_, i) => paragraphs([`The text of page ${i + 1}.`]))
  const read = (count: number) => {
    return readPdf(writePdf({ pages: pages.slice(0, count) }), { ...options, worker })
  }
  expect((await read(3)).pages).toHaveLength(3)
  await expect(read(4)).rejects.toMatchObject({
    code: 'unreadable_file',
    message: expect.stringContaining('more than 10,000 pages'),
  })
  await worker.close()
})
