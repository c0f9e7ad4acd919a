/** Small, valid PDFs for tests, written byte by byte: text at places, details, labels, RC4, images. */

import { createHash } from 'node:crypto'

export type WrittenLine = {
  readonly text: string
  readonly x?: number
  readonly y: number
  readonly size?: number
  /** Turned by 90 degrees, as the stamp of a preprint is. */
  readonly isTurned?: boolean
}

export type WrittenPdf = {
  readonly pages: readonly (readonly WrittenLine[])[]
  /** Entries of the info dictionary, such as Title and Author. */
  readonly info?: Readonly<Record<string, string>>
  /** XMP, as the inside of its rdf:Description. */
  readonly xmp?: string
  /** The first page is called by this roman numeral style or with this prefix. */
  readonly labels?: string
  readonly password?: string
  /** Pages show an image instead of text. */
  readonly isScanned?: boolean
}

type Seal = (bytes: Buffer, object: number) => Buffer

const PADDING = Buffer.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
  'hex',
)
const ID = Buffer.from('0123456789abcdef0123456789abcdef', 'hex')
const PERMISSIONS = -4

/** Lines of one page from the top down, so many points apart; an empty text is a wider gap. */
export function paragraphs(texts: readonly string[], step = 12, top = 700): WrittenLine[] {
  return texts.flatMap((text, at) => (text === '' ? [] : [{ text, y: top - at * step }]))
}

export function writePdf(pdf: WrittenPdf): Uint8Array {
  const codes = codesOf(pdf)
  const crypt = pdf.password === undefined ? null : encryptionOf(pdf.password)
  const seal: Seal = crypt?.seal ?? ((bytes) => bytes)
  const objects: Buffer[] = []
  const put = (at: number, body: string | Buffer): void => {
    objects[at] = Buffer.isBuffer(body) ? body : Buffer.from(body, 'latin1')
  }
  const hex = (bytes: Buffer, at: number): string => `<${seal(bytes, at).toString('hex')}>`
  const pageAt = (index: number): number => 10 + index * 2
  put(1, catalogOf(pdf))
  const kids = pdf.pages.map((_, index) => `${pageAt(index)} 0 R`).join(' ')
  put(2, `<< /Type /Pages /Kids [${kids}] /Count ${pdf.pages.length} >>`)
  put(
    3,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 4 0 R >>',
  )
  put(4, streamOf('', seal(Buffer.from(cmapOf(codes), 'latin1'), 4)))
  const info = Object.entries(pdf.info ?? {}).map(
    ([name, value]) => `/${name} ${hex(utf16(value), 5)}`,
  )
  put(5, `<< ${info.join(' ')} >>`)
  put(6, streamOf('/Type /Metadata /Subtype /XML ', seal(Buffer.from(xmpOf(pdf.xmp ?? '')), 6)))
  const image = '/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray '
  put(7, streamOf(`${image}/BitsPerComponent 8 `, seal(Buffer.alloc(64, 128), 7)))
  put(8, crypt?.dictionary ?? 'null')
  for (const [index, lines] of pdf.pages.entries()) {
    const at = pageAt(index)
    const resources = '<< /Font << /F1 3 0 R >> /XObject << /Im1 7 0 R >> >>'
    const box = '/MediaBox [0 0 612 792]'
    put(
      at,
      `<< /Type /Page /Parent 2 0 R ${box} /Resources ${resources} /Contents ${at + 1} 0 R >>`,
    )
    const content =
      pdf.isScanned === true ? 'q 500 0 0 700 50 50 cm /Im1 Do Q' : drawn(lines, codes)
    put(at + 1, streamOf('', seal(Buffer.from(content, 'latin1'), at + 1)))
  }
  return assemble(objects, crypt === null ? '' : '/Encrypt 8 0 R ')
}

function catalogOf(pdf: WrittenPdf): string {
  const labels = pdf.labels === undefined ? '' : `/PageLabels << /Nums [0 << ${pdf.labels} >>] >> `
  const xmp = pdf.xmp === undefined ? '' : '/Metadata 6 0 R '
  return `<< /Type /Catalog /Pages 2 0 R ${labels}${xmp}>>`
}

function streamOf(entries: string, bytes: Buffer): Buffer {
  const head = Buffer.from(`<< ${entries}/Length ${bytes.length} >>\nstream\n`, 'latin1')
  return Buffer.concat([head, bytes, Buffer.from('\nendstream', 'latin1')])
}

