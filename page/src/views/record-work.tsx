/** The bibliographic data, citations and references of a work. */

import { useState } from 'preact/hooks'
import { CITATION_STYLES, type PersonName, type WorkDetails } from '../../../src/core/work.js'
import { type Answer, citeAll, fetchCitations, readCitations } from '../api/client.js'
import { Block, Detail } from '../parts/block.js'
import { Button } from '../parts/button.js'
import { SelectField } from '../parts/fields.js'
import { copyText } from '../parts/give.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { STYLE_NAMES } from '../parts/names.js'
import { counted } from '../parts/numbers.js'
import { Shown } from '../parts/states.js'
import { addressOf, recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'

export function WorkSection({ id, work }: { readonly id: string; readonly work: WorkDetails }) {
  const loaded = useLoad(`citations ${id}`, (signal) => readCitations(id, signal))
  return (
    <>
      <Block title="Publication">
        <dl class="details">
          <Names name="Authors" people={work.authors} />
          <Names name="Editors" people={work.editors} />
          {work.venue !== null && (
            <Detail name="Published in">
              <a href={addressOf('/', { venue: work.venue })}>
                <bdi>{work.venue}</bdi>
              </a>
            </Detail>
          )}
          {(work.published ?? work.year) !== null && (
            <Detail name="Date">{work.published ?? work.year}</Detail>
          )}
          {work.pages !== null && <Detail name="Pages">{work.pages}</Detail>}
          <Identifiers work={work} />
        </dl>
        <CopyReference id={id} />
      </Block>
      <Shown loaded={loaded}>
        {(citations) => (
          <>
            <Citations citations={citations} />
            <FetchCitations id={id} onDone={loaded.reload} />
          </>
        )}
      </Shown>
    </>
  )
}

/** As they are stored among the people of a record, by which they are found. */
const fullName = ({ family, given }: PersonName): string =>
  given === null ? family : `${given} ${family}`

function Names({
  name,
  people,
}: {
  readonly name: string
  readonly people: readonly PersonName[]
}) {
  if (people.length === 0) return null
  return (
    <Detail name={name}>
      <ul class="names">
        {people.map((person) => {
          const full = fullName(person)
          return (
            <li key={full}>
              {name === 'Authors' ? (
                <a href={addressOf('/', { author: full })}>
                  <bdi>{full}</bdi>
                </a>
              ) : (
                <bdi>{full}</bdi>
              )}
            </li>
          )
        })}
      </ul>
    </Detail>
  )
}

/** A file may call anything a link: only addresses of the web are followed. */
function webAddress(text: string): string | null {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : null
}

function Identifiers({ work }: { readonly work: WorkDetails }) {
  const links: readonly (readonly [name: string, text: string | null, address: string | null])[] = [
    ['DOI', work.doi, work.doi && `https://doi.org/${encodeURI(work.doi)}`],
    ['arXiv', work.arxivId, work.arxivId && `https://arxiv.org/abs/${encodeURI(work.arxivId)}`],
    [
      'OpenAlex',
      work.openAlexId,
      work.openAlexId && `https://openalex.org/${encodeURI(work.openAlexId)}`,
    ],
    ['Link', work.url, work.url && webAddress(work.url)],
  ]
  return (
    <>
      {links.map(
        ([name, text, address]) =>
          text !== null && (
            <Detail key={name} name={name}>
              {address === null ? (
                <bdi>{text}</bdi>
              ) : (
                <a href={address} target="_blank" rel="noreferrer">
                  <bdi>{text}</bdi>
                </a>
              )}
            </Detail>
          ),
      )}
      {work.citationKey !== null && (
        <Detail name="Citation key">
          <code>{work.citationKey}</code>
        </Detail>
      )}
    </>
  )
}

function CopyReference({ id }: { readonly id: string }) {
  const [style, setStyle] = useState<string>('apa')
  const copy = (): Promise<void> =>
    attempt(async () => {
      const { references } = await citeAll([id], style)
      await copyText(references.map(({ text }) => text).join('\n'))
      say('The reference is copied.')
    })
  return (
    <div class="actions">
      <SelectField
        name="Style"
        value={style}
        options={CITATION_STYLES.map((one) => [one, STYLE_NAMES[one]])}
        onChange={setStyle}
      />
      <Button class="button-small" onClick={copy}>
        <Icon name="copy" size={14} /> Copy reference
      </Button>
    </div>
  )
}

/** Asks OpenAlex, which is the only request beyond this machine: never without a press. */
function FetchCitations({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const fetch = (): Promise<void> =>
    attempt(async () => {
      setBusy(true)
      try {
        const { created, updated } = await fetchCitations(id)
        say(`${counted(created, 'work')} added from OpenAlex, ${updated} updated.`)
        onDone()
      } finally {
        setBusy(false)
      }
    })
  return (
    <p>
      <Button class="button-small" disabled={isBusy} onClick={fetch}>
        <Icon name="download" size={14} /> {isBusy ? 'Fetching…' : 'Fetch citations from OpenAlex'}
      </Button>
    </p>
  )
}

function Citations({ citations }: { readonly citations: Answer<'citations'> }) {
  const { references, citedBy, unresolved } = citations
  return (
    <>
      <Works title={`Cites ${counted(references.length, 'stored work')}`} works={references} />
      <Works title={`Cited by ${counted(citedBy.length, 'stored work')}`} works={citedBy} />
      {unresolved.length > 0 && (
        <p class="quiet">
          It also cites {counted(unresolved.length, 'work')} that{' '}
          {unresolved.length === 1 ? 'is' : 'are'} not stored here.
        </p>
      )}
    </>
  )
}

function Works({
  title,
  works,
}: {
  readonly title: string
  readonly works: Answer<'citations'>['references']
}) {
  if (works.length === 0) return null
  return (
    <Block title={title}>
      <ul class="links">
        {works.map(({ id, title: name, year }) => (
          <li key={id}>
            <a href={recordAddress(id)}>
              <Marked text={name ?? id} />
            </a>
            {year !== null && <span class="quiet">{year}</span>}
          </li>
        ))}
      </ul>
    </Block>
  )
}
