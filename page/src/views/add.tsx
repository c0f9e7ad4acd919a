/** Add a record by hand, or import files. */

import { useState } from 'preact/hooks'
import { type Answer, addRecord } from '../api/client.js'
import { type RequestFailure, toFailure } from '../api/request.js'
import { Button } from '../parts/button.js'
import { DraftNote } from '../parts/draft-note.js'
import { CheckField, onCtrlEnter, onSend, SelectField, TextField } from '../parts/fields.js'
import { KIND_NAMES, shortId } from '../parts/names.js'
import { NearDuplicates } from '../parts/near-duplicates.js'
import { Trouble } from '../parts/states.js'
import { TagField } from '../parts/tag-field.js'
import { View } from '../parts/view.js'
import { recordAddress } from '../state/addresses.js'
import { useDraft } from '../state/draft.js'
import { ownProject } from '../state/remembered.js'
import { ImportPanel } from './import.js'

export function AddView() {
  return (
    <View title="Add" class="narrow add-view">
      <AddForm />
      <ImportPanel />
    </View>
  )
}

/** Works come with a bibliography. */
const KINDS = ['memory', 'document'] as const
type Typed = {
  readonly body: string
  readonly title: string
  readonly kind: (typeof KINDS)[number]
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
    <form class="card" onSubmit={onSend(save)}>
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
          onKeyDown={onCtrlEnter(() => !isBlank && save())}
        />
      </label>
      <Options typed={draft.value} set={set} />
      {failure !== null && <Trouble failure={failure} retry={null} />}
      <div class="actions">
        <button type="submit" class="button button-main" disabled={isBlank}>
          Add
        </button>
        {draft.state !== 'untouched' && <Button onClick={() => draft.drop(EMPTY)}>Discard</Button>}
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
      <TextField name="Title" value={typed.title} dir="auto" onChange={(title) => set({ title })} />
      <div class="field">
        <label for="add-tags">Tags</label>
        <TagField id="add-tags" tags={typed.tags} onChange={(tags) => set({ tags })} />
      </div>
      <SelectField
        name="Kind"
        class="field"
        value={typed.kind}
        options={KINDS.map((kind) => [kind, KIND_NAMES[kind]])}
        onChange={(kind) => set({ kind })}
      />
      <TextField
        name="Project"
        value={typed.namespace}
        placeholder="default"
        onChange={(namespace) => set({ namespace })}
      />
      <CheckField
        name="Extract facts from the text"
        value={typed.extractFacts}
        onChange={(extractFacts) => set({ extractFacts })}
      />
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
