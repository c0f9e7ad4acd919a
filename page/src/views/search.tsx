/** Promise: what is looked for is found while it is typed, and every step of the way has an address. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Answer } from '../api/client.js'
import { FacetPanel } from '../parts/facets.js'
import { HitItem } from '../parts/hit.js'
import { Icon } from '../parts/icon.js'
import { counted, milliseconds } from '../parts/numbers.js'
import { Prose } from '../parts/prose.js'
import { scaleOf } from '../parts/score.js'
import { ActiveFilters, SearchControls } from '../parts/search-controls.js'
import { Degraded, Nothing, Trouble, Waiting } from '../parts/states.js'
import { type Found, useHits } from '../state/hits.js'
import { lastOpened, rememberOpened } from '../state/opened.js'
import { go, here } from '../state/router.js'
import {
  isBlank,
  readSearch,
  type SearchChoices,
  searchAddress,
  toggleFacet,
} from '../state/search-address.js'
import { useTitle } from '../state/title.js'
import { Start } from './search-start.js'

const TYPING_MS = 110

export function SearchView() {
  const choices = readSearch(here.value.params)
  const found = useHits(choices)
  const change = (next: SearchChoices): void => go(searchAddress(next))
  useTitle(choices.q)
  useEffect(() => {
    addEventListener('keydown', moveAmongHits)
    return () => removeEventListener('keydown', moveAmongHits)
  }, [])
  return (
    <div class="search-view">
      <h1 class="visually-hidden">Search</h1>
      <search class="search-top">
        <SearchField choices={choices} isBusy={found.isSlow} />
        <SearchControls choices={choices} onChange={change} />
        <ActiveFilters choices={choices} onChange={change} />
      </search>
      {isBlank(choices) ? <Start /> : <Results choices={choices} found={found} onChange={change} />}
    </div>
  )
}

/**
 * Typing changes the address once it pauses: the first letters make a step one can go back to, those after them change it
 * in place. Enter ends the step, and the next letters make another.
 */
function SearchField({
  choices,
  isBusy,
}: {
  readonly choices: SearchChoices
  readonly isBusy: boolean
}) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(choices.q)
  const [timer, setTimer] = useState<ReturnType<typeof setTimeout> | undefined>()
  // The address may lag behind what is typed; where it changed for another reason, it wins.
  const sent = useRef(choices.q)
  const isStepEnded = useRef(true)
  useEffect(() => {
    if (choices.q === sent.current) return
    sent.current = choices.q
    isStepEnded.current = true
    setText(choices.q)
  }, [choices.q])
  useEffect(() => {
    const isForFingers = matchMedia('(pointer: coarse)').matches
    if (!isForFingers && lastOpened() === null) field.current?.focus({ preventScroll: true })
  }, [])
  const look = (q: string): void => {
    clearTimeout(timer)
    sent.current = q
    go(searchAddress({ ...readSearch(here.value.params), q }), { replace: !isStepEnded.current })
    isStepEnded.current = false
  }
  const type = (next: string): void => {
    clearTimeout(timer)
    setText(next)
    setTimer(setTimeout(() => look(next), next === '' ? 0 : TYPING_MS))
  }
  return (
    <form
      class={isBusy ? 'search-field is-busy' : 'search-field'}
      onSubmit={(event) => {
        event.preventDefault()
        look(text)
        isStepEnded.current = true
      }}
    >
      <Icon name="search" size={20} />
      <input
        ref={field}
        type="search"
        data-search-field
        aria-label="Search"
        placeholder="Words, a question, &quot;a phrase&quot;, tag:name, -not"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        value={text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === '') return
          event.preventDefault()
          type('')
        }}
      />
      {text === '' ? (
        <kbd>/</kbd>
      ) : (
        <button
          type="button"
          class="icon-button"
          aria-label="Clear"
          onClick={() => {
            type('')
            field.current?.focus()
          }}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </form>
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
          />
        )}
      </div>
      <section class="results" aria-label="Results">
        {failure !== null && <Trouble failure={failure} retry={reload} />}
        {data === null && isSlow && <Waiting lines={6} />}
        {data !== null && (
          <>
            <Summary answer={data} choices={choices} onChange={onChange} />
            <Degraded degraded={data.degraded} />
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
        {hits.map((hit) => (
          <HitItem key={hit.id} hit={hit} scale={scale} />
        ))}
      </ol>
      {hasMore && (
        <button type="button" class="button more" onClick={() => void loadMore()}>
          More
        </button>
      )}
    </>
  )
}

function Summary({
  answer,
  choices,
  onChange,
}: {
  readonly answer: Answer<'search'>
  readonly choices: SearchChoices
  readonly onChange: (next: SearchChoices) => void
}) {
  const { query, total, tookMs } = answer
  const records = `${total.exact ? '' : 'about '}${counted(total.value, 'record')}`
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
            · read as <code dir="auto">{query.readAs}</code>
          </span>
        )}
      </p>
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
          In no record:{' '}
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

const hitLinks = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-hit]')]

/** Arrows go from the field to the first hit, from hit to hit, and back up to the field; `w` asks why. */
function moveAmongHits(event: KeyboardEvent): void {
  const { target } = event
  if (!(target instanceof HTMLElement) || event.metaKey || event.ctrlKey || event.altKey) return
  if (event.key === 'w' && target.matches('[data-hit]')) {
    target.closest('.hit')?.querySelector<HTMLElement>('.why-button')?.click()
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const links = hitLinks()
  const at = links.indexOf(target)
  const isField = target.matches('[data-search-field]')
  if (at === -1 && !isField) return
  event.preventDefault()
  const next = links[at + step]
  if (next !== undefined) {
    next.focus()
    next.closest('.hit')?.scrollIntoView({ block: 'nearest' })
  } else if (step === -1) document.querySelector<HTMLElement>('[data-search-field]')?.focus()
}

function useFocusOnReturn(hits: number): void {
  useEffect(() => {
    const id = lastOpened()
    if (hits === 0 || id === null) return
    rememberOpened(null)
    const link = hitLinks().find(({ dataset }) => dataset.hit === id)
    link?.focus({ preventScroll: true })
  }, [hits])
}
