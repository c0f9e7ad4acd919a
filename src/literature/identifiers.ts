/** Every written form of a DOI, an arXiv id or an OpenAlex id becomes the one form that is stored. */

export type IdentifierKind = 'doi' | 'arxiv' | 'openalex'
export type Identifier = { readonly kind: IdentifierKind; readonly value: string }

const DOI = /^10\.\d{4,9}(?:\.\d+)*\/\S+$/
const NEW_ARXIV = /^(\d{4}\.\d{4,5})(?:v\d+)?$/
/** Archive, perhaps a subject class (`math.GT`), then year, month and number. */
const OLD_ARXIV = /^([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2}(?:-[a-z]+)?)?\/(\d{7})(?:v\d+)?$/
const OPENALEX = /^w(\d{1,15})$/i
/** Longer than any identifier with its address; a pasted page is not searched for one. */
const LONGEST = 2_000
/** arXiv registers a DOI for each of its works, made of this and the id. */
const ARXIV_DOI = '10.48550/arxiv.'

const DOI_HOST = /^(?:dx\.|www\.)?doi\.org$/
const ARXIV_HOST = /(?:^|\.)arxiv\.org$/
const OPENALEX_HOST = /(?:^|\.)openalex\.org$/
/** What publishers put behind a DOI in the address of a page, and no DOI ends in. */
const PAGE_OF_DOI = /\/(?:full|abstract|pdf|epub|epdf|meta|html|fulltext|summary|references)$/i

/** In lower case, without any address around it; null where the text is no DOI. */
export function normalizeDoi(text: string): string | null {
  const typed = withoutWrapping(text)
  const url = readUrl(typed)
  const bare = withoutWrapping(url === null ? typed : doiInUrl(url))
  const doi = bare.replace(/^doi\s*[:=]?\s*(?=10\.)/i, '').toLowerCase()
  return DOI.test(doi) ? doi : null
}

/** Without version and subject class; null where the text is no arXiv id. A DOI made by arXiv is one. */
export function normalizeArxiv(text: string): string | null {
  const typed = withoutWrapping(text)
  const url = readUrl(typed)
  // As the margin of a paper has it: arXiv:1706.03762v5 [cs.CL]
  const cited = typed.replace(/^arxiv\s*[:.]?\s*/i, '').replace(/\s*\[[a-z.-]+\]?$/i, '')
  const bare = url === null ? cited : (arxivInUrl(url) ?? '')
  const id = withoutWrapping(bare)
    .replace(/\.pdf$/i, '')
    .toLowerCase()
  const arxiv = NEW_ARXIV.exec(id)?.[1] ?? OLD_ARXIV.exec(id)?.slice(1).join('/')
  if (arxiv !== undefined) return arxiv
  const doi = normalizeDoi(typed)
  // What follows the prefix has no prefix of its own, so this goes one step deep.
  return doi?.startsWith(ARXIV_DOI) ? normalizeArxiv(doi.slice(ARXIV_DOI.length)) : null
}

/** `W…` with a capital letter; null where the text is no id of a work in OpenAlex. */
export function normalizeOpenAlex(text: string): string | null {
  const typed = withoutWrapping(text)
  const url = readUrl(typed)
  const isElsewhere = url !== null && !OPENALEX_HOST.test(url.hostname)
  const bare =
    url === null
      ? typed.replace(/^openalex\s*:\s*/i, '')
      : (url.pathname.split('/').findLast((part) => part !== '') ?? '')
  const [, digits] = (isElsewhere ? null : OPENALEX.exec(withoutWrapping(bare))) ?? []
  return digits === undefined ? null : `W${digits}`
}

/** What a person typed or pasted, or null where it is none of the three. */
export function readIdentifier(text: string): Identifier | null {
  const openalex = normalizeOpenAlex(text)
  if (openalex !== null) return { kind: 'openalex', value: openalex }
  const doi = normalizeDoi(text)
  if (doi !== null) return { kind: 'doi', value: doi }
  const arxiv = normalizeArxiv(text)
  return arxiv === null ? null : { kind: 'arxiv', value: arxiv }
}

/** As it stands among the references of a work: `doi:…`, `arxiv:…`, `openalex:…`. */
export function printIdentifier({ kind, value }: Identifier): string {
  return `${kind}:${value}`
}

/** The DOI under which a work of arXiv can be found as well. */
export function makeArxivDoi(arxivId: string): string {
  return `${ARXIV_DOI}${arxivId.toLowerCase()}`
}

/** An address with or without its scheme, as people copy it. */
function readUrl(text: string): URL | null {
  const written = /^https?:\/\//i.test(text)
    ? text
    : /^(?:[a-z0-9-]+\.)+(?:org|com|net|edu|gov|io)\//i.test(text)
      ? `https://${text}`
      : null
  return written !== null && URL.canParse(written) ? new URL(written) : null
}

function doiInUrl(url: URL): string {
  const path = decode(url.pathname)
  if (DOI_HOST.test(url.hostname)) return path.slice(1)
  if (OPENALEX_HOST.test(url.hostname)) return /(?:^|\/|:)(10\..*)$/.exec(path)?.[1] ?? ''
  const [, doi = ''] = /\/(10\.\d{4,9}\/.+)$/.exec(path) ?? []
  // bioRxiv and medRxiv append the version: 10.1101/2020.01.01.000001v2.full
  const bare = doi.replace(/^(10\.1101\/[\d.]+?)v\d+(?:\..*)?$/i, '$1')
  return bare.replace(PAGE_OF_DOI, '')
}

function arxivInUrl(url: URL): string | null {
  if (!ARXIV_HOST.test(url.hostname)) return null
  return /^\/(?:abs|pdf|html|ps|format|e-print|src)\/(.+)$/.exec(decode(url.pathname))?.[1] ?? null
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Without the brackets, quotes and full stops of the sentence around it; a bracket that has its partner stays. */
function withoutWrapping(text: string): string {
  let bare = text.length > LONGEST ? '' : text.trim()
  for (;;) {
    const next = withoutOneSign(bare)
    if (next === bare) return bare
    bare = next
  }
}

const PARTNERS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
  ['>', '<'],
])

function withoutOneSign(text: string): string {
  if (/^[\s<([{"'“‘«]/.test(text)) return text.slice(1)
  const last = text.at(-1) ?? ''
  if (/[\s.,;:!?"'”’»/]/.test(last)) return text.slice(0, -1)
  const partner = PARTNERS.get(last)
  if (partner === undefined) return text
  return text.split(partner).length < text.split(last).length ? text.slice(0, -1) : text
}
