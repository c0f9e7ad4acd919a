/** Kind, tags, day and session of a record, the same everywhere. */

import type { Kind } from '../../../src/core/record.js'
import { addressOf, sessionAddress } from '../state/addresses.js'
import { tagAddress } from '../state/search-address.js'
import { Icon } from './icon.js'
import { Marked } from './marked.js'
import { shortDay, wholeMoment } from './moments.js'
import { KIND_NAMES } from './names.js'

export function KindMark({ kind }: { readonly kind: Kind }) {
  return (
    <span class="kind">
      <Icon name={kind} size={15} />
      {KIND_NAMES[kind]}
    </span>
  )
}

export function Day({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={wholeMoment(iso)}>
      {shortDay(iso)}
    </time>
  )
}

/** A work is dated by its year alone: rarely is the day known. */
export function RecordDay({
  record,
}: {
  readonly record: {
    readonly kind: Kind
    readonly occurredAt: string | null
    readonly createdAt: string
    readonly work?: { readonly year: number | null } | null
  }
}) {
  const { occurredAt, createdAt, work } = record
  if (work?.year != null) return <span>{work.year}</span>
  return <Day iso={occurredAt ?? createdAt} />
}

export function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul class="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <a class="tag" href={tagAddress(tag)}>
            <bdi>{tag}</bdi>
          </a>
        </li>
      ))}
    </ul>
  )
}

export function SessionLink({
  id,
  title = null,
}: {
  readonly id: string
  readonly title?: string | null
}) {
  return (
    <a class="session-link" href={sessionAddress(id)}>
      <Icon name="sessions" size={14} />
      <bdi>{title ?? id}</bdi>
    </a>
  )
}

/** Each leads to what is by that person: authors to their works, others to what they said. */
export function People({
  kind,
  people,
}: {
  readonly kind: Kind
  readonly people: readonly string[]
}) {
  if (people.length === 0) return null
  const key = kind === 'work' ? 'author' : 'person'
  return (
    <ul class="people names" aria-label={kind === 'work' ? 'Authors' : 'People'}>
      {people.map((name) => (
        <li key={name}>
          <a href={addressOf('/', { [key]: name })} dir="auto">
            <Marked text={name} />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** A record in one or two lines, wherever records are listed. */
export function RecordLine({
  address,
  kind,
  name,
  detail,
  aside,
}: {
  readonly address: string
  readonly kind?: Kind
  readonly name: string
  readonly detail?: string | null
  readonly aside?: string | null
}) {
  return (
    <a class="record-line" href={address}>
      {kind !== undefined && <Icon name={kind} size={16} />}
      <span class="record-line-text">
        <span class="record-line-name">
          <Marked text={name} />
        </span>
        {detail != null && detail !== '' && (
          <span class="record-line-detail">
            <Marked text={detail} />
          </span>
        )}
      </span>
      {aside != null && <span class="record-line-aside">{aside}</span>}
    </a>
  )
}

/** The token that did it; nothing where it was done without one. */
export function By({ author }: { readonly author: string | null }) {
  if (author === null) return null
  return (
    <>
      {' '}
      by <bdi>{author}</bdi>
    </>
  )
}
