/** Scales and time steps for plots. */

/** The next number at or above whose half is as easy to read: 1, 2, 4, 6, 8, 10, 20, … */
const ROUND = [1, 2, 4, 6, 8, 10]

export function roundUp(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return (ROUND.find((round) => value <= round * power) ?? 10) * power
}

export type Step = 'day' | 'month' | 'year'

/** Every stretch from the first to the last, also those in which nothing happened; the last `most` of them. */
export function stretchesBetween(
  first: string,
  last: string,
  step: Step,
  most: number,
): readonly string[] {
  const all = [last]
  while (all.length < most && (all[0] ?? first) > first) {
    all.unshift(before(all[0] ?? first, step))
  }
  return all
}

/** The stretch before one: `2026-03-01` → `2026-02-28`, `2026-01` → `2025-12`. */
export function before(at: string, step: Step): string {
  const [year = 0, month = 1, day = 1] = at.split('-').map(Number)
  if (step === 'year') return String(year - 1).padStart(4, '0')
  if (step === 'month') {
    const whole = year * 12 + month - 2
    return `${Math.floor(whole / 12)}-${String((whole % 12) + 1).padStart(2, '0')}`
  }
  return new Date(Date.UTC(year, month - 1, day - 1)).toISOString().slice(0, 10)
}
