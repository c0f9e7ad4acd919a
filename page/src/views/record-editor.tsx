/** Edits a record; sends only the changed fields. */

import { useEffect, useRef } from 'preact/hooks'
import type { CairnRecord } from '../../../src/core/record.js'
import { type Change, editRecord, undoEdit } from '../api/client.js'
import { DraftNote } from '../parts/draft-note.js'
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
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <h1 class="visually-hidden">Edit</h1>
      <label class="field">
        <span>Title</span>
        <input
          value={title}
          dir="auto"
          onInput={({ currentTarget }) => set({ title: currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Text</span>
        <textarea
          ref={text}
          value={body}
          dir="auto"
          rows={Math.min(24, Math.max(6, body.split('\n').length + 2))}
          onInput={({ currentTarget }) => set({ body: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
            event.preventDefault()
            void save()
          }}
        />
      </label>
      <div class="field">
        <label for="edit-tags">Tags</label>
        <TagField id="edit-tags" tags={tags} onChange={(next) => set({ tags: next })} />
      </div>
      <div class="actions">
        <button type="submit" class="button button-main">
          Save
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            draft.drop(stored)
            onDone()
          }}
        >
          {isChanged ? 'Discard changes' : 'Cancel'}
        </button>
        <span class="quiet hint">Ctrl + Enter saves. The earlier text stays in the history.</span>
      </div>
      <DraftNote draft={draft} />
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
