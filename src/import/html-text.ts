/** Reads HTML: its text with headings and lists as in Markdown, its title and its metadata. */

type HtmlText = {
  readonly text: string
  /** Of the head, or its first heading. */
  readonly title: string | null
  /** The contents of `meta` elements by name in lower case, and `canonical`. */
  readonly meta: ReadonlyMap<string, string>
}

const HIDDEN = new Set(
  'script style head template noscript svg math iframe object nav footer aside form button select'.split(
    ' ',
  ),
)
const PARAGRAPH = new Set(
  'p div section article main header ul ol dl table blockquote figure pre h1 h2 h3 h4 h5 h6 hr'.split(
    ' ',
  ),
)
const LINE = new Set('br tr li dt dd figcaption caption'.split(' '))
/** One of these holds the text of a page if it has at least this share of the characters. */
const CONTENT = new Set(['main', 'article'])
const MIN_SHARE = 0.4

export async function readHtml(html: string): Promise<HtmlText> {
  const { Parser } = await import('htmlparser2')
  const parts: string[] = []
  const meta = new Map<string, string>()
  const content: { readonly from: number; to: number }[] = []
  let hidden = 0
  let preformatted = 0
  let titleText: string | null = null
  let isTitle = false
  const parser = new Parser(
    {
      onopentag(name, { name: key, property, content: value, rel, href }) {
        if (name === 'title') isTitle = titleText === null
        if (name === 'meta' && value) meta.set((key ?? property ?? '').toLowerCase(), value)
        if (name === 'link' && rel === 'canonical' && href) meta.set('canonical', href)
        if (HIDDEN.has(name)) hidden++
        if (hidden > 0) return
        if (CONTENT.has(name)) content.push({ from: parts.length, to: parts.length })
        if (name === 'pre') preformatted++
        if (PARAGRAPH.has(name)) parts.push('\n\n')
        else if (LINE.has(name)) parts.push('\n')
        if (/^h[1-6]$/.test(name)) parts.push(`${'#'.repeat(Number(name.charAt(1)))} `)
        else if (name === 'li') parts.push('- ')
        else if (name === 'td' || name === 'th') parts.push(' ')
      },
      onclosetag(name) {
        if (name === 'title') isTitle = false
        if (HIDDEN.has(name)) hidden--
        if (hidden > 0) return
        if (name === 'pre') preformatted--
        if (PARAGRAPH.has(name)) parts.push('\n\n')
        if (CONTENT.has(name)) {
          const open = content.findLast(({ from, to }) => from === to)
          if (open !== undefined) open.to = parts.length
        }
      },
      ontext(text) {
        if (isTitle) titleText = (titleText ?? '') + text
        else if (hidden === 0) parts.push(preformatted > 0 ? text : text.replace(/\s+/g, ' '))
      },
    },
    { decodeEntities: true },
  )
  parser.end(html)
  const whole = tidy(parts)
  const [main = ''] = content
    .map(({ from, to }) => tidy(parts.slice(from, to)))
    .sort((a, b) => b.length - a.length)
  const text = main.length >= whole.length * MIN_SHARE ? main : whole
  const heading = /^#{1,2} (.+)$/m.exec(text)?.[1] ?? null
  const title = titleText === null ? '' : String(titleText).replace(/\s+/g, ' ').trim()
  return { text, title: title === '' ? heading : title, meta }
}

export async function htmlToText(html: string): Promise<string> {
  return (await readHtml(html)).text
}

function tidy(parts: readonly string[]): string {
  const lines = parts.join('').split('\n')
  return lines
    .map((line) =>
      line
        .trimEnd()
        .replace(/^ (?=\S)/, '')
        .replace(/(\S) {2,}/g, '$1 '),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^(#{1,6}|-)\n{1,2}(?=\S)/gm, '$1 ')
    .trim()
    .toWellFormed()
}

/** Calls a function for each element of an XML text as it opens and closes, and for the text between. */
export async function parseXml(
  xml: string,
  on: {
    readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void
    readonly close?: (name: string) => void
    readonly text?: (text: string) => void
  },
): Promise<void> {
  const { Parser } = await import('htmlparser2')
  const { open: onopentag, close: onclosetag = () => {}, text: ontext = () => {} } = on
  new Parser({ onopentag, onclosetag, ontext }, { xmlMode: true, decodeEntities: true }).end(xml)
}
