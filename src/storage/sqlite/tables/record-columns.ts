/** What a record is in the table: its columns, its indexed form and the hash of what it says. */

import { hash as hashText } from 'node:crypto'
import { quoted } from '../../../core/json-text.js'
import type { CairnRecord, NewRecord } from '../../../core/record.js'
import { segment } from '../../../text/segment.js'
import { tagToken } from '../tag-token.js'

export function columnsOf(record: NewRecord) {
  return {
    kind: record.kind,
    namespace: record.namespace,
    title: record.title,
    body: record.body,
    tags: listText(record.tags),
    people: listText(record.people),
    source: record.source,
    metadata: JSON.stringify(record.metadata),
    importance: record.importance,
    sector: record.sector,
    tier: record.tier,
    occurredAt: record.occurredAtMs,
  }
}

/** Most lists are empty. */
function listText(list: readonly string[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list)
}

type Texts = Pick<CairnRecord, 'title' | 'body' | 'tags' | 'people'>

/** Null where what is shown can be indexed as it is. */
export function indexedFormOf({ title, body, tags, people }: Texts) {
  return {
    titleIx: title === null ? null : (segment(title)?.text ?? null),
    bodyIx: segment(body)?.text ?? null,
    tagsIx: tags.length === 0 ? null : tags.map(indexedTag).join(' ; '),
    peopleIx: people.length === 0 ? null : (segment(people.join(' ; '))?.text ?? null),
  }
}

const KEPT_TAGS = 1000
const keptTags = new Map<string, string>()

/** Many records have the same few tags, so the last ones are kept. */
function indexedTag(tag: string): string {
  const known = keptTags.get(tag)
  if (known !== undefined) return known
  const made = `${segment(tag)?.text ?? tag} ${tagToken(tag)}`
  if (keptTags.size >= KEPT_TAGS) keptTags.clear()
  keptTags.set(tag, made)
  return made
}

type Content = Pick<NewRecord, 'kind' | 'title' | 'body' | 'sessionId' | 'occurredAtMs'>

/**
 * What makes two records the same: their kind and text, not who keeps them or when. In a conversation the place
 * counts as well: "ok" said twice is two turns.
 */
export function hashContent({ kind, title, body, sessionId, occurredAtMs }: Content): string {
  const place =
    sessionId === null ? '' : `,${JSON.stringify([sessionId, occurredAtMs]).slice(1, -1)}`
  const texts = `${title === null ? 'null' : quoted(title)},${quoted(body)}`
  return hashText('sha256', `["${kind}",${texts}${place}]`, 'hex')
}