function assemble(objects: readonly (Buffer | undefined)[], encrypt: string): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  let length = parts[0]?.length ?? 0
  const add = (part: Buffer): void => {
    parts.push(part)
    length += part.length
  }
  const entries = ['0000000000 65535 f \n']
  for (let at = 1; at < objects.length; at++) {
    const body = objects[at]
    entries.push(
      body === undefined
        ? '0000000000 65535 f \n'
        : `${String(length).padStart(10, '0')} 00000 n \n`,
    )
    if (body !== undefined) {
      add(Buffer.concat([Buffer.from(`${at} 0 obj\n`), body, Buffer.from('\nendobj\n')]))
    }
  }
  const id = ID.toString('hex')
  const trailer = `<< /Size ${objects.length} /Root 1 0 R /Info 5 0 R ${encrypt}/ID [<${id}> <${id}>] >>`
  const table = `xref\n0 ${objects.length}\n${entries.join('')}`
  add(Buffer.from(`${table}trailer\n${trailer}\nstartxref\n${length}\n%%EOF\n`, 'latin1'))
  return new Uint8Array(Buffer.concat(parts))
}

/** Characters outside ASCII get codes of their own, which the font's CMap turns back. */
function codesOf(pdf: WrittenPdf): ReadonlyMap<string, number> {
  const all = pdf.pages.flatMap((lines) => lines.flatMap(({ text }) => [...text]))
  const others = [...new Set(all)].filter((character) => !/[ -~]/.test(character))
  return new Map(others.map((character, at) => [character, 128 + at]))
}

function cmapOf(codes: ReadonlyMap<string, number>): string {
  const chars = [...codes].map(([character, code]) => {
    const unicode = Buffer.from(character, 'utf16le').swap16().toString('hex')
    return `<${code.toString(16)}> <${unicode}>`
  })
  const others =
    chars.length === 0 ? '' : `${chars.length} beginbfchar\n${chars.join('\n')}\nendbfchar\n`
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
1 begincodespacerange <00> <ff> endcodespacerange
1 beginbfrange <20> <7e> <0020> endbfrange
${others}endcmap end end`
}

function drawn(lines: readonly WrittenLine[], codes: ReadonlyMap<string, number>): string {
  const shown = lines.map(({ text, x = 72, y, size = 10, isTurned = false }) => {
    const bytes = [...text].map((character) => codes.get(character) ?? character.charCodeAt(0))
    const turn = isTurned ? '0 1 -1 0' : '1 0 0 1'
    return `/F1 ${size} Tf ${turn} ${x} ${y} Tm <${Buffer.from(bytes).toString('hex')}> Tj`
  })
  return `BT\n${shown.join('\n')}\nET`
}

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()])
}

function xmpOf(inside: string): string {
  const spaces = `xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/"`
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${spaces}>${inside}</rdf:Description></rdf:RDF></x:xmpmeta>`
}

/** The standard security handler, revision 2: RC4 with 40 bits, the user's password. */
function encryptionOf(password: string): { readonly seal: Seal; readonly dictionary: string } {
  const user = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32)
  const owner = rc4(md5(user).subarray(0, 5), user)
  const permissions = Buffer.alloc(4)
  permissions.writeInt32LE(PERMISSIONS)
  const key = md5(Buffer.concat([user, owner, permissions, ID])).subarray(0, 5)
  const seal: Seal = (bytes, object) => {
    const place = Buffer.from([object & 255, (object >> 8) & 255, (object >> 16) & 255, 0, 0])
    return rc4(md5(Buffer.concat([key, place])).subarray(0, 10), bytes)
  }
  const [o, u] = [owner.toString('hex'), rc4(key, PADDING).toString('hex')]
  const dictionary = `<< /Filter /Standard /V 1 /R 2 /O <${o}> /U <${u}> /P ${PERMISSIONS} >>`
  return { seal, dictionary }
}

function md5(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest()
}

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at)
  const at = (index: number): number => state[index & 255] ?? 0
  const swap = (a: number, b: number): void => {
    const kept = at(a)
    state[a & 255] = at(b)
    state[b & 255] = kept
  }
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  let j = 0
  return Buffer.from(
    bytes.map((byte, index) => {
      j = (j + at(index + 1)) & 255
      swap(index + 1, j)
      return byte ^ at(at(index + 1) + at(j))
    }),
  )
}
