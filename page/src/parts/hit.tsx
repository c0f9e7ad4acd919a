/** One hit: its title, snippet and score, and on request its explanation. */

import { useState } from 'preact/hooks'
import type { FoundHit } from '../api/client.js'
import { recordAddress, sessionAddress } from '../state/addresses.js'
import { here, recall, remember } from '../state/router.js'
import { Icon } from './icon.js'
import { Marked } from './marked.js'
import { firstLine } from './names.js'
import { counted } from './numbers.js'
import { PdfLink } from './pdf-link.js'
import { KindMark, RecordDay, Tags } from './record-bits.js'
import { MatchBadge, Score } from './score.js'
import { SelectBox } from './selection.js'
import { Why } from './why.js'

const RELAXED = {
  any: 'some words are missing',
  prefix: 'matches the beginning of a word',
  none: 'none of the words',
} as const

/** The explanations that are open, for the way back. */
const OPEN = 'why'
const recallOpen = (): readonly string[] => recall<readonly string[]>(OPEN, [])

export function HitItem({ hit, scale }: { readonly hit: FoundHit; readonly scale: number }) {
  const [isWhyOpen, setWhyOpen] = useState(() => recallOpen().includes(hit.id))
  const toggleWhy = (): void => {
    const others = recallOpen().filter((id) => id !== hit.id)
    remember(OPEN, isWhyOpen ? others : [...others, hit.id])
    setWhyOpen(!isWhyOpen)
  }
  const whyId = `why-${hit.id}`
  // What passes the filters of a search without words has no score.
  const isRanked = hit.explanation?.name !== 'listed'
  return (
    <li class={classOf(hit)}>
      <article>
        <div class="hit-head">
          <SelectBox hit={hit} />
          <h2>
            <a href={passageAddress(hit)} data-hit={hit.id} dir="auto">
              <HitName hit={hit} />
            </a>
          </h2>
          {isRanked && <Score score={hit.score} scale={scale} />}
        </div>
        <Who hit={hit} />
        <Successor hit={hit} />
        {hit.title !== null && hit.snippet !== null && hit.snippet.text !== '' && (
          <p class="hit-text" dir="auto">
            <SnippetText hit={hit} />
          </p>
        )}
        <div class="hit-meta">
          {isRanked && <MatchBadge type={hit.matchType} />}
          {hit.relaxed !== null && <span class="label">{RELAXED[hit.relaxed]}</span>}
          <KindMark kind={hit.kind} />
          <RecordDay record={{ ...hit.record, work: { year: hit.identity.year ?? null } }} />
          {hit.pages !== null && <PdfLink id={hit.id} page={hit.pages.first} />}
          <bdi class="namespace">{hit.record.namespace}</bdi>
          {hit.relatedCount > 0 && <span>{counted(hit.relatedCount, 'link')}</span>}
          {hit.facts.length > 0 && <span>{counted(hit.facts.length, 'fact')}</span>}
          <Tags tags={hit.record.tags} />
          {isRanked && (
            <button
              type="button"
              class="why-button"
              aria-expanded={isWhyOpen}
              aria-controls={whyId}
              onClick={toggleWhy}
            >
              <Icon name="chevron" size={13} />
              Why this
            </button>
          )}
        </div>
        <div id={whyId}>{isWhyOpen && <Why hit={hit} />}</div>
      </article>
    </li>
  )
}

/** Where the hit was found: the record opens at this passage, with the matches marked. */
function passageAddress({ id, snippet }: FoundHit): string {
  const q = here.value.params.get('q') ?? ''
  return recordAddress(id, q === '' ? {} : { q, at: String(snippet?.start ?? 0) })
}

const classOf = ({ isSuperseded, title }: FoundHit): string =>
  ['hit', isSuperseded && 'hit-superseded', title === null && 'hit-untitled']
    .filter((name) => name !== false)
    .join(' ')

/** What has no title is named by what matched of it. */
function HitName({ hit }: { readonly hit: FoundHit }) {
  if (hit.title !== null) return <Marked text={hit.title} ranges={hit.highlights.title} />
  if (hit.snippet !== null && hit.snippet.text.trim() !== '') return <SnippetText hit={hit} />
  return 'Untitled'
}

/** A shorter snippet is the whole text, or ends with a sentence. */
const CUT_CHARS = 160

function SnippetText({ hit }: { readonly hit: FoundHit }) {
  const { snippet } = hit
  if (snippet === null) return null
  const isCutBefore = snippet.start > 0
  const isCutAfter = snippet.end - snippet.start >= CUT_CHARS && !/[.!?…]$/.test(snippet.text)
  return (
    <>
      {isCutBefore && '…'}
      <Marked text={snippet.text} ranges={snippet.highlights} />
      {isCutAfter && '…'}
    </>
  )
}

const AUTHORS_SHOWN = 3

/** What a person knows it by: authors and venue, path and heading, speaker and conversation. */
function Who({ hit: { identity, session } }: { readonly hit: FoundHit }) {
  const { authors = [], venue, path, line, heading, speaker, conversation } = identity
  const names = authors.slice(0, AUTHORS_SHOWN).join(', ')
  const parts = [
    authors.length > AUTHORS_SHOWN ? `${names} et al.` : names,
    venue,
    path !== undefined && line !== undefined && line > 1 ? `${path}:${line}` : path,
    heading === undefined ? undefined : `§ ${heading}`,
    speaker,
  ].filter((part) => part !== undefined && part !== '')
  if (parts.length === 0 && session === null) return null
  return (
    <p class="hit-who">
      {parts.map((part) => (
        <bdi key={part}>{part}</bdi>
      ))}
      {session !== null && (
        <a href={sessionAddress(session.id)}>
          <bdi>{conversation ?? session.id}</bdi>
        </a>
      )}
    </p>
  )
}

function Successor({ hit }: { readonly hit: FoundHit }) {
  if (!hit.isSuperseded) return null
  return (
    <p class="superseded">
      <span class="label label-superseded">superseded</span>
      {hit.supersededBy !== null && (
        <>
          {' by '}
          <a href={recordAddress(hit.supersededBy.id)}>
            <Marked text={firstLine(hit.supersededBy.text)} />
          </a>
        </>
      )}
    </p>
  )
}
