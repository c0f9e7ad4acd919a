/** One record, with edit, delete and undo. */

import { useState } from 'preact/hooks'
import type { CairnRecord } from '../../../src/core/record.js'
import {
  type Answer,
  deleteRecord,
  findMatches,
  readHistory,
  restoreRecord,
  whyRecord,
} from '../api/client.js'
import { RequestFailure } from '../api/request.js'
import { Button } from '../parts/button.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { shortMoment, wholeMoment } from '../parts/moments.js'
import { firstLine, nameOf } from '../parts/names.js'
import { Reader } from '../parts/reader.js'
import { KindMark, People, RecordDay, SessionLink, Tags } from '../parts/record-bits.js'
import { Nothing, Trouble, Waiting } from '../parts/states.js'
import { useTitle } from '../parts/view.js'
import { graphAddress, recordAddress } from '../state/addresses.js'
import { dropDraft, readDraft } from '../state/draft.js'
import { rememberOpened } from '../state/hit-keys.js'
import { useKeys } from '../state/keys.js'
import { type Loaded, useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'
import { go, goBack, here } from '../state/router.js'
import { RecordActions } from './record-actions.js'
import { RecordAside } from './record-aside.js'
import { editDraftKey, RecordEditor } from './record-editor.js'
import { HistorySection, SimilarSection, TimelineSection } from './record-sections.js'

type Why = Answer<'why'>
type Seen = { readonly why: Why } | { readonly deleted: CairnRecord }

export function RecordView({ id }: { readonly id: string }) {
  const record = useLoad<Seen>(`record ${id}`, (signal) => read(id, signal))
  const query = here.value.params.get('q') ?? ''
  const matches = useLoad(`matches ${id} ${query}`, async (signal) =>
    query === '' ? NO_MATCHES : await findMatches(query, id, signal),
  )
  const reload = (): void => {
    record.reload()
    matches.reload()
  }
  const loaded = { ...record, reload }
  const { data, failure, isSlow } = loaded
  rememberOpened(id)
  if (data === null) {
    if (failure !== null) return <Missing failure={failure} retry={reload} />
    return isSlow ? (
      <div class="narrow">
        <Waiting lines={8} />
      </div>
    ) : null
  }
  if ('deleted' in data) return <Deleted record={data.deleted} reload={reload} />
  return <Whole why={data.why} loaded={loaded} matches={matches.data ?? NO_MATCHES} />
}

/** A deleted record is not found by anything; its history still knows it. */
async function read(id: string, signal: AbortSignal): Promise<Seen> {
  try {
    const why = await whyRecord(id, signal)
    return why.record.deletedAt === null ? { why } : { deleted: why.record }
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.code !== 'not_found') throw error
    const { record } = await readHistory(id, signal)
    if (record.deletedAt === null) throw error
    return { deleted: record }
  }
}

function Missing({
  failure,
  retry,
}: {
  readonly failure: RequestFailure
  readonly retry: () => void
}) {
  useTitle('No record')
  const isLost = failure.code === 'not_found'
  return (
    <div class="narrow">
      <h1 class="visually-hidden">Record</h1>
      <Trouble failure={failure} retry={isLost ? null : retry} />
    </div>
  )
}

function Deleted({
  record,
  reload,
}: {
  readonly record: CairnRecord
  readonly reload: () => void
}) {
  useTitle('Deleted')
  const restore = (): Promise<void> =>
    attempt(async () => {
      await restoreRecord(record.id)
      say('Restored.')
      reload()
    })
  return (
    <div class="narrow">
      <h1 class="visually-hidden">A deleted record</h1>
      <Nothing title="This record was deleted.">
        <p class="quiet">
          <Marked text={nameOf(record)} />
        </p>
        <Button class="button-main" onClick={restore}>
          Restore it
        </Button>
      </Nothing>
    </div>
  )
}

const NO_MATCHES: readonly string[] = []

