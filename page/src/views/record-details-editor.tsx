/** Edits every detail of a record besides title, text and tags; sends only the changed ones. */

import { useEffect, useId, useRef } from 'preact/hooks'
import { type CairnRecord, SECTORS, TIERS } from '../../../src/core/record.js'
import { type PersonName, WORK_TYPES, type WorkDetails } from '../../../src/core/work.js'
import { type Change, editRecord, undoEdit } from '../api/client.js'
import { RequestFailure } from '../api/request.js'
import { DraftButtons } from '../parts/draft-note.js'
import { onSend } from '../parts/fields.js'
import { useDraft } from '../state/draft.js'
import { attempt, say } from '../state/notices.js'

type Typed = Readonly<Record<string, string>>
type Field = {
  readonly key: string
  readonly name: string
  readonly kind?: 'lines' | 'json' | readonly string[]
}

const RECORD_FIELDS: readonly Field[] = [
  { key: 'people', name: 'People, one a line', kind: 'lines' },
  { key: 'occurredAt', name: 'Date it took place' },
  { key: 'namespace', name: 'Project' },
  { key: 'source', name: 'Source' },
  { key: 'importance', name: 'Importance, 0 to 1' },
  { key: 'tier', name: 'Scope', kind: TIERS },
  { key: 'metadata', name: 'Other data (JSON)', kind: 'json' },
]
const SECTOR: Field = { key: 'sector', name: 'Sector', kind: SECTORS }

const PEOPLE_OF_WORKS: readonly Field[] = [
  { key: 'authors', name: 'Authors, one a line: family, given', kind: 'lines' },
  { key: 'editors', name: 'Editors, one a line', kind: 'lines' },
]

/** Details of a work that are one line of text each. */
const LINES: Readonly<Partial<Record<keyof WorkDetails, string>>> = {
  venue: 'Journal, book or conference',
  year: 'Year',
  published: 'Date of publication',
  volume: 'Volume',
  issue: 'Issue',
  pages: 'Pages',
  publisher: 'Publisher',
  place: 'City',
  series: 'Series',
  edition: 'Edition',
  institution: 'Institution',
  doi: 'DOI',
  arxivId: 'arXiv id',
  openAlexId: 'OpenAlex id',
  isbn: 'ISBN',
  issn: 'ISSN',
  url: 'Link',
  citationKey: 'Citation key',
  language: 'Language',
  note: 'Note',
}

const WORK_FIELDS: readonly Field[] = [
  { key: 'type', name: 'Type', kind: WORK_TYPES },
  ...PEOPLE_OF_WORKS,
  ...Object.entries(LINES).map(([key, name]) => ({ key, name })),
]

/** People and date of a work are its authors and its year. */
function fieldsOf({ kind, work }: CairnRecord): readonly Field[] {
  if (work === null) return kind === 'memory' ? [...RECORD_FIELDS, SECTOR] : RECORD_FIELDS
  const own = RECORD_FIELDS.filter(({ key }) => key !== 'people' && key !== 'occurredAt')
  return [...WORK_FIELDS, ...own]
}

export function DetailsEditor({
  record,
  onDone,
}: {
  readonly record: CairnRecord
  readonly onDone: () => void
}) {
  const stored = toTyped(record)
  const draft = useDraft<Typed>(`details ${record.id}`, stored)
  const typed = draft.value
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])
  const save = (): Promise<void> =>
    attempt(async () => {
      const change = changeOf(stored, typed, record)
      if (Object.keys(change).length > 0) {
        await editRecord(record.id, change)
        say('Saved.', async () => {
          await undoEdit(record.id)
          onDone()
        })
      }
      draft.drop(typed)
      onDone()
    })
  return (
    <form ref={form} class="details-editor" onSubmit={onSend(save)}>
      <h2>Edit the details</h2>
      {fieldsOf(record).map((field) => (
        <FieldInput
          key={field.key}
          field={field}
          value={typed[field.key] ?? ''}
          onChange={(value) => draft.set({ ...typed, [field.key]: value })}
        />
      ))}
      <DraftButtons draft={draft} stored={stored} onCancel={onDone} />
    </form>
  )
}

function FieldInput({
  field: { name, kind },
  value,
  onChange,
}: {
  readonly field: Field
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const isText = kind === 'lines' || kind === 'json'
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {isText ? (
        <textarea
          id={id}
          rows={Math.min(8, value.split('\n').length + 1)}
          dir="auto"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : kind === undefined ? (
        <input
          id={id}
          dir="auto"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {kind.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
    </div>
  )
}

const nameLine = ({ family, given }: PersonName): string =>
  given === null ? family : `${family}, ${given}`

function toTyped(record: CairnRecord): Typed {
  const { work } = record
  const print = (value: unknown): string => (value == null ? '' : String(value))
  const own = {
    ...Object.fromEntries(
      (['occurredAt', 'namespace', 'source', 'importance', 'tier', 'sector'] as const).map(
        (key) => [key, print(record[key])],
      ),
    ),
    people: record.people.join('\n'),
    metadata: JSON.stringify(record.metadata, null, 1),
  }
  if (work === null) return own
  return {
    ...own,
    ...Object.fromEntries(
      Object.keys({ type: '', ...LINES }).map((key) => [
        key,
        print(work[key as keyof WorkDetails]),
      ]),
    ),
    authors: work.authors.map(nameLine).join('\n'),
    editors: work.editors.map(nameLine).join('\n'),
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A name as it is stored stays so; the server takes others apart. */
function toPeople(text: string, stored: readonly PersonName[]): (PersonName | string)[] {
  return linesOf(text).map((line) => stored.find((one) => nameLine(one) === line) ?? line)
}

function toValue(key: string, text: string, { work }: CairnRecord): unknown {
  const trimmed = text.trim()
  switch (key) {
    case 'people':
      return linesOf(text)
    case 'authors':
    case 'editors':
      return toPeople(text, work?.[key] ?? [])
    case 'metadata':
      return parseMetadata(trimmed === '' ? '{}' : trimmed)
    case 'importance':
    case 'year':
      return trimmed === '' ? null : Number(trimmed)
    default:
      return trimmed === '' ? null : trimmed
  }
}

function parseMetadata(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestFailure(
      'bad_input',
      'The other data is not JSON.',
      'It looks like {"status": "active"}.',
    )
  }
}

function changeOf(stored: Typed, typed: Typed, record: CairnRecord): Change {
  const changed = fieldsOf(record).filter(({ key }) => typed[key] !== stored[key])
  const entries = changed.map(({ key }) => [key, toValue(key, typed[key] ?? '', record)] as const)
  const isOfWork = (key: string): boolean => WORK_FIELDS.some((field) => field.key === key)
  const work = entries.filter(([key]) => record.work !== null && isOfWork(key))
  const own = entries.filter((entry) => !work.includes(entry))
  return {
    ...Object.fromEntries(own),
    ...(work.length > 0 && { work: Object.fromEntries(work) }),
  }
}
