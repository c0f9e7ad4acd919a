/** What can be done to a memory: reinforce it, let it fade, correct it, replace it, link it. */

import { useState } from 'preact/hooks'
import type { CairnRecord } from '../../../src/core/record.js'
import { addRecord, deemphasize, link, reinforce, supersede, unlink } from '../api/client.js'
import { Button } from '../parts/button.js'
import { DraftButtons } from '../parts/draft-note.js'
import { onSend, SelectField } from '../parts/fields.js'
import { Icon } from '../parts/icon.js'
import { Menu, MenuList } from '../parts/menu.js'
import { RecordChooser } from '../parts/record-chooser.js'
import { recordAddress } from '../state/addresses.js'
import { useDraft } from '../state/draft.js'
import { attempt, say } from '../state/notices.js'
import { go } from '../state/router.js'

type Parts = { readonly record: CairnRecord; readonly onChange: () => void }
type Doing = 'correct' | 'replace' | 'link'

export function RecordActions({ record, onChange }: Parts) {
  const [doing, setDoing] = useState<Doing | null>(null)
  const isCurrent = record.supersededAt === null
  const strengthen = (act: typeof reinforce, done: string): Promise<void> =>
    attempt(async () => {
      await act(record.id)
      say(done)
      onChange()
    })
  const items: readonly (readonly [name: string, act: () => unknown])[] = [
    ...(record.kind === 'memory'
      ? ([
          ['Reinforce: it matters', () => strengthen(reinforce, 'Reinforced.')],
          ['Let it fade: it matters less', () => strengthen(deemphasize, 'It counts less now.')],
        ] as const)
      : []),
    ...(isCurrent
      ? ([
          ['Correct it with a new text', () => setDoing('correct')],
          ['Replace it by another record', () => setDoing('replace')],
        ] as const)
      : []),
    ['Link it to another record', () => setDoing('link')],
  ]
  const close = (): void => setDoing(null)
  return (
    <>
      <Menu name="More" icon="plus">
        {(closeMenu) => (
          <MenuList
            items={items.map(([name, act]) => [
              name,
              () => {
                closeMenu()
                return act()
              },
            ])}
          />
        )}
      </Menu>
      {doing === 'correct' && <Correct record={record} close={close} />}
      {doing === 'replace' && <Replace record={record} onChange={onChange} close={close} />}
      {doing === 'link' && <LinkForm record={record} onChange={onChange} close={close} />}
    </>
  )
}

/** The new text is a record of its own that supersedes this one: both stay, and the old one says so. */
function Correct({ record, close }: { readonly record: CairnRecord; readonly close: () => void }) {
  const draft = useDraft(`correct ${record.id}`, record.body)
  const save = (): Promise<void> =>
    attempt(async () => {
      const { kind, namespace, title, tags, people } = record
      const added = await addRecord({
        ...{ body: draft.value, kind, namespace, title, tags: [...tags], people: [...people] },
      })
      await supersede(record.id, added.id)
      draft.drop(record.body)
      say('Corrected. The earlier record is marked as superseded.')
      go(recordAddress(added.id))
    })
  return (
    <form class="record-form" onSubmit={onSend(save)}>
      <label class="field">
        <span>The corrected text</span>
        <textarea
          rows={Math.min(14, draft.value.split('\n').length + 3)}
          dir="auto"
          value={draft.value}
          onInput={({ currentTarget }) => draft.set(currentTarget.value)}
        />
      </label>
      <DraftButtons
        draft={draft}
        stored={record.body}
        save="Save the correction"
        isReady={draft.value.trim() !== '' && draft.value !== record.body}
        onCancel={close}
      />
    </form>
  )
}

function Replace({ record, onChange, close }: Parts & { readonly close: () => void }) {
  const replace = (newer: string): Promise<void> =>
    attempt(async () => {
      await supersede(record.id, newer)
      say('It is now marked as superseded.')
      close()
      onChange()
    })
  return (
    <section class="record-form" aria-label="Replace it by another record">
      <p>Which record is right instead? This one stays, marked as superseded.</p>
      <RecordChooser not={record.id} onChoose={replace} />
      <Button onClick={close}>Cancel</Button>
    </section>
  )
}

/** A work cites through its references, and a correction supersedes: neither is made by hand here. */
const TYPES = {
  RELATED_TO: 'is related to',
  DEPENDS_ON: 'depends on',
  PART_OF: 'is part of',
  CONTRADICTS: 'contradicts',
} as const

function LinkForm({ record, onChange, close }: Parts & { readonly close: () => void }) {
  const [type, setType] = useState<string>('RELATED_TO')
  const make = (to: string): Promise<void> =>
    attempt(async () => {
      await link({ from: record.id, to, type })
      say('Linked.', async () => {
        await unlink({ from: record.id, to, type })
        onChange()
      })
      close()
      onChange()
    })
  return (
    <section class="record-form" aria-label="Link it to another record">
      <SelectField
        name="This record"
        value={type}
        options={Object.entries(TYPES)}
        onChange={setType}
      />
      <RecordChooser not={record.id} onChoose={make} />
      <Button onClick={close}>
        <Icon name="close" size={14} /> Cancel
      </Button>
    </section>
  )
}
