/** Describes how a person recognizes a record, and where in its file a passage is. */

import type { Identity, Range } from '../core/answer.js'
import { findPath } from '../core/full-text.js'
import type { CairnRecord, SessionBrief } from '../core/record.js'
import { toPlainText } from '../text/plain-text.js'

/** Matches code blocks too, because their comments may look like headings. A long line is read once. */
const HEADING_OR_CODE =
  /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^`\n]*\n(?:[\s\S]*?^ {0,3}\1[`~]*[ \t]*$|[\s\S]*)|^ {0,3}#{1,6}[ \t]+(?<heading>.{0,500})/gm
/** How many characters before a passage are searched for its heading. */
const MAX_LOOK_BACK = 100_000

/** `at` holds the offsets of the snippet and of its first match in the body. */
export function identify(
  record: CairnRecord,
  session: SessionBrief | null,
  at: { readonly start: number; readonly match: number },
): Identity {
  const { kind, work, people, metadata, sessionId } = record
  if (kind === 'work') {
    const { venue = null, year = null, citationKey: key = null, doi = null } = work ?? {}
    return dropNulls({ authors: people, venue, year, key, doi, path: findPath(metadata, at.match) })
  }
  if (typeof metadata.path === 'string') {
    return dropNulls({ path: metadata.path, ...findPosition(record, at.start) })
  }
  if (sessionId === null && !record.source?.startsWith('mid:')) return {}
  return dropNulls({ speaker: people[0] ?? null, conversation: session?.title ?? null })
}

/** The line of an offset in the file, which may begin with front matter, and the last heading before it. */
export function findPosition({ body, metadata }: CairnRecord, at: number) {
  let line = typeof metadata.bodyLine === 'number' ? metadata.bodyLine : 1
  for (let end = body.indexOf('\n'); end >= 0 && end < at; end = body.indexOf('\n', end + 1)) line++
  const before = body.slice(Math.max(0, at - MAX_LOOK_BACK), findLineEnd(body, at))
  const found = [...before.matchAll(HEADING_OR_CODE)].flatMap(({ groups }) => groups?.heading ?? [])
  const heading = found.at(-1)?.replace(/[ \t#]+$/, '') ?? ''
  return { line, heading: toPlainText(heading).text || null }
}

/** Includes the line of the passage, because it may begin with its heading. */
function findLineEnd(body: string, at: number): number {
  const end = body.indexOf('\n', at)
  return end < 0 ? body.length : end
}

function dropNulls(identity: Readonly<Record<keyof Identity | string, unknown>>): Identity {
  return Object.fromEntries(Object.entries(identity).filter(([, value]) => value !== null))
}

/** From the first to the last match in a passage; the whole passage if it has none. */
export function findMatchedRange(passage: Range, matches: readonly Range[]): Range {
  const inside = matches.filter(({ start, end }) => start < passage.end && end > passage.start)
  return { start: inside[0]?.start ?? passage.start, end: inside.at(-1)?.end ?? passage.end }
}
