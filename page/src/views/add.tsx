/** Add a record by hand, or import files. */

import { useState } from 'preact/hooks'
import { type Answer, addRecord } from '../api/client.js'
import { type RequestFailure, toFailure } from '../api/request.js'
import { DraftNote } from '../parts/draft-note.js'
import { shortId } from '../parts/names.js'
import { NearDuplicates } from '../parts/near-duplicates.js'
import { Trouble } from '../parts/states.js'
import { TagField } from '../parts/tag-field.js'
import { recordAddress } from '../state/addresses.js'
import { useDraft } from '../state/draft.js'
import { ownProject } from '../state/remembered.js'
import { useTitle } from '../state/title.js'
import { ImportPanel } from './import.js'

export function AddView() {
  useTitle('Add')
  return (
    <div class="narrow add-view">
      <div class="view-head">
        <h1>Add</h1>
      </div>
      <AddForm />
      <ImportPanel />
    </div>
  )
}

type Kind = 'memory' | 'document'
type Typed = {
  readonly body: string
  readonly title: string
  readonly kind: Kind
  readonly namespace: string
  readonly tags: readonly string[]
  readonly extractFacts: boolean
}

const EMPTY: Typed = {
  body: '',
  title: '',
  kind: 'memory',
  namespace: '',
  tags: [],
  extractFacts: false,
}

function AddForm() {
  const draft = useDraft('add', { ...EMPTY, namespace: ownProject.value })
  const [added, setAdded] = useState<Answer<'add'> | null>(null)
  const [failure, setFailure] = useState<RequestFailure | null>(null)
  const set = (part: Partial<Typed>): void => draft.set({ ...draft.value, ...part })
  const isBlank = draft.value.body.trim() === ''
  const save = async (): Promise<void> => {
    const { body, title, kind, namespace, tags, extractFacts } = draft.value
    try {
      const answer = await addRecord({
        body,
        kind,
        tags: [...tags],
        extractFacts,
        title: title.trim() === '' ? null : title,
        ...(namespace.trim() !== '' && { namespace }),
      })
      setAdded(answer)
      setFailure(null)
      draft.drop({ ...EMPTY, kind, namespace, tags })
    } catch (error) {
      setFailure(toFailure(error))
    }
  }
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <h2>A record</h2>
      <label class="field">
        <span>Text</span>
        <textarea
          required
          rows={5}
          dir="auto"
          placeholder="We deploy on Thursdays, never before a holiday."
          value={draft.value.body}
          onInput={({ currentTarget }) => set({ body: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
            event.preventDefault()
            if (!isBlank) void save()
          }}
        />
      </label>
      <Options typed={draft.value} set={set} />
      {failure !== null && <Trouble failure={failure} retry={null} />}
      <div class="actions">
        <button type="submit" class="button button-main" disabled={isBlank}>
          Add
        </button>
        {draft.state !== 'untouched' && (
          <button type="button" class="button" onClick={() => draft.drop(EMPTY)}>
            Discard
          </button>
        )}
        <span class="quiet hint">Ctrl + Enter adds.</span>
      </div>
      <DraftNote draft={draft} />
      <div aria-live="polite">{added !== null && <Outcome added={added} />}</div>
    </form>
  )
}

function Options({
  typed,
  set,
}: {
  readonly typed: Typed
  readonly set: (part: Partial<Typed>) => void
}) {
  return (
    <div class="field-row">
      <label class="field">
        <span>Title</span>
        <input
          value={typed.title}
          dir="auto"
          onInput={({ currentTarget }) => set({ title: currentTarget.value })}
        />
      </label>
      <div class="field">
        <label for="add-tags">Tags</label>
        <TagField id="add-tags" tags={typed.tags} onChange={(tags) => set({ tags })} />
      </div>
      <label class="field">
        <span>Kind</span>
        <select
          value={typed.kind}
          onChange={({ currentTarget }) => set({ kind: currentTarget.value as Kind })}
        >
          <option value="memory">Memory</option>
          <option value="document">Document</option>
        </select>
      </label>
      <label class="field">
        <span>Project</span>
        <input
          value={typed.namespace}
          placeholder="default"
          onInput={({ currentTarget }) => set({ namespace: currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={typed.extractFacts}
          onChange={({ currentTarget }) => set({ extractFacts: currentTarget.checked })}
        />
        <span>Extract facts from the text</span>
      </label>
    </div>
  )
}

function Outcome({ added }: { readonly added: Answer<'add'> }) {
  const { id, created, nearDuplicates } = added
  return (
    <div class="outcome">
      <p>
        {created ? 'Added as ' : 'This text is already stored: '}
        <a href={recordAddress(id)}>
          <code>{shortId(id)}</code>
        </a>
        .
      </p>
      {nearDuplicates.length > 0 && <NearDuplicates id={id} near={nearDuplicates} />}
    </div>
  )
}
