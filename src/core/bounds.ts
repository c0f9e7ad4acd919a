/** A number stays within its bounds, and what is not a number is the least. */

export function bounded(value: number, least: number, most: number): number {
  return value > least ? Math.min(most, value) : least
}
