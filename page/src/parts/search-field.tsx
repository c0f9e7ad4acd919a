/** The search field in the bar of every view; hits appear while typing goes on. */

import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asked, findLanguageModel, languageModel } from '../state/asked.js'
import { lastOpened } from '../state/hit-keys.js'
import { isSearching } from '../state/hits.js'
import { go, here } from '../state/router.js'
import {
  readSearch,
  type SearchChoices,
  searchAddress,
  withoutFilters,
} from '../state/search-address.js'
import { Button } from './button.js'
import { onSend } from './fields.js'
import { Icon } from './icon.js'

/** The address follows the first key at once and then at most this often. */
const STEP_MS = 100

const isForFingers = matchMedia('(pointer: coarse)').matches

/** The last search, which other views keep in the field. */
const last = signal<SearchChoices>(readSearch(new URLSearchParams()))

/**
 * The first letters make a step one can go back to, those after them change it in place. Enter ends the step, and the
 * next letters make another.
 */
export function SearchField() {
  const isHere = here.value.path === '/'
  const choices = isHere
    ? readSearch(here.value.params)
    : { ...last.value, q: here.value.params.get('q') ?? last.value.q }
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(choices.q)
  // The address may lag behind what is typed; where it changed for another reason, it wins.
  const sent = useRef(choices.q)
  const typed = useRef(choices.q)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isStepEnded = useRef(true)
  useEffect(() => {
    if (isHere) last.value = choices
    if (choices.q === sent.current) return
    sent.current = choices.q
    typed.current = choices.q
    isStepEnded.current = true
    setText(choices.q)
  }, [choices.q, isHere])
  useEffect(() => {
    if (text !== '') findLanguageModel()
  }, [])
  useEffect(() => {
    if (!isHere) isStepEnded.current = true
    else if (!isForFingers && lastOpened() === null) field.current?.focus({ preventScroll: true })
  }, [isHere])
  const look = (q: string): void => {
    sent.current = q
    const before = here.value.path === '/' ? readSearch(here.value.params) : withoutFilters(choices)
    go(searchAddress({ ...before, q }), { replace: !isStepEnded.current })
    isStepEnded.current = false
  }
  const follow = (): void => {
    timer.current = null
    if (typed.current === sent.current) return
    look(typed.current)
    timer.current = setTimeout(follow, STEP_MS)
  }
  const type = (next: string): void => {
    setText(next)
    findLanguageModel()
    typed.current = next
    if (next === '' && here.value.path !== '/') return
    if (timer.current === null) follow()
  }
  const canAsk = languageModel.value !== null && text.trim() !== ''
  return (
    <search class={canAsk ? 'bar-search can-ask' : 'bar-search'} aria-label="Records">
      <form
        class={isSearching.value ? 'search-field is-busy' : 'search-field'}
        onSubmit={onSend(() => {
          look(text)
          isStepEnded.current = true
        })}
      >
        <Icon name="search" size={18} />
        <input
          ref={field}
          type="search"
          data-search-field
          aria-label="Search"
          placeholder="Words or a question"
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          value={text}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || text === '' || !isHere) return
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
            tabIndex={-1}
            onClick={() => {
              type('')
              field.current?.focus()
            }}
          >
            <Icon name="close" size={16} />
          </button>
        )}
      </form>
      {canAsk && (
        <Button
          title={`Answered by ${languageModel.value}`}
          onClick={() => {
            look(text)
            isStepEnded.current = true
            asked.value = text
          }}
        >
          Ask
        </Button>
      )}
      {isHere && text !== '' && (
        <a class="skip" href="#hits">
          Skip to the hits
        </a>
      )}
    </search>
  )
}