function Whole({
  why,
  loaded,
  matches,
}: {
  readonly why: Why
  readonly loaded: Loaded<Seen>
  readonly matches: readonly string[]
}) {
  const { record } = why
  // Where the passage begins that a search found.
  const found = here.value.params.get('at')
  const at = found === null ? null : Number(found) || 0
  const { failure, reload } = loaded
  const [isEditing, setEditing] = useState(false)
  const canEdit = record.supersededAt === null
  useTitle(nameOf(record))
  useKeys((event) => {
    if (event.key !== 'e') return
    event.preventDefault()
    if (canEdit) setEditing(true)
  })
  return (
    <div class="record-view">
      <article class="record">
        {failure !== null && <Trouble failure={failure} retry={reload} />}
        {isEditing ? (
          <RecordEditor
            record={record}
            onDone={() => {
              setEditing(false)
              reload()
            }}
          />
        ) : (
          <>
            <Heading why={why} onEdit={canEdit ? () => setEditing(true) : null} onChange={reload} />
            <KeptDraft id={record.id} onContinue={canEdit ? () => setEditing(true) : null} />
            <Superseded why={why} />
            {record.body === '' ? (
              <p class="quiet">This record has no text.</p>
            ) : (
              <Reader record={record} links={why.links} at={at} matches={matches} />
            )}
            <Tags tags={record.tags} />
          </>
        )}
        <HistorySection record={record} revisions={why.revisions} onChange={reload} />
        <TimelineSection record={record} />
        <SimilarSection id={record.id} />
      </article>
      <RecordAside why={why} onChange={reload} />
    </div>
  )
}

function Heading({
  why: { record, session },
  onEdit,
  onChange,
}: {
  readonly why: Why
  readonly onEdit: (() => void) | null
  readonly onChange: () => void
}) {
  return (
    <header class="record-head">
      <div class="record-kind">
        <KindMark kind={record.kind} />
        <RecordDay record={record} />
        <bdi class="namespace">{record.namespace}</bdi>
        {record.sessionId !== null && (
          <SessionLink id={record.sessionId} title={session?.title ?? null} />
        )}
      </div>
      <h1 dir="auto">
        <Marked text={nameOf(record)} />
      </h1>
      <People kind={record.kind} people={record.people} />
      <div class="actions">
        {onEdit !== null && (
          <Button onClick={onEdit}>
            <Icon name="edit" size={16} /> Edit
          </Button>
        )}
        {record.kind === 'work' && (
          <a class="button" href={graphAddress(record.id)}>
            <Icon name="graph" size={16} /> Graph
          </a>
        )}
        <Button class="button-quiet" onClick={() => remove(record)}>
          <Icon name="trash" size={16} /> Delete
        </Button>
        <RecordActions record={record} onChange={onChange} />
      </div>
    </header>
  )
}

/** A draft that was not saved, offered again. */
function KeptDraft({
  id,
  onContinue,
}: {
  readonly id: string
  readonly onContinue: (() => void) | null
}) {
  const key = editDraftKey(id)
  const [kept, setKept] = useState(() => readDraft(key))
  if (kept === null || onContinue === null) return null
  return (
    <div class="note-banner draft-banner" role="status">
      <p>Unsaved changes from {shortMoment(kept.at)} are kept in this browser.</p>
      <div class="actions">
        <Button class="button-small" onClick={onContinue}>
          Continue editing
        </Button>
        <Button
          class="button-small"
          onClick={() => {
            dropDraft(key)
            setKept(null)
          }}
        >
          Discard changes
        </Button>
      </div>
    </div>
  )
}

function remove(record: CairnRecord): Promise<void> {
  return attempt(async () => {
    const { id } = record
    await deleteRecord(id)
    rememberOpened(null)
    goBack()
    const restore = async (): Promise<void> => {
      await restoreRecord(id)
      go(recordAddress(id))
    }
    say(`Deleted: ${nameOf(record)}`, restore, { stays: true })
  })
}

function Superseded({ why: { record, supersededBy } }: { readonly why: Why }) {
  if (record.supersededAt === null) return null
  return (
    <p class="superseded superseded-banner">
      <span class="label label-superseded">superseded</span> on {wholeMoment(record.supersededAt)}
      {supersededBy !== null && (
        <>
          {' by '}
          <a href={recordAddress(supersededBy.id)}>
            <Marked text={firstLine(supersededBy.text)} />
          </a>
        </>
      )}
    </p>
  )
}
