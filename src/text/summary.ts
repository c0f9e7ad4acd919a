/** Cuts the beginning of a text into one line, as a summary or a title. */

export const SUMMARY_CHARACTERS = 100

export function summaryOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  // Characters outside the basic plane are two UTF-16 units and must not be cut in half.
  const beginning = [...line.slice(0, 2 * SUMMARY_CHARACTERS)].slice(0, SUMMARY_CHARACTERS)
  return beginning.join('').trimEnd()
}

const TITLE_CHARACTERS = 60

/** Makes a title from the first words of a text. */
export function firstWords(text: string): string {
  const line = summaryOf(text)
  if (line.length <= TITLE_CHARACTERS) return line
  const space = line.lastIndexOf(' ', TITLE_CHARACTERS - 1)
  const cut = space > 0 ? line.slice(0, space) : [...line].slice(0, TITLE_CHARACTERS - 1).join('')
  return `${cut.replace(/[\s,;:–—-]+$/, '')}…`
}
