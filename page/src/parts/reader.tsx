/** Shows the text of a record to be read: Markdown rendered, matches marked, at the passage that matched. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CairnRecord, LinkView } from '../../../src/core/record.js'
import { addressOf, decodeText, recordAddress } from '../state/addresses.js'
import { recall, remember } from '../state/router.js'
import { buildPattern, markMatches } from './mark-text.js'
import type { MarkdownOptions, RenderMarkdown } from './markdown.js'
import { Contents, MatchBar } from './reader-bars.js'
import { jumpTo, keepPlace, showUnits, type UnitList } from './unit-list.js'
import {
  type Heading,
  isMarkdown,
  levelHeadings,
  listHeadings,
  slugOf,
  splitUnits,
} from './units.js'

type Rendering = { readonly render: RenderMarkdown } | 'plain' | null

/** `at` is where the passage that was found begins; `matches` are the words that matched, as they are written. */
export function Reader({
  record,
  links,
  at,
  matches,
}: {
  readonly record: CairnRecord
  readonly links: readonly LinkView[]
  readonly at: number | null
  readonly matches: readonly string[]
}) {
  const { body, title } = record
  const canRender = isMarkdown(record)
  const [isRaw, setRaw] = useState(false)
  const host = useRef<HTMLDivElement>(null)
  const list = useRef<UnitList | null>(null)
  const headings = useMemo(
    () => (canRender ? listHeadings(body).filter(({ text }) => text !== title) : []),
    [body, title, canRender],
  )
  const rendering = useRendering(record, { links, headings, isRendered: canRender && !isRaw })
  const mayJump = useRef(!recall(JUMPED, false))
  const pattern = useMemo(() => buildPattern(matches), [matches])
  useLayoutEffect(() => {
    if (host.current === null || rendering === null) return
    const units = splitUnits(body, { isMarkdown: rendering !== 'plain' })
    const shown = showUnits(host.current, units, ({ start, end }) =>
      rendering === 'plain' || end - start > MOST_MARKDOWN_CHARS
        ? plainText(body.slice(start, end), start)
        : rendering.render(body.slice(start, end), start),
    )
    list.current = shown
    const first = shown.reveal(0)
    // The title is above already.
    if (rendering !== 'plain' && first?.textContent?.trim() === title) first.hidden = true
    const stopKeeping = keepPlace(host.current, shown)
    return () => {
      stopKeeping()
      shown.close()
    }
  }, [body, rendering])
  // Before the first picture: to the passage, once for each visit.
  useLayoutEffect(() => {
    const shown = list.current
    if (shown === null || rendering === null) return
    if (pattern !== null) shown.mark((unit) => markOnce(unit, pattern))
    if (at === null || !mayJump.current) return
    remember(JUMPED, true)
    const passage = shown.reveal(at)
    passage?.classList.toggle('passage', pattern === null)
    if (pattern !== null) mayJump.current = false
    if (at > 0) jumpTo(passage?.querySelector('mark') ?? passage)
  }, [rendering, pattern, at])
  return (
    <>
      <Contents
        headings={isRaw || body.length < LONG_CHARS ? [] : headings}
        onGo={(heading) => jumpTo(list.current?.reveal(heading.at) ?? null, 'start')}
      />
      {canRender && (
        <button
          type="button"
          class="text-button raw-button"
          aria-pressed={isRaw}
          onClick={() => setRaw(!isRaw)}
        >
          Raw text
        </button>
      )}
      {matches.length > 0 && <MatchBar count={matches.length} list={list} host={host} at={at} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: links inside are reached by keyboard; this only follows those to headings */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link is pressed by Enter, which clicks it */}
      <div
        ref={host}
        class={rendering === 'plain' ? 'body' : 'body prose'}
        dir="auto"
        onClick={(event) => {
          const link = event.target instanceof Element ? event.target.closest('a') : null
          const hash = link?.getAttribute('href') ?? ''
          if (!hash.startsWith('#')) return
          event.preventDefault()
          const slug = slugOf(decodeText(hash.slice(1)).replaceAll('-', ' '))
          const heading = headings.find(({ text }) => slugOf(text) === slug)
          if (heading !== undefined) jumpTo(list.current?.reveal(heading.at) ?? null, 'start')
        }}
      />
    </>
  )
}

const JUMPED = 'jumped'
const LONG_CHARS = 3000
/** One paragraph of this length is data. */
const MOST_MARKDOWN_CHARS = 60_000

/** Null until the renderer is there. */
function useRendering(
  { body, metadata }: CairnRecord,
  {
    links,
    headings,
    isRendered,
  }: {
    readonly links: readonly LinkView[]
    readonly headings: readonly Heading[]
    readonly isRendered: boolean
  },
): Rendering {
  const [render, setRender] = useState<Rendering>(null)
  useEffect(() => {
    if (!isRendered) return
    let isCurrent = true
    void loadMarkdown(body, {
      breaks: typeof metadata.path !== 'string',
      levels: levelHeadings(headings),
      resolve: (target) => resolveLink(target, links),
    })
      // A chunk that cannot be loaded leaves the text as it is written.
      .catch(() => 'plain' as const)
      .then((loaded) => isCurrent && setRender(loaded))
    return () => {
      isCurrent = false
    }
  }, [body, isRendered])
  return isRendered ? render : 'plain'
}

const DEFINITION = /^ {0,3}\[[^\]^\n]+\]:[ \t]*\S+.*$/gm
const CODE = /^[ \t>]*(?:```|~~~)[ \t]*\w/m

async function loadMarkdown(
  body: string,
  options: Pick<MarkdownOptions, 'breaks' | 'levels' | 'resolve'>,
): Promise<Rendering> {
  const [{ createMarkdown }, code] = await Promise.all([
    import('./markdown.js'),
    CODE.test(body) ? import('./highlight-code.js') : null,
  ])
  const definitions = (body.match(DEFINITION) ?? []).join('\n')
  return {
    render: createMarkdown({ ...options, definitions, highlight: code?.highlightCode ?? null }),
  }
}

/** A link to another file or note leads to its record; where none is linked, to a search for its name. */
function resolveLink(target: string, links: readonly LinkView[]): string {
  const name = nameOfFile(target.replace(/#.*$/, ''))
  const slug = slugOf(name.replaceAll('-', ' '))
  const isMeant = (written: string | null | undefined): boolean =>
    written != null && slugOf(nameOfFile(written).replaceAll('-', ' ')) === slug
  const found = links.find(
    ({ direction, other }) =>
      direction === 'out' && (isMeant(other?.source) || isMeant(other?.title)),
  )
  return found?.other == null ? addressOf('/', { q: name }) : recordAddress(found.other.id)
}

const nameOfFile = (path: string): string => path.replace(/^.*\//, '').replace(/\.\w{1,8}$/, '')

/** Paragraphs as they are written. */
function plainText(text: string, at: number): DocumentFragment {
  const fragment = document.createDocumentFragment()
  let start = 0
  for (const paragraph of text.split(/(?<=\n[ \t]*\n)/)) {
    const part = document.createElement('div')
    part.dataset.at = String(at + start)
    part.dir = 'auto'
    part.textContent = paragraph
    fragment.append(part)
    start += paragraph.length
  }
  return fragment
}

function markOnce(unit: HTMLElement, pattern: RegExp): void {
  if (unit.dataset.marked !== undefined) return
  unit.dataset.marked = ''
  markMatches(unit, pattern)
}
