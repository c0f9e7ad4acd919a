/** Edits a record; sends only the changed fields. */

import { useEffect, useRef } from 'preact/hooks'
import type { CairnRecord } from '../../../src/core/record.js'
import { type Change, editRecord, undoEdit } from '../api/client.js'
import { DraftButtons } from '../parts/draft-note.js'
import { onCtrlEnter, onSend, TextField } from '../parts/fields.js'
import { TagField } from '../parts/tag-field.js'
import { useDraft } from '../state/draft.js'
import { attempt, say } from '../state/notices.js'

export function RecordEditor({
  record,
  onDone,
}: {
  readonly record: CairnRecord
  readonly onDone: () => void
}) {
  const { revision, tags: storedTags } = record
  const stored = { title: record.title ?? '', body: record.body, tags: storedTags, revision }
  const draft = useDraft<EditDraft>(editDraftKey(record.id), stored)
  const { title, body, tags } = draft.value
  const set = (part: Partial<EditDraft>): void => draft.set({ ...draft.value, ...part })
  const text = useRef<HTMLTextAreaElement>(null)
  useEffect(() => text.current?.focus(), [])
  const change = changeOf(record, draft.value)
  const isChanged = Object.keys(change).length > 0
  const save = (): Promise<void> =>
    attempt(async () => {
      if (isChanged) {
        await editRecord(record.id, change)
        draft.drop(draft.value)
        say('Saved.', async () => {
          await undoEdit(record.id)
          onDone()
          say('Edit undone.')
        })
      }
      onDone()
    })
  return (
    <form class="editor" onSubmit={onSend(save)}>
      <h1 class="visually-hidden">Edit</h1>
      <TextField name="Title" value={title} dir="auto" onChange={(next) => set({ title: next })} />
      <label class="field">
        <span>Text</span>
        <textarea
          ref={text}
          value={body}
          dir="auto"
          rows={Math.min(24, Math.max(6, body.split('\n').length + 2))}
          onInput={({ currentTarget }) => set({ body: currentTarget.value })}
          onKeyDown={onCtrlEnter(save)}
        />
      </label>
      <div class="field">
        <label for="edit-tags">Tags</label>
        <TagField id="edit-tags" tags={tags} onChange={(next) => set({ tags: next })} />
      </div>
      <DraftButtons
        draft={draft}
        stored={stored}
        cancel={isChanged ? 'Discard changes' : 'Cancel'}
        onCancel={onDone}
      >
        <span class="quiet hint">Ctrl + Enter saves. The earlier text stays in the history.</span>
      </DraftButtons>
      {draft.value.revision !== revision && (
        <p class="note">This record was changed elsewhere since the draft was begun.</p>
      )}
    </form>
  )
}

/** `revision` is the one that it began from. */
type EditDraft = {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly revision: number
}

export const editDraftKey = (id: string): string => `edit ${id}`

function changeOf(record: CairnRecord, { title, body, tags }: EditDraft): Change {
  const newTitle = title.trim() === '' ? null : title
  return {
    ...(newTitle !== record.title && { title: newTitle }),
    ...(body !== record.body && { body }),
    ...(tags.join('\n') !== record.tags.join('\n') && { tags: [...tags] }),
  }
}
