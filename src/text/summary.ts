/** Cuts the beginning of a text, with runs of white space as one space. */

export const SUMMARY_CHARACTERS = 100

export function summaryOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  // Characters outside the basic plane take two places each and are not cut in half.
  const beginning = [...line.slice(0, 2 * SUMMARY_CHARACTERS)].slice(0, SUMMARY_CHARACTERS)
  return beginning.join('').trimEnd()
}

const TITLE_CHARACTERS = 60

/** A title for a text that has none: its first words. */
export function firstWords(text: string): string {
  const line = summaryOf(text)
  if (line.length <= TITLE_CHARACTERS) return line
  const space = line.lastIndexOf(' ', TITLE_CHARACTERS - 1)
  const cut = space > 0 ? line.slice(0, space) : [...line].slice(0, TITLE_CHARACTERS - 1).join('')
  return `${cut.replace(/[\s,;:–—-]+$/, '')}…`
}
