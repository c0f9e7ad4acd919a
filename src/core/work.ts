/** The types of a work of literature: authors, venue, identifiers, references. */

export const WORK_TYPES = [
  'article',
  'conference',
  'book',
  'chapter',
  'thesis',
  'report',
  'preprint',
  'dataset',
  'software',
  'webpage',
  'other',
] as const
export type WorkType = (typeof WORK_TYPES)[number]

export const EXPORT_FORMATS = ['bibtex', 'ris', 'csl', 'markdown', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** With their dot, the usual one first. */
export const EXTENSIONS: Readonly<Record<ExportFormat, readonly string[]>> = {
  bibtex: ['.bib', '.bibtex', '.biblatex'],
  ris: ['.ris'],
  csl: ['.json', '.csljson'],
  markdown: ['.md', '.markdown'],
  csv: ['.csv'],
}

export function formatOfName(fileName: string): ExportFormat | null {
  const extension = /\.[^./\\]+$/.exec(fileName)?.[0].toLowerCase() ?? ''
  return EXPORT_FORMATS.find((name) => EXTENSIONS[name].includes(extension)) ?? null
}

export const CITATION_STYLES = [
  'plain',
  'bibtex',
  'apa',
  'ieee',
  'chicago',
  'mla',
  'vancouver',
  'harvard',
] as const
/** One of these, or the text of a CSL style. */
export type CitationStyle = (typeof CITATION_STYLES)[number] | (string & {})

/** A person as a reference list needs them. A group, or a name that cannot be taken apart, has no `given`. */
export type PersonName = {
  /** With its particle, as it is shown: "van der Berg". */
  readonly family: string
  readonly given: string | null
}

/** Bibliographic details besides title, abstract and tags. Absent details are null, absent lists are empty. */
export type WorkDetails = {
  readonly type: WorkType
  readonly authors: readonly PersonName[]
  readonly editors: readonly PersonName[]
  /** The journal, or the title of the book or proceedings. */
  readonly venue: string | null
  readonly year: number | null
  /** As exact as it is known: `2019`, `2019-07` or `2019-07-28`. */
  readonly published: string | null
  /** In lower case, without `https://doi.org/`. */
  readonly doi: string | null
  /** `W2741809807` */
  readonly openAlexId: string | null
  /** Without its version: `1706.03762`, `cs/0112017`. */
  readonly arxivId: string | null
  readonly isbn: string | null
  readonly issn: string | null
  readonly url: string | null
  readonly citationKey: string | null
  readonly volume: string | null
  readonly issue: string | null
  /** With a plain hyphen: `5998-6008`. */
  readonly pages: string | null
  readonly publisher: string | null
  readonly place: string | null
  readonly series: string | null
  readonly edition: string | null
  readonly institution: string | null
  readonly language: string | null
  readonly note: string | null
  /** The title as a BibTeX file had it, with the braces that protect capitals. */
  readonly bibtexTitle: string | null
}

const UNKNOWN = [
  ...(['venue', 'year', 'published', 'doi', 'openAlexId', 'arxivId', 'isbn', 'issn'] as const),
  ...(['url', 'citationKey', 'volume', 'issue', 'pages', 'publisher', 'place'] as const),
  ...(['series', 'edition', 'institution', 'language', 'note', 'bibtexTitle'] as const),
]
const nothing = Object.fromEntries(UNKNOWN.map((name) => [name, null]))
export const NO_DETAILS: WorkDetails = {
  type: 'other',
  authors: [],
  editors: [],
  ...(nothing as Record<(typeof UNKNOWN)[number], null>),
}

/** A page of a text: `text.slice(start, end)`. */
export type PageSpan = {
  /** Counted from 1. */
  readonly page: number
  /** The document's own name for the page, such as `iv`. */
  readonly label?: string
  readonly start: number
  readonly end: number
}

/** The text of a file of a work, such as its PDF. */
export type AttachedText = {
  readonly path: string
  readonly text: string
  readonly pages: readonly PageSpan[]
}

export type Work = WorkDetails & {
  readonly title: string
  readonly abstract: string | null
  /** Its full text, if a PDF was attached. */
  readonly texts?: readonly AttachedText[]
  readonly tags: readonly string[]
  /** The works it cites, stored or not: `doi:…`, `openalex:…`, `arxiv:…` or `key:…`. */
  readonly references: readonly string[]
}

/** The searchable names of a work besides its title and authors; a series is part of the venue. */
export function nameWork(work: Partial<Readonly<Record<keyof WorkDetails, unknown>>>) {
  const { venue, series, citationKey: key, doi, year } = work
  const print = (value: unknown): string => (value == null ? '' : String(value))
  const at = [venue, series].map(print).filter((name) => name !== '')
  return { venue: at.join(' ; '), key: print(key), doi: print(doi), year: print(year) }
}
