/** Every record can be read as a page, with its facts, its links and what it was. */

import type { Cairn } from '../cairn/cairn.js'
import type { WhyAnswer } from '../cairn/history.js'
import type { LinkView } from '../core/record.js'
import { summaryOf } from '../text/summary.js'
import { brief } from './budget.js'
import { minuteOf, round } from './render.js'

const PREFIX = 'cairn://record/'
const LISTED = 20
const MIME = 'text/markdown'

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${PREFIX}{id}`,
  name: 'record',
  title: 'A record',
  description:
    'A record with its facts, links and history. The id may be shortened to 8 characters.',
  mimeType: MIME,
}

/** The latest records. */
export async function listResources(cairn: Cairn) {
  const { records } = await cairn.list({ limit: LISTED })
  return records.map(({ id, title, body, updatedAt, kind }) => ({
    uri: `${PREFIX}${id}`,
    name: id,
    title: summaryOf(title ?? body),
    description: `${kind}, ${minuteOf(updatedAt)}`,
    mimeType: MIME,
    annotations: { lastModified: updatedAt },
  }))
}

/** Null where the address is not one of ours. */
export async function readResource(cairn: Cairn, uri: string) {
  if (!uri.startsWith(PREFIX)) return null
  const answer = await cairn.why(uri.slice(PREFIX.length))
  return { uri, mimeType: MIME, text: pageOf(answer) }
}

export function pageOf({
  record,
  facts,
  links,
  revisions,
  supersededBy,
  session,
}: WhyAnswer): string {
  const about = [
    `${record.kind} in ${record.namespace}, ${minuteOf(record.occurredAt ?? record.createdAt)}`,
    ...(record.tags.length > 0 ? [`tags: ${record.tags.join(', ')}`] : []),
    ...(record.people.length > 0 ? [`people: ${record.people.join(', ')}`] : []),
    ...(record.source === null ? [] : [`source: ${record.source}`]),
    ...(session === null ? [] : [`session: ${session.id}`]),
    ...(record.deletedAt === null ? [] : [`forgotten: ${minuteOf(record.deletedAt)}`]),
    ...(supersededBy === null
      ? []
      : [`superseded by [${supersededBy.id}](${PREFIX}${supersededBy.id})`]),
  ]
  return [
    `# ${brief(record.title ?? summaryOf(record.body), 200)}`,
    about.map((line) => `- ${line}`).join('\n'),
    record.body,
    section(
      'Facts',
      facts.map(
        ({ subject, predicate, object, effectiveConfidence, type }) =>
          `${subject} ${predicate} ${object} (${type}, ${round(effectiveConfidence)})`,
      ),
    ),
    section('Links', links.map(linkLine)),
    section(
      'History',
      revisions.map(
        ({ number, validUntil, endedBy, body }) =>
          `revision ${number}, until ${minuteOf(validUntil)} (${endedBy}): ${brief(body, 200)}`,
      ),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function section(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${name}\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

function linkLine({ direction, type, other, targetRef, note }: LinkView): string {
  const end =
    other === null
      ? (targetRef ?? '')
      : `[${brief(other.title ?? other.summary, 100)}](${PREFIX}${other.id})`
  return `${direction === 'out' ? '→' : '←'} ${type} ${end}${note === null ? '' : ` (${note})`}`
}
