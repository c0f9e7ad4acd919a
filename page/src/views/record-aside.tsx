/** The details beside a record. */

import { useState } from 'preact/hooks'
import type { FactShown } from '../../../src/core/answer.js'
import type { CairnRecord, LinkView } from '../../../src/core/record.js'
import type { Answer } from '../api/client.js'
import { Block, Detail } from '../parts/block.js'
import { Button } from '../parts/button.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { shortDay, wholeMoment } from '../parts/moments.js'
import { readable, shortId, wholeWords } from '../parts/names.js'
import { count } from '../parts/numbers.js'
import { PdfLink } from '../parts/pdf-link.js'
import { By } from '../parts/record-bits.js'
import { Term } from '../parts/term.js'
import { addressOf, recordAddress, sessionAddress } from '../state/addresses.js'
import { here } from '../state/router.js'
import { DetailsEditor } from './record-details-editor.js'
import { WorkSection } from './record-work.js'

type Why = Answer<'why'>

export function RecordAside({
  why,
  onChange,
}: {
  readonly why: Why
  readonly onChange: () => void
}) {
  const { record, facts, links, recalls } = why
  const [isEditing, setEditing] = useState(false)
  if (isEditing) {
    return (
      <aside class="record-aside" aria-label="Details of this record">
        <DetailsEditor
          record={record}
          onDone={() => {
            setEditing(false)
            onChange()
          }}
        />
      </aside>
    )
  }
  return (
    <aside class="record-aside" aria-label="Details of this record">
      {record.work !== null && <WorkSection id={record.id} work={record.work} />}
      <PdfPages record={record} />
      <Facts facts={facts} />
      <Links links={links} />
      <Recalls recalls={recalls} />
      <Block title="Details">
        <dl class="details">
          <Details why={why} />
        </dl>
        {record.supersededAt === null && (
          <div class="actions">
            <Button class="button-small" onClick={() => setEditing(true)}>
              <Icon name="edit" size={14} /> Edit details
            </Button>
          </div>
        )}
      </Block>
      <MetadataBlock record={record} />
    </aside>
  )
}

function Details({ why: { record, revisions, session, lastTouchedBy } }: { readonly why: Why }) {
  const first = revisions.find(({ number }) => number === 1) ?? record
  return (
    <>
      <Detail name="Id">
        <code class="id" title={record.id}>
          {shortId(record.id)}
        </code>
      </Detail>
      <Detail name="Project">
        <a href={addressOf('/', { project: record.namespace })}>
          <bdi>{record.namespace}</bdi>
        </a>
      </Detail>
      {record.occurredAt !== null && record.kind !== 'work' && (
        <Detail name="Took place">{wholeMoment(record.occurredAt)}</Detail>
      )}
      <Detail name="Stored">
        {wholeMoment(record.createdAt)}
        <By author={first.author} />
      </Detail>
      {record.updatedAt !== record.createdAt && (
        <Detail name="Changed">
          {wholeMoment(record.updatedAt)}
          <By author={record.author} />
        </Detail>
      )}
      {session !== null && (
        <Detail name="Session">
          <a href={sessionAddress(session.id)}>
            <bdi>{session.title ?? session.id}</bdi>
          </a>
        </Detail>
      )}
      {lastTouchedBy !== null && lastTouchedBy.usage !== 'created' && (
        <Detail name="Last used">
          {lastTouchedBy.usage} {shortDay(lastTouchedBy.at).toLowerCase()} in session{' '}
          <a href={sessionAddress(lastTouchedBy.session)}>
            <bdi>{lastTouchedBy.session}</bdi>
          </a>
        </Detail>
      )}
      {record.sector !== null && (
        <Detail name={<Term name="Sector" />}>
          <Term name={record.sector} />
        </Detail>
      )}
      {record.kind === 'memory' && (
        <Detail name={<Term name="Scope" />}>
          <Term name={record.tier} />
        </Detail>
      )}
      {record.source !== null && (
        <Detail name="Source">
          <a href={addressOf('/', { source: record.source })}>
            <bdi>{record.source}</bdi>
          </a>
        </Detail>
      )}
      {record.kind === 'memory' && (
        <Detail name={<Term name="Salience" />}>
          <Meter value={record.effectiveSalience} name="Salience now" />
        </Detail>
      )}
      <Detail name={<Term name="Importance" />}>
        <Meter value={record.importance} name="Importance" />
      </Detail>
    </>
  )
}

