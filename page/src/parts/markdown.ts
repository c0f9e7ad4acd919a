/** Renders Markdown as elements that are safe to show. Loaded when a text needs it. */

import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'

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

export function createMarkdown({
  breaks,
  definitions,
  resolve,
  levels,
  highlight,
}: MarkdownOptions): RenderMarkdown {
  const link = (href: string, shown: string): string => {
    if (/^(?:https?|mailto):/i.test(href)) {
      return `<a href="${escapeHtml(href)}" target="_blank" rel="noreferrer">${shown}</a>`
    }
    if (href.startsWith('#')) return `<a href="${escapeHtml(href)}">${shown}</a>`
    // Any other scheme stays text.
    if (/^[a-z][\w+.-]*:/i.test(href)) return shown
    return `<a href="${escapeHtml(resolve(decode(href)))}">${shown}</a>`
  }
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
        renderer: ({ target, alias }) =>
          link(encodeURI(String(target)), escapeHtml(String(alias ?? target))),
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
      link({ href, tokens }) {
        return link(href, this.parser.parseInline(tokens))
      },
      image: ({ href, text }) =>
        /^data:image\//i.test(href)
          ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
          : link(href, `Image: ${escapeHtml(text === '' ? href : text)}`),
      code: ({ text, lang = '' }: Tokens.Code) => {
        const language = /^\S+/.exec(lang)?.[0] ?? ''
        return `<pre tabindex="0"><code>${highlight?.(text, language) ?? escapeHtml(text)}</code></pre>`
      },
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  })
  return (text, at) => {
    const tokens = marked.lexer(`${text}\n\n${definitions}`)
    let end = at
    const parts = tokens.map((token) => {
      const start = end
      end += token.raw.length
      if (start >= at + text.length || token.type === 'space') return ''
      if (token.type === 'heading') token.depth = levels.get(start) ?? 2
      const html = marked.parser([token])
      const shown =
        token.type === 'table'
          ? `<div class="table-scroll" tabindex="0" role="region" aria-label="Table">${html}</div>`
          : html
      return `<div data-at="${start}">${shown}</div>`
    })
    const clean = DOMPurify.sanitize(parts.join(''), {
      RETURN_DOM_FRAGMENT: true,
      ADD_ATTR: ['target'],
      FORBID_TAGS: FORBIDDEN,
    })
    // An image of the text itself may be remote; the policy of the page would refuse it.
    for (const image of clean.querySelectorAll('img:not([src^="data:image/"])')) {
      image.replaceWith(`Image: ${image.getAttribute('alt') ?? ''}`)
    }
    return clean
  }
}

function decode(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
