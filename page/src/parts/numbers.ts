/** Formats numbers and counts. */

const plain = new Intl.NumberFormat('en-GB')
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => plain.format(value)
export const shortCount = (value: number): string =>
  value < 10_000 ? plain.format(value) : compact.format(value)

/** "1 record", "25 records", "no records" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${value === 0 ? 'no' : count(value)} ${value === 1 ? one : many}`

export const percent = (share: number): string => `${Math.round(share * 100)} %`

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

export function bytes(value: number): string {
  let size = value
  let unit = 0
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000
    unit++
  }
  return `${size >= 100 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`
}

export const milliseconds = (value: number): string =>
  value < 1
    ? 'under 1 ms'
    : value < 1000
      ? `${Math.round(value)} ms`
      : `${(value / 1000).toFixed(1)} s`