function Meter({ value, name }: { readonly value: number; readonly name: string }) {
  return (
    <span class="meter">
      <meter value={value} min={0} max={1} aria-label={name} />
      {value.toFixed(2)}
    </span>
  )
}

function Facts({ facts }: { readonly facts: readonly FactShown[] }) {
  if (facts.length === 0) return null
  return (
    <Block title="Facts">
      <ul class="facts">
        {facts.map((fact) => (
          <li key={fact.id}>
            <Marked text={`${fact.subject} ${readable(fact.predicate)} ${fact.object}`} />
            <span class="quiet">
              {fact.type}, <Term name="Confidence">confidence</Term>{' '}
              {fact.effectiveConfidence.toFixed(2)}
            </span>
            {fact.contradictedBy.map((other) => (
              <a key={other.id} class="contradiction" href={recordAddress(other.recordId)}>
                contradicted by <bdi>{other.object}</bdi>
              </a>
            ))}
          </li>
        ))}
      </ul>
    </Block>
  )
}

function Links({ links }: { readonly links: readonly LinkView[] }) {
  const shown = links.filter(({ type }) => type !== 'CITES')
  if (shown.length === 0) return null
  return (
    <Block title="Links">
      <ul class="links">
        {shown.map(({ id, type, direction, other, targetRef, note }) => (
          <li key={id}>
            <span class="link-type">
              {direction === 'out' ? '→' : '←'} {readable(type)}
            </span>
            {other === null ? (
              <bdi class="quiet">{targetRef}</bdi>
            ) : (
              <a href={recordAddress(other.id)}>
                <Marked text={other.title ?? wholeWords(other.summary)} />
              </a>
            )}
            {note !== null && <span class="quiet">{note}</span>}
          </li>
        ))}
      </ul>
    </Block>
  )
}

const RECALLS_SHOWN = 8

function Recalls({ recalls }: { readonly recalls: Why['recalls'] }) {
  if (recalls.length === 0) return null
  return (
    <Block title={recalledTitle(recalls.length)}>
      <ul class="links">
        {recalls.slice(0, RECALLS_SHOWN).map(({ queryId, query, at, rank }) => (
          <li key={`${queryId} ${rank}`}>
            <a href={addressOf('/', { q: query })}>
              <Marked text={query} />
            </a>
            <span class="quiet">
              hit {rank}, {shortDay(at).toLowerCase()}
            </span>
          </li>
        ))}
      </ul>
    </Block>
  )
}

function MetadataBlock({ record: { metadata } }: { readonly record: CairnRecord }) {
  // Where the pages of a PDF begin is for programs.
  const entries = Object.entries(metadata).filter(([key]) => key !== 'pages')
  if (entries.length === 0) return null
  return (
    <Block title="Other data">
      <dl class="details">
        {entries.map(([key, value]) => (
          <Detail key={key} name={key}>
            <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
          </Detail>
        ))}
      </dl>
    </Block>
  )
}

/** The answer names at most fifty. */
function recalledTitle(times: number): string {
  if (times === 1) return 'Recalled once'
  return `Recalled ${count(times)}${times === 50 ? '+' : ''} times`
}

const PAGES_SHOWN = 40

type PdfPage = { readonly page: number; readonly start: number; readonly end: number }

/** Of a record that was a PDF: the file opens at the passage that the search found, or at any page. */
function PdfPages({ record: { id, metadata } }: { readonly record: CairnRecord }) {
  const pages = Array.isArray(metadata.pages) ? (metadata.pages as readonly PdfPage[]) : []
  if (pages.length === 0 || pages.some(({ page }) => typeof page !== 'number')) return null
  const at = Number(here.value.params.get('at') ?? Number.NaN)
  const passage = pages.find(({ start, end }) => start <= at && at < end)
  return (
    <Block title="PDF">
      {passage !== undefined && (
        <p>
          The passage is on <PdfLink id={id} page={passage.page} />.
        </p>
      )}
      <ul class="names" aria-label="Pages">
        {pages.slice(0, PAGES_SHOWN).map(({ page }) => (
          <li key={page}>
            <PdfLink id={id} page={page} />
          </li>
        ))}
      </ul>
    </Block>
  )
}
