/** Every link of a Markdown text to another file is found, with where it stands. */

export type Link = {
  /** The file it names, as written; empty where it stays in the same file. */
  readonly target: string
  /** What it shows instead of the target. */
  readonly alias: string | null
  /** Behind `#`: a heading, or with `^` the id of a block. */
  readonly heading: string | null
  /** The link is `markdown.slice(start, end)`. */
  readonly start: number
  readonly end: number
  /** Shown in place (`![[…]]`, `![…](…)`) rather than pointed to. */
  readonly isEmbed: boolean
}

const WIKI = /(!?)\[\[([^[\]\n]+)\]\]/g
const TEXT = String.raw`(?:[^[\]\\\n]|\\.|\[[^[\]\n]*\]|\n(?![ \t]*(?:\n|$)))*`
const PLACE = String.raw`<[^<>\n]*>|[^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*`
const TITLE = String.raw`(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?`
const INLINE = new RegExp(String.raw`(!?)\[(${TEXT})\]\([ \t]*(${PLACE})${TITLE}[ \t]*\)`, 'g')
/** `https:`, `mailto:`, `//host`: not a file beside this one. */
const ELSEWHERE = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i

/** `masked` is the same text with its code covered, in which no link is looked for. */
export function findLinks(text: string, masked: string): Link[] {
  const links: Link[] = []
  const rest = masked.replace(WIKI, (whole: string, mark: string, inner: string, at: number) => {
    if (isEscaped(masked, at)) return whole
    const start = at + mark.length + 2
    const named = readWiki(text.slice(start, start + inner.length))
    const isNamed = named.target !== '' || named.heading !== null
    if (isNamed) links.push({ ...named, start: at, end: at + whole.length, isEmbed: mark === '!' })
    return ' '.repeat(whole.length)
  })
  for (const found of rest.matchAll(INLINE)) {
    const [whole, mark = '', shown = '', place = ''] = found
    if (isEscaped(rest, found.index)) continue
    const start = found.index + mark.length + 1
    const named = readPlace(place)
    if (named === null) continue
    const alias = text
      .slice(start, start + shown.length)
      .replace(/\s+/g, ' ')
      .trim()
    const end = found.index + whole.length
    const isEmbed = mark === '!'
    links.push({ ...named, alias: alias === '' ? null : alias, start: found.index, end, isEmbed })
  }
  return links.sort((a, b) => a.start - b.start)
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charAt(at - 1 - slashes) === '\\') slashes++
  return slashes % 2 === 1
}

type Named = Pick<Link, 'target' | 'alias' | 'heading'>

/** `target#heading|alias`; in tables the bar is written `\|`. */
function readWiki(inner: string): Named {
  const bar = inner.indexOf('|')
  const named = bar < 0 ? inner : inner.slice(0, bar).replace(/\\$/, '')
  const alias = bar < 0 ? '' : inner.slice(bar + 1).trim()
  return { ...splitHeading(named), alias: alias === '' ? null : alias }
}

function readPlace(place: string): Pick<Named, 'target' | 'heading'> | null {
  const bare = place.startsWith('<') ? place.slice(1, -1) : place
  if (ELSEWHERE.test(bare)) return null
  const { target, heading } = splitHeading(bare)
  if (target === '' && heading === null) return null
  return { target: decode(target), heading: heading === null ? null : decode(heading) }
}

function splitHeading(named: string): Pick<Named, 'target' | 'heading'> {
  const hash = named.indexOf('#')
  if (hash < 0) return { target: named.trim(), heading: null }
  const heading = named.slice(hash + 1).trim()
  return { target: named.slice(0, hash).trim(), heading: heading === '' ? null : heading }
}

/** `My%20note.md` is "My note.md"; what is no such code stays. */
function decode(written: string): string {
  try {
    return decodeURIComponent(written).toWellFormed()
  } catch {
    return written
  }
}
