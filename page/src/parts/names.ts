/** A display name for records without a title, and short ids. */

const NAME_CHARS = 90
const SHORT_ID = 14

export function nameOf({ title, body }: { title: string | null; body: string }): string {
  return title ?? firstLine(body)
}

export function firstLine(text: string): string {
  const [written = ''] = text.trimStart().split('\n', 1)
  const line = written.replace(/^(?:#{1,6}|>|[-*+])[ \t]+|\*\*|`/g, '').trim()
  return line.length <= NAME_CHARS ? line || 'Untitled' : `${line.slice(0, NAME_CHARS).trimEnd()}…`
}

/** What stands below a title: the beginning of the text, without the title where the text repeats it. */
export function detailOf({ title, body }: { title: string | null; body: string }): string | null {
  if (title === null) return null
  const heading = /^#*\s*(.*?)\s*$/
  const line = body.split('\n').find((one) => {
    const text = heading.exec(one)?.[1] ?? ''
    return text !== '' && text !== title
  })
  return line === undefined ? null : firstLine(line)
}

/** A summary is cut after so many characters, also within a word: that word is left out. */
const SUMMARY_CHARS = 100

export function wholeWords(summary: string): string {
  if (summary.length < SUMMARY_CHARS - 1 || /[.!?…]$/.test(summary)) return summary
  return `${summary.replace(/\s+\S*$/, '')}…`
}

export const shortId = (id: string): string => id.slice(0, SHORT_ID)

export const KIND_NAMES = { memory: 'Memory', document: 'Document', work: 'Work' } as const

/** `DEPENDS_ON` → "depends on" */
export const readable = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

export const STYLE_NAMES = {
  plain: 'Plain text',
  bibtex: 'BibTeX',
  apa: 'APA',
  ieee: 'IEEE',
  chicago: 'Chicago',
  mla: 'MLA',
  vancouver: 'Vancouver',
  harvard: 'Harvard',
} as const

/** What a format is called, and how its files end. */
export const FORMAT_NAMES = {
  bibtex: ['BibTeX', 'bib'],
  ris: ['RIS', 'ris'],
  csl: ['CSL-JSON', 'json'],
  markdown: ['Markdown', 'md'],
  csv: ['a table (CSV)', 'csv'],
} as const
