/** Cuts the first hundred characters of a text, with runs of white space as one space. */

export const SUMMARY_CHARACTERS = 100

export function summaryOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  // Characters outside the basic plane take two places each and are not cut in half.
  const beginning = [...line.slice(0, 2 * SUMMARY_CHARACTERS)].slice(0, SUMMARY_CHARACTERS)
  return beginning.join('').trimEnd()
}
