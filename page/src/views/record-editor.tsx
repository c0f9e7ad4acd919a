/** Edits a record; sends only the changed fields. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { CairnRecord } from '../../../src/core/record.js'
import { type Change, editRecord, undoEdit } from '../api/client.js'
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
  const [title, setTitle] = useState(record.title ?? '')
  const [body, setBody] = useState(record.body)
  const [tags, setTags] = useState(record.tags)
  const text = useRef<HTMLTextAreaElement>(null)
  useEffect(() => text.current?.focus(), [])
  const change = changeOf(record, { title, body, tags })
  const isChanged = Object.keys(change).length > 0
  useDraft(isChanged)
  const save = (): Promise<void> =>
    attempt(async () => {
      if (isChanged) {
        await editRecord(record.id, change)
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
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>Text</span>
        <textarea
          ref={text}
          value={body}
          dir="auto"
          rows={Math.min(24, Math.max(6, body.split('\n').length + 2))}
          onInput={({ currentTarget }) => setBody(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
            event.preventDefault()
            void save()
          }}
        />
      </label>
      <div class="field">
        <label for="edit-tags">Tags</label>
        <TagField id="edit-tags" tags={tags} onChange={setTags} />
      </div>
      <div class="actions">
        <button type="submit" class="button button-main">
          Save
        </button>
        <button type="button" class="button" onClick={onDone}>
          Cancel
        </button>
        <span class="quiet hint">Ctrl + Enter saves. The earlier text stays in the history.</span>
      </div>
    </form>
  )
}

type Draft = { readonly title: string; readonly body: string; readonly tags: readonly string[] }

function changeOf(record: CairnRecord, { title, body, tags }: Draft): Change {
  const newTitle = title.trim() === '' ? null : title
  return {
    ...(newTitle !== record.title && { title: newTitle }),
    ...(body !== record.body && { body }),
    ...(tags.join('\n') !== record.tags.join('\n') && { tags: [...tags] }),
  }
}
