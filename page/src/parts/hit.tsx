/** One hit: its title, snippet and score, and on request its explanation. */

import { useState } from 'preact/hooks'
import type { Hit } from '../../../src/core/answer.js'
import { recordAddress } from '../state/addresses.js'
import { Icon } from './icon.js'
import { Marked } from './marked.js'
import { firstLine } from './names.js'
import { counted } from './numbers.js'
import { KindMark, RecordDay, SessionLink, Tags } from './record-bits.js'
import { MatchBadge, Score } from './score.js'
import { Why } from './why.js'

const RELAXED = {
  any: 'not all words',
  prefix: 'begins like a word',
} as const

export function HitItem({ hit, scale }: { readonly hit: Hit; readonly scale: number }) {
  const [isWhyOpen, setWhyOpen] = useState(false)
  const whyId = `why-${hit.id}`
  // What passes the filters of a search without words has no score.
  const isRanked = hit.explanation?.name !== 'listed'
  return (
    <li class={classOf(hit)}>
      <article>
        <div class="hit-head">
          <h3>
            <a href={recordAddress(hit.id)} data-hit={hit.id} dir="auto">
              <HitName hit={hit} />
            </a>
          </h3>
          {isRanked && <Score score={hit.score} scale={scale} />}
        </div>
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
          <RecordDay record={hit.record} />
          {hit.pages !== null && <span>p. {hit.pages.first}</span>}
          <bdi class="namespace">{hit.record.namespace}</bdi>
          {hit.session !== null && <SessionLink id={hit.session.id} />}
          {hit.relatedCount > 0 && <span>{counted(hit.relatedCount, 'link')}</span>}
          {hit.facts.length > 0 && <span>{counted(hit.facts.length, 'fact')}</span>}
          <Tags tags={hit.record.tags} />
          {isRanked && (
            <button
              type="button"
              class="why-button"
              aria-expanded={isWhyOpen}
              aria-controls={whyId}
              onClick={() => setWhyOpen(!isWhyOpen)}
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

const classOf = ({ isSuperseded, title }: Hit): string =>
  ['hit', isSuperseded && 'hit-superseded', title === null && 'hit-untitled']
    .filter((name) => name !== false)
    .join(' ')

/** What has no title is named by what matched of it. */
function HitName({ hit }: { readonly hit: Hit }) {
  if (hit.title !== null) return <Marked text={hit.title} ranges={hit.highlights.title} />
  if (hit.snippet !== null && hit.snippet.text.trim() !== '') return <SnippetText hit={hit} />
  return <Marked text={firstLine(hit.record.body)} />
}

function SnippetText({ hit }: { readonly hit: Hit }) {
  const { snippet } = hit
  if (snippet === null) return null
  const isCutBefore = snippet.start > 0
  const isCutAfter = snippet.end < hit.record.body.trimEnd().length && !/[.!?…]$/.test(snippet.text)
  return (
    <>
      {isCutBefore && '…'}
      <Marked text={snippet.text} ranges={snippet.highlights} />
      {isCutAfter && '…'}
    </>
  )
}

function Successor({ hit }: { readonly hit: Hit }) {
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
