/** The search view. */

import type { SearchAnswer } from '../api/client.js'
import { AnswerPanel } from '../parts/answer.js'
import { Button } from '../parts/button.js'
import { FacetPanel } from '../parts/facets.js'
import { HitItem } from '../parts/hit.js'
import { counted, milliseconds } from '../parts/numbers.js'
import { Prose } from '../parts/prose.js'
import { scaleOf } from '../parts/score.js'
import { ActiveFilters, SearchControls } from '../parts/search-controls.js'
import { ListTools } from '../parts/selection.js'
import { Degraded, Nothing, Trouble, Waiting } from '../parts/states.js'
import { useTitle } from '../parts/view.js'
import { asked } from '../state/asked.js'
import { useFocusOnReturn, useHitKeys } from '../state/hit-keys.js'
import { type Found, useHits } from '../state/hits.js'
import { go, here } from '../state/router.js'
import {
  isBlank,
  readSearch,
  type SearchChoices,
  searchAddress,
  toggleFacet,
} from '../state/search-address.js'
import { Start } from './search-start.js'

export function SearchView() {
  const choices = readSearch(here.value.params)
  const found = useHits(choices)
  const change = (next: SearchChoices): void => go(searchAddress(next))
  useTitle(choices.q)
  useHitKeys()
  return (
    <div class="search-view">
      <h1 class="visually-hidden">Search</h1>
      <div class="search-top">
        <SearchControls choices={choices} onChange={change} />
        <ActiveFilters choices={choices} onChange={change} />
      </div>
      {isBlank(choices) ? <Start /> : <Results choices={choices} found={found} onChange={change} />}
    </div>
  )
}

function Results({
  choices,
  found,
  onChange,
}: {
  readonly choices: SearchChoices
  readonly found: Found
  readonly onChange: (next: SearchChoices) => void
}) {
  const { data, failure, isSlow, reload } = found
  useFocusOnReturn(found.hits.length)
  return (
    <div class="search-columns">
      <div class="facet-column">
        {data?.facets != null && (
          <FacetPanel
            facets={data.facets}
            choices={choices}
            onToggle={(name, value) => onChange(toggleFacet(choices, name, value))}
            onTime={(days) => onChange({ ...choices, ...days })}
          />
        )}
      </div>
      <section id="hits" class="results" aria-label="Results" tabIndex={-1}>
        <h2 class="visually-hidden">Results</h2>
        {choices.q !== '' && asked.value === choices.q && <AnswerPanel choices={choices} />}
        {failure !== null && <Trouble failure={failure} retry={reload} />}
        {data === null && isSlow && <Waiting lines={6} />}
        {data !== null && (
          <>
            <Summary answer={data} choices={choices} onChange={onChange} />
            <Degraded degraded={data.degraded} />
            <ListTools choices={choices} hits={found.hits} reload={reload} />
            <HitList found={found} isOld={failure !== null || isSlow} />
          </>
        )}
      </section>
    </div>
  )
}

function HitList({ found, isOld }: { readonly found: Found; readonly isOld: boolean }) {
  const { hits, data, hasMore, loadMore } = found
  if (hits.length === 0) {
    return (
      <Nothing title="Nothing was found.">
        {data?.hint != null && (
          <p>
            <Prose text={data.hint} />
          </p>
        )}
      </Nothing>
    )
  }
  const scale = scaleOf(hits)
  return (
    <>
      <ol class={isOld ? 'hits is-old' : 'hits'}>
        {hits
          .filter(({ weak }) => !weak)
          .map((hit) => (
            <HitItem key={hit.id} hit={hit} scale={scale} />
          ))}
      </ol>
      <Weak hits={hits.filter(({ weak }) => weak)} scale={scale} />
      {hasMore && (
        <Button class="more" onClick={loadMore}>
          More
        </Button>
      )}
    </>
  )
}

function Weak({ hits, scale }: { readonly hits: Found['hits']; readonly scale: number }) {
  if (hits.length === 0) return null
  return (
    <>
      <p class="quiet">Perhaps related:</p>
      <ol class="hits">
        {hits.map((hit) => (
          <HitItem key={hit.id} hit={hit} scale={scale} />
        ))}
      </ol>
    </>
  )
}

function Summary({
  answer,
  choices,
  onChange,
}: {
  readonly answer: SearchAnswer
  readonly choices: SearchChoices
  readonly onChange: (next: SearchChoices) => void
}) {
  const { query, total, tookMs } = answer
  const records = `${total.exact ? '' : 'at least '}${counted(total.value, 'record')}`
  return (
    <div class="summary">
      <p>
        <span aria-live="polite">
          <strong>{records[0]?.toUpperCase() + records.slice(1)}</strong>
        </span>
        <span class="quiet"> in {milliseconds(tookMs)}</span>
        {query.readAs !== query.text && query.readAs !== '' && (
          <span class="quiet">
            {' '}
            · understood as <code dir="auto">{query.readAs}</code>
          </span>
        )}
      </p>
      {query.searchedFor !== null && (
        <p>
          {answer.hint !== null && <Prose text={answer.hint} />} Results for{' '}
          <q dir="auto">{query.searchedFor}</q>.
        </p>
      )}
      {query.suggestions.map(({ term, meant }) => (
        <p key={term}>
          Did you mean{' '}
          <button
            type="button"
            class="text-button suggestion"
            onClick={() => onChange({ ...choices, q: choices.q.replace(term, meant) })}
          >
            {meant}
          </button>{' '}
          for <q dir="auto">{term}</q>?
        </p>
      ))}
      {query.missingTerms.length > 0 && (
        <p class="quiet">
          No record contains:{' '}
          {query.missingTerms.map((term) => (
            <span key={term} class="missing" dir="auto">
              {term}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}
