/** Saves a search with its words and filters under a name, and lists those that were saved. */

import { useState } from 'preact/hooks'
import { type Answer, listLenses, removeLens, saveLens } from '../api/client.js'
import { useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'
import {
  DEFAULT_LENS,
  fromLens,
  isBlank,
  type SearchChoices,
  toLensOptions,
} from '../state/search-address.js'
import { Icon } from './icon.js'
import { Menu, MenuForm } from './menu.js'
import { Shown } from './states.js'

type Lens = Answer<'lens.list'>['lenses'][number]
type Parts = {
  readonly choices: SearchChoices
  readonly onChange: (next: SearchChoices) => void
}

export function SavedSearches(parts: Parts) {
  return (
    <Menu name="Saved searches" icon="bookmark">
      {(close) => <Panel {...parts} close={close} />}
    </Menu>
  )
}

function Panel({ choices, onChange, close }: Parts & { readonly close: () => void }) {
  const loaded = useLoad('saved searches', listLenses)
  return (
    <Shown loaded={loaded}>
      {({ lenses }) => {
        const saved = lenses.filter(({ isBuiltIn }) => !isBuiltIn)
        const isKnown = (name: string): boolean => lenses.some((lens) => lens.name === name)
        return (
          <>
            {saved.length === 0 && <p class="quiet">No search is saved yet.</p>}
            <ul class="menu-list">
              {saved.map((lens) => (
                <SavedItem
                  key={lens.name}
                  lens={lens}
                  onRemoved={loaded.reload}
                  onOpen={() => {
                    onChange(fromLens(lens.name, lens.options))
                    close()
                  }}
                />
              ))}
            </ul>
            {!isBlank(choices) && (
              <SaveForm choices={choices} isTaken={isKnown} onSaved={loaded.reload} />
            )}
          </>
        )
      }}
    </Shown>
  )
}

function SavedItem({
  lens: { name, sentence, options },
  onOpen,
  onRemoved,
}: {
  readonly lens: Lens
  readonly onOpen: () => void
  readonly onRemoved: () => void
}) {
  const remove = (): Promise<void> =>
    attempt(async () => {
      await removeLens(name)
      onRemoved()
      say(`“${sentence ?? name}” is removed.`, async () => {
        await saveLens(name, sentence ?? name, options)
        onRemoved()
      })
    })
  return (
    <li>
      <button type="button" class="menu-item" onClick={onOpen}>
        <bdi>{sentence ?? name}</bdi>
      </button>
      <button type="button" class="icon-button" onClick={() => void remove()}>
        <Icon name="close" size={14} />
        <span class="visually-hidden">
          Remove <bdi>{sentence ?? name}</bdi>
        </span>
      </button>
    </li>
  )
}

/** The name of a lens is one word: what was typed is kept as its sentence. */
const toName = (typed: string): string =>
  typed
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

function SaveForm({
  choices,
  isTaken,
  onSaved,
}: {
  readonly choices: SearchChoices
  readonly isTaken: (name: string) => boolean
  readonly onSaved: () => void
}) {
  const [typed, setTyped] = useState(choices.q.trim())
  const name = toName(typed)
  const save = (): Promise<void> =>
    attempt(async () => {
      const { lens, ...options } = toLensOptions(choices)
      // A saved search that is open is saved anew over the ranking it is based on.
      const base = isTaken(lens) && lens === name ? DEFAULT_LENS : lens
      await saveLens(name, typed.trim(), { ...options, lens: base })
      onSaved()
      say('The search is saved.')
    })
  return (
    <MenuForm
      name="Name of this search"
      value={typed}
      onChange={setTyped}
      done={isTaken(name) ? 'Replace' : 'Save this search'}
      isReady={name !== ''}
      onDone={save}
    />
  )
}
