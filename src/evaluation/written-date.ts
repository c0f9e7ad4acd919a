/** The dates that collections write in many ways are read where they can be, and nothing is guessed. */

/** `1:56 pm on 8 May, 2023`, as chats write it. */
const TIME_FIRST = /^(\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?)\s+on\s+(.+)$/i
const HAS_ZONE = /(?:z|[+-]\d{2}:?\d{2}|gmt|utc)$/i
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/

/** Milliseconds; a date without a zone is in UTC, so that a set gives the same figures everywhere. Null: it cannot be read. */
export function readWrittenDate(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const text = value.trim()
  const [, time, day] = TIME_FIRST.exec(text) ?? []
  const inOrder = time === undefined ? text : `${day} ${time}`
  if (!/\d{4}/.test(inOrder)) return null
  const zoned = HAS_ZONE.test(inOrder) || ISO_DAY.test(inOrder) ? inOrder : inZone(inOrder)
  const ms = Date.parse(zoned)
  return Number.isNaN(ms) ? null : ms
}

function inZone(text: string): string {
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : `${text} UTC`
}
