/** What a PDF gives has one shape, in which every character belongs to its page. */

export type PdfPage = {
  /** Counted from 1. */
  readonly page: number
  /** What the document itself calls the page, such as `iv` or `A-3`; null where it says nothing. */
  readonly label: string | null
  /** The text of the page is `text.slice(start, end)`; a page without text ends where it starts. */
  readonly start: number
  readonly end: number
}

export type PdfText = {
  /** Paragraphs with a blank line between them. Between two pages is white space, or nothing within a word. */
  readonly text: string
  readonly pages: readonly PdfPage[]
  readonly title: string | null
  readonly authors: readonly string[]
  /** ISO 8601 in UTC. */
  readonly createdAt: string | null
  /** In lower case, without `https://doi.org/`. */
  readonly doi: string | null
  /** Without its version: `1706.03762`, `cs/0112017`. */
  readonly arxivId: string | null
  /** Pages that are there but could not be read, or not to their end. */
  readonly brokenPages: readonly number[]
}

export type PdfOptions = {
  /** What messages call the file. */
  readonly name: string
  readonly password?: string | undefined
  readonly signal?: AbortSignal | undefined
}
