/** Normalises DOIs, arXiv ids and OpenAlex ids from any written form to the one that is stored. */

import { decodePercent } from '../core/decode-percent.js'

export type Identifier = { readonly kind: 'doi' | 'arxiv' | 'openalex'; readonly value: string }

const DOI = /^10\.\d{4,9}(?:\.\d+)*\/\S+$/
const NEW_ARXIV = /^(\d{4}\.\d{4,5})(?:v\d+)?$/
/** Archive, optional subject class (`math.GT`), then year, month and number. */
const OLD_ARXIV = /^([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2}(?:-[a-z]+)?)?\/(\d{7})(?:v\d+)?$/
const OPENALEX = /^w(\d{1,15})$/i
const MAX_CHARS = 2_000
/** arXiv registers a DOI for each work: this prefix and the id. */
const ARXIV_DOI = '10.48550/arxiv.'

const DOI_HOST = /^(?:dx\.|www\.)?doi\.org$/
const ARXIV_HOST = /(?:^|\.)arxiv\.org$/
const OPENALEX_HOST = /(?:^|\.)openalex\.org$/
/** Endings that publishers append to a DOI in the address of a page. */
const PAGE_OF_DOI =
  /(?:\/(?:full|abstract|pdf|epub|epdf|meta|html|fulltext|summary|references)|\.pdf)$/i

/** In lower case and without an address; null if the text is not a DOI. */
export function normalizeDoi(text: string): string | null {
  const typed = unwrap(text)
  const url = readUrl(typed)
  const bare = unwrap(url === null ? typed : findDoi(url))
  const doi = bare.replace(/^doi\s*[:=]?\s*(?=10\.)/i, '').toLowerCase()
  return DOI.test(doi) ? doi : null
}

/** Without version and subject class; null if the text is neither an arXiv id nor a DOI made by arXiv. */
export function normalizeArxiv(text: string): string | null {
  const typed = unwrap(text)
  const url = readUrl(typed)
  // The margin of a paper says arXiv:1706.03762v5 [cs.CL].
  const cited = typed.replace(/^arxiv\s*[:.]?\s*/i, '').replace(/\s*\[[a-z.-]+\]?$/i, '')
  const bare = url === null ? cited : (findArxiv(url) ?? '')
  const id = unwrap(bare)
    .replace(/\.pdf$/i, '')
    .toLowerCase()
  const arxiv = NEW_ARXIV.exec(id)?.[1] ?? OLD_ARXIV.exec(id)?.slice(1).join('/')
  if (arxiv !== undefined) return arxiv
  const doi = normalizeDoi(typed)
  // The rest has no such prefix, so this recurses once.
  return doi?.startsWith(ARXIV_DOI) ? normalizeArxiv(doi.slice(ARXIV_DOI.length)) : null
}

/** `W…` in upper case; null if the text is not the id of a work in OpenAlex. */
export function normalizeOpenAlex(text: string): string | null {
  const typed = unwrap(text)
  const url = readUrl(typed)
  const isElsewhere = url !== null && !OPENALEX_HOST.test(url.hostname)
  const bare =
    url === null
      ? typed.replace(/^openalex\s*:\s*/i, '')
      : (url.pathname.split('/').findLast((part) => part !== '') ?? '')
  const [, digits] = (isElsewhere ? null : OPENALEX.exec(unwrap(bare))) ?? []
  return digits === undefined ? null : `W${digits}`
}

/** Reads what a person typed or pasted; null if it is none of the three. */
export function readIdentifier(text: string): Identifier | null {
  const openalex = normalizeOpenAlex(text)
  if (openalex !== null) return { kind: 'openalex', value: openalex }
  const doi = normalizeDoi(text)
  if (doi !== null) return { kind: 'doi', value: doi }
  const arxiv = normalizeArxiv(text)
  return arxiv === null ? null : { kind: 'arxiv', value: arxiv }
}

/** The form in the references of a work: `doi:…`, `arxiv:…`, `openalex:…`. */
export function printIdentifier({ kind, value }: Identifier): string {
  return `${kind}:${value}`
}

export function makeArxivDoi(arxivId: string): string {
  return `${ARXIV_DOI}${arxivId.toLowerCase()}`
}

function readUrl(text: string): URL | null {
  const isBare = /^(?:[a-z0-9-]+\.)+(?:org|com|net|edu|gov|io)\//i.test(text)
  const written = isBare ? `https://${text}` : text
  return /^https?:\/\//i.test(written) && URL.canParse(written) ? new URL(written) : null
}

function findDoi(url: URL): string {
  const path = decodePercent(url.pathname)
  if (DOI_HOST.test(url.hostname)) return path.slice(1)
  if (OPENALEX_HOST.test(url.hostname)) return /(?:^|\/|:)(10\..*)$/.exec(path)?.[1] ?? ''
  const inPath = /\/(10\.\d{4,9}\/.+)$/.exec(path)?.[1]
  // A query may hold the DOI, or the address that a library's proxy leads to.
  const doi =
    inPath ?? [...url.searchParams.values()].flatMap((one) => normalizeDoi(one) ?? [])[0] ?? ''
  // bioRxiv and medRxiv append the version: 10.1101/2020.01.01.000001v2.full
  const bare = doi.replace(/^(10\.1101\/[\d.]+?)v\d+(?:\..*)?$/i, '$1')
  return bare.replace(PAGE_OF_DOI, '')
}

function findArxiv(url: URL): string | null {
  if (!ARXIV_HOST.test(url.hostname)) return null
  return (
    /^\/(?:abs|pdf|html|ps|format|e-print|src)\/(.+)$/.exec(decodePercent(url.pathname))?.[1] ??
    null
  )
}

const PARTNERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' }

/** Removes quotes, punctuation and unpaired brackets around an identifier. */
function unwrap(text: string): string {
  const bare = text.length > MAX_CHARS ? '' : text.replace(/^[\s<([{"'“‘«]+/, '')
  const counts: Record<string, number> = {}
  for (const char of bare) counts[char] = (counts[char] ?? 0) + 1
  let end = bare.length
  for (; end > 0; end--) {
    const last = bare.charAt(end - 1)
    const partner = PARTNERS[last]
    const isUnpaired = partner !== undefined && (counts[partner] ?? 0) < (counts[last] ?? 0)
    if (!isUnpaired && !/[\s.,;:!?"'”’»/]/.test(last)) break
    counts[last] = (counts[last] ?? 0) - 1
  }
  return bare.slice(0, end)
}
