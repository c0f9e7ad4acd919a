/** Finds a record by words and gives its id. */

import { useState } from 'preact/hooks'
import { search } from '../api/client.js'
import { useLoadWhileTyping } from '../state/load.js'
import { Icon } from './icon.js'
import { Marked } from './marked.js'

const SHOWN = 6

export function RecordChooser({
  not,
  onChoose,
}: {
  /** The record that is linked from. */
  readonly not: string
  readonly onChoose: (id: string) => unknown
}) {
  const [words, setWords] = useState('')
  const { data } = useLoadWhileTyping(`choose ${words}`, async () =>
    words.trim() === '' ? null : await search({ query: words, ids: { out: [not] }, limit: SHOWN }),
  )
  return (
    <div class="chooser">
      <input
        type="search"
        aria-label="Find the other record"
        placeholder="Find the other record"
        dir="auto"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ul class="menu-list" aria-label="Records found">
        {(words.trim() === '' ? [] : (data?.hits ?? [])).map(({ id, kind, title, snippet }) => (
          <li key={id}>
            <button type="button" class="menu-item" onClick={() => void onChoose(id)}>
              <Icon name={kind} size={14} /> <Marked text={title ?? snippet?.text ?? id} />
            </button>
          </li>
        ))}
      </ul>
      {words.trim() !== '' && data?.hits.length === 0 && <p class="quiet">Nothing was found.</p>}
    </div>
  )
}
