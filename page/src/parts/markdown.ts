/** Renders Markdown as elements that are safe to show. Loaded when a text needs it. */

import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'
import { decodeText } from '../state/addresses.js'
import { showsImages } from '../state/remembered.js'

export type MarkdownOptions = {
  /** A line break in the text is a line break on the page. */
  readonly breaks: boolean
  /** Definitions of links, which may be anywhere in the text. */
  readonly definitions: string
  /** The address that a link to another text leads to. */
  readonly resolve: (target: string) => string
  /** The levels of the headings on the page, by their offset. */
  readonly levels: ReadonlyMap<number, number>
  readonly highlight: ((code: string, language: string) => string | null) | null
}

export type RenderMarkdown = (text: string, at: number) => DocumentFragment

/** Other names in angle brackets are text: `vector<int>`. */
const ELEMENTS = new Set(
  'a abbr b blockquote br cite code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q s small span strong sub summary sup table tbody td th thead tr u ul'.split(
    ' ',
  ),
)
const TAG = /<\/?([a-z][\w:-]*)/gi
/** Names and styles belong to the page. */
const FOREIGN = /\s(?:class|id|name|style|on\w+)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi

const FORBIDDEN = 'style form input button textarea select svg math picture'.split(' ')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one)

const WIKI = /^!?\[\[([^[\]\n|]+)(?:\|([^[\]\n]+))?\]\]/

export function createMarkdown(options: MarkdownOptions): RenderMarkdown {
  const { breaks, definitions, levels, highlight } = options
  const marked = new Marked({
    gfm: true,
    breaks,
    extensions: [
      {
        name: 'wiki',
        level: 'inline',
        start: (src) => /!?\[\[/.exec(src)?.index,
        tokenizer(src) {
          const [raw, target = '', alias] = WIKI.exec(src) ?? []
          return raw === undefined ? undefined : { type: 'wiki', raw, target, alias }
        },
        renderer: ({ target, alias }) => {
          const href = encodeURIComponent(String(target)).replaceAll('%23', '#')
          return `<a href="${href}">${escapeHtml(String(alias ?? target))}</a>`
        },
      },
    ],
    renderer: {
      html: ({ text }) => {
        if (/^\s*<!--/.test(text)) return ''
        const names = [...text.matchAll(TAG)].map(([, name = '']) => name.toLowerCase())
        const isKnown = names.length > 0 && names.every((name) => ELEMENTS.has(name))
        return isKnown ? text.replace(FOREIGN, '') : escapeHtml(text)
      },
      heading({ tokens, depth }) {
        return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>`
      },
      code: ({ text, lang = '' }: Tokens.Code) => {
        const language = /^\S+/.exec(lang)?.[0] ?? ''
        const html = highlight?.(text, language) ?? escapeHtml(text)
        return `<pre tabindex="0"><code>${html}</code></pre>`
      },
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  })
  return (text, at) => {
    let end = at
    const parts = marked.lexer(`${text}\n\n${definitions}`).map((token) => {
      const start = end
      end += token.raw.length
      if (start >= at + text.length || token.type === 'space') return ''
      if (token.type === 'heading') token.depth = levels.get(start) ?? 2
      const html = marked.parser([token])
      const shown =
        token.type === 'table'
          ? `<div class="table-scroll" tabindex="0" role="region" aria-label="Table">${html}</div>`
          : html
      return `<div data-at="${start}" dir="auto">${shown}</div>`
    })
    const clean = DOMPurify.sanitize(parts.join(''), {
      RETURN_DOM_FRAGMENT: true,
      FORBID_TAGS: FORBIDDEN,
    })
    for (const image of clean.querySelectorAll('img')) replaceImage(image)
    for (const link of clean.querySelectorAll('a')) leadLink(link, options)
    return clean
  }
}

/** Unless the settings allow them, images from elsewhere become links. */
function replaceImage(image: HTMLImageElement): void {
  const src = image.getAttribute('src') ?? ''
  if (/^data:image\//i.test(src) || (showsImages && /^https?:\/\//i.test(src))) return
  const link = document.createElement('a')
  link.setAttribute('href', src)
  link.textContent = `Image: ${image.alt || src}`
  image.replaceWith(link)
}

/** To other sites in a window of their own, to other texts by their records; what has any other scheme is text. */
function leadLink(link: HTMLAnchorElement, { resolve }: MarkdownOptions): void {
  const href = link.getAttribute('href') ?? ''
  if (/^(?:https?:|mailto:|\/\/)/i.test(href)) {
    link.target = '_blank'
    link.rel = 'noreferrer'
  } else if (href === '' || /^[a-z][\w+.-]*:/i.test(href)) link.replaceWith(...link.childNodes)
  else if (!href.startsWith('#')) link.setAttribute('href', resolve(decodeText(href)))
}
