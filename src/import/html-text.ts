/** What a page of HTML says to a reader, as plain text; never a mark of the page. */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
  euro: '€',
}

/** What they hold is not for readers. */
const SILENT = new Set(['style', 'script', 'head', 'title'])
/** What follows them begins a line. */
const BREAKS = new Set([
  'br',
  '/p',
  '/div',
  '/tr',
  '/li',
  '/blockquote',
  '/h1',
  '/h2',
  '/h3',
  '/h4',
])

/** For messages that have no plain text. Reads from left to right once, however broken the marks are. */
export function htmlToText(html: string): string {
  return withoutMarks(html)
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, decodeEntity)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Line ends of the page are spaces; those of the text come from its marks. */
function withoutMarks(html: string): string {
  const parts: string[] = []
  const last = html.lastIndexOf('>')
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open < 0 || open > last) break
    parts.push(html.slice(at, open).replace(/\s+/g, ' '))
    const name = (
      /^<(\/?[a-z][a-z\d]*|!--)/i.exec(html.slice(open, open + 20))?.[1] ?? ''
    ).toLowerCase()
    if (BREAKS.has(name)) parts.push('\n')
    at = endOf(html, open, name)
  }
  parts.push(html.slice(at).replace(/\s+/g, ' '))
  return parts.join('')
}

/** Behind the mark, and behind what it hides. */
function endOf(html: string, open: number, name: string): number {
  if (name === '!--') return behind(html, /-->/g, open)
  if (SILENT.has(name)) return behind(html, new RegExp(`</${name}\\b[^>]{0,100}>`, 'gi'), open)
  return html.indexOf('>', open) + 1
}

function behind(html: string, end: RegExp, from: number): number {
  end.lastIndex = from
  return end.test(html) ? end.lastIndex : html.length
}

function decodeEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole
}
