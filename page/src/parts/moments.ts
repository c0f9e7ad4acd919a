/** Formats times in the user's time zone. */

const DAY_MS = 86_400_000

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', options)

const dayOfThisYear = format({ day: 'numeric', month: 'short' })
const dayOfAnyYear = format({ day: 'numeric', month: 'short', year: 'numeric' })
const weekday = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const clock = format({ hour: '2-digit', minute: '2-digit' })
const whole = format({ dateStyle: 'long', timeStyle: 'short' })

/** "Today", "Yesterday", "23 Jul", "23 Jul 2024" */
export function shortDay(iso: string, nowMs = Date.now()): string {
  const moment = new Date(iso)
  const now = new Date(nowMs)
  if (moment.toDateString() === now.toDateString()) return 'Today'
  if (moment.toDateString() === new Date(nowMs - DAY_MS).toDateString()) return 'Yesterday'
  const isThisYear = moment.getFullYear() === now.getFullYear()
  return (isThisYear ? dayOfThisYear : dayOfAnyYear).format(moment)
}

/** "today, 14:03", "23 Jul, 09:30" */
export const shortMoment = (iso: string): string =>
  `${shortDay(iso).replace(/^[TY]/, (letter) => letter.toLowerCase())}, ${clockOf(iso)}`

export const longDay = (iso: string): string => weekday.format(new Date(iso))
export const clockOf = (iso: string): string => clock.format(new Date(iso))
export const wholeMoment = (iso: string): string => whole.format(new Date(iso))

/** The same for all moments of one day here. */
export const dayKey = (iso: string): string => new Date(iso).toDateString()

const month = format({ month: 'long', year: 'numeric', timeZone: 'UTC' })
/** `2026-06` → "June 2026" */
export const monthName = (value: string): string => month.format(new Date(`${value}-01T00:00:00Z`))
