/** Promise: a record without a title still has a name, and an id is as short as a person needs. */

const NAME_CHARS = 90
const SHORT_ID = 14

export function nameOf({ title, body }: { title: string | null; body: string }): string {
  return title ?? firstLine(body)
}

export function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? ''
  return line.length <= NAME_CHARS ? line || 'Untitled' : `${line.slice(0, NAME_CHARS).trimEnd()}…`
}

export const shortId = (id: string): string => id.slice(0, SHORT_ID)

export const KIND_NAMES = { memory: 'Memory', document: 'Document', work: 'Work' } as const

/** `DEPENDS_ON` → "depends on" */
export const readable = (name: string): string => name.toLowerCase().replaceAll('_', ' ')
