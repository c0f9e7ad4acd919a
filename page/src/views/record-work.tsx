/** The bibliographic data, citations and references of a work. */

import type { WorkDetails } from '../../../src/core/work.js'
import { type Answer, cite, readCitations } from '../api/client.js'
import { Block, Detail } from '../parts/block.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { counted } from '../parts/numbers.js'
import { Shown } from '../parts/states.js'
import { recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'

export function WorkSection({ id, work }: { readonly id: string; readonly work: WorkDetails }) {
  const loaded = useLoad(`citations ${id}`, (signal) => readCitations(id, signal))
  return (
    <>
      <Block title="Work">
        <dl class="details">
          {work.venue !== null && (
            <Detail name="In">
              <bdi>{work.venue}</bdi>
            </Detail>
          )}
          {work.published !== null && <Detail name="Published">{work.published}</Detail>}
          <Identifiers work={work} />
        </dl>
        <div class="actions">
          <CopyReference id={id} style="plain" name="Copy reference" />
          <CopyReference id={id} style="bibtex" name="BibTeX" />
        </div>
      </Block>
      <Shown loaded={loaded}>{(citations) => <Citations citations={citations} />}</Shown>
    </>
  )
}

/** An address is built here from checked identifiers; whatever a file calls a link stays text. */
function Identifiers({ work }: { readonly work: WorkDetails }) {
  return (
    <>
      {work.doi !== null && (
        <Detail name="DOI">
          <a href={`https://doi.org/${encodeURI(work.doi)}`} target="_blank" rel="noreferrer">
            {work.doi}
          </a>
        </Detail>
      )}
      {work.arxivId !== null && (
        <Detail name="arXiv">
          <a
            href={`https://arxiv.org/abs/${encodeURI(work.arxivId)}`}
            target="_blank"
            rel="noreferrer"
          >
            {work.arxivId}
          </a>
        </Detail>
      )}
      {work.url !== null && (
        <Detail name="Address">
          <bdi>{work.url}</bdi>
        </Detail>
      )}
      {work.citationKey !== null && (
        <Detail name="Key">
          <code>{work.citationKey}</code>
        </Detail>
      )}
    </>
  )
}

function CopyReference({
  id,
  style,
  name,
}: {
  readonly id: string
  readonly style: 'plain' | 'bibtex'
  readonly name: string
}) {
  const copy = (): Promise<void> =>
    attempt(async () => {
      const { references } = await cite(id, style)
      await navigator.clipboard.writeText(references.map(({ text }) => text).join('\n'))
      say('Copied.')
    })
  return (
    <button type="button" class="button button-small" onClick={() => void copy()}>
      <Icon name="copy" size={14} /> {name}
    </button>
  )
}

function Citations({ citations }: { readonly citations: Answer<'citations'> }) {
  const { references, citedBy, unresolved } = citations
  return (
    <>
      <Works title={`Cites ${counted(references.length, 'work')} here`} works={references} />
      <Works title={`Cited by ${counted(citedBy.length, 'work')}`} works={citedBy} />
      {unresolved.length > 0 && (
        <p class="quiet">
          {counted(unresolved.length, 'work')} it cites {unresolved.length === 1 ? 'is' : 'are'} not
          stored.
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
