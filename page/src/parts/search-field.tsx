/** The search field; a search starts when typing pauses. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { lastOpened } from '../state/opened.js'
import { go, here } from '../state/router.js'
import { readSearch, type SearchChoices, searchAddress } from '../state/search-address.js'
import { Icon } from './icon.js'

const TYPING_MS = 110

/**
 * Typing changes the address once it pauses: the first letters make a step one can go back to, those after them change it
 * in place. Enter ends the step, and the next letters make another.
 */
export function SearchField({
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
