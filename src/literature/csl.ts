/** Reads and writes CSL-JSON, the format of citation processors; fields without a CSL variable are in `custom`. */

import { type Fields, isFields } from '../core/json-fields.js'
import type { PersonName, Work } from '../core/work.js'
import { normalizeOpenAlex } from './identifiers.js'
import {
  findArxivId,
  hasInstitution,
  makeDate,
  type Published,
  parseDate,
  splitDate,
  tidyArxivId,
  tidyDoi,
  tidyLine,
  tidyLines,
  tidyPages,
  tidyTags,
} from './work-fields.js'
import {
  acceptWork,
  assignKeys,
  createTypeTable,
  firstWords,
  type ReadWork,
  type SkippedWork,
} from './works-file.js'

/** In CSL 1.0.2 `article` is a preprint. The last names of some types are Crossref's. */
const TYPES = createTypeTable({
  article: 'article-journal article-magazine article-newspaper review review-book journal-article',
  conference: 'paper-conference speech proceedings-article',
  book: 'book collection classic',
  chapter: 'chapter entry entry-dictionary entry-encyclopedia book-chapter',
  thesis: 'thesis dissertation',
  report: 'report standard',
  preprint: 'article manuscript posted-content',
  dataset: 'dataset',
  software: 'software',
  webpage: 'webpage post post-weblog',
  other: 'document',
})

/** Reads a list of items, or one item. */
export function* listCsl(text: string): Generator<ReadWork | SkippedWork, void> {
  for (const item of splitItems(text.replace(/^\uFEFF/, ''))) yield readItem(item)
}

function readItem({ text, line }: { readonly text: string; readonly line: number }) {
  const name = firstWords(text)
  let item: unknown
  try {
    item = JSON.parse(text)
  } catch {
    return { name, line, reason: 'It is not JSON.' }
  }
  if (!isFields(item)) return { name, line, reason: 'It is not an object.' }
  const work = toWork(item)
  return acceptWork(work, work.citationKey ?? name, line)
}

/** A string, white space, a word or number, or one of `{}[],`. */
const TOKEN = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*"?|\s+|[^\s"{}[\],]+|[\s\S]/g

/** The values of the outermost list, or the one value, so that a broken item does not break the others. */
function splitItems(text: string) {
  const isList = /^\s*\[/.test(text)
  const items: { readonly text: string; readonly line: number }[] = []
  const itemDepth = isList ? 1 : 0
  let [depth, line, start, startLine] = [0, 1, -1, 1]
  const endItem = (at: number): void => {
    if (start !== -1) items.push({ text: text.slice(start, at).trim(), line: startLine })
    start = -1
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (isList && depth === itemDepth && (token === ',' || token === ']')) endItem(index)
    else if (start === -1 && depth === itemDepth && token.trim() !== '') {
      start = index
      startLine = line
    }
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    line += token.split('\n').length - 1
  }
  endItem(text.length)
  return items
}

function toWork(item: Fields): Work {
  const type = TYPES.read(readText(item.type) ?? '')
  const custom = isFields(item.custom) ? item.custom : {}
  const line = (name: string): string | null => tidyLine(readText(item[name]))
  const other = tidyLine(readText(hasInstitution(type) ? custom.publisher : custom.institution))
  const id = line('id')
  return {
    type,
    title: tidyLine(stripMarkup(readText(item.title))) ?? '',
    authors: readNames(item.author),
    editors: readNames(item.editor),
    venue: tidyLine(stripMarkup(readText(item['container-title']))),
    ...readIssued(item.issued),
    doi: tidyDoi(readText(item.DOI)),
    openAlexId: normalizeOpenAlex(readText(custom.openalex) ?? ''),
    arxivId: readArxivId(item),
    isbn: line('ISBN'),
    issn: line('ISSN'),
    url: line('URL'),
    // Zotero's ids are addresses, which nobody cites by.
    citationKey: line('citation-key') ?? (/^https?:/.test(id ?? '') ? null : id),
    volume: line('volume'),
    issue: line('issue'),
    pages: tidyPages(readText(item.page)),
    publisher: hasInstitution(type) ? other : line('publisher'),
    institution: hasInstitution(type) ? line('publisher') : other,
    place: line('publisher-place'),
    series: line('collection-title'),
    edition: line('edition'),
    language: line('language'),
    note: tidyLines(readText(item.note)),
    bibtexTitle: null,
    abstract: tidyLines(readText(item.abstract)),
    tags: readTags(readText(item.keyword), readTexts(custom.tags)),
    references: readTexts(custom.references),
  }
}

/** Other programs change `keyword`; `custom.tags` is exact as long as both say the same. */
function readTags(keyword: string | null, exact: readonly string[]): string[] {
  const isCurrent = exact.length > 0 && exact.join(', ') === (keyword ?? '')
  return tidyTags(isCurrent ? exact : (keyword?.split(/[,;]/) ?? []))
}

/** Also accepts numbers, and Crossref's lists of one text. */
function readText(value: unknown): string | null {
  const single = Array.isArray(value) ? value[0] : value
  if (typeof single === 'number') return String(single)
  return typeof single === 'string' ? single : null
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}

/** Each step removes the innermost pairs. */
const MAX_MARKUP_DEPTH = 20

function stripMarkup(text: string | null): string {
  const pair = /<(i|b|sup|sub|sc|span)(?: [^<>]*)?>([^<>]*)<\/\1>/g
  let plain = text ?? ''
  for (let depth = 0; depth < MAX_MARKUP_DEPTH && plain.search(pair) !== -1; depth++) {
    plain = plain.replace(pair, '$2')
  }
  return plain
}

function readIssued(value: unknown): Published {
  const { 'date-parts': parts, raw, literal }: Fields = isFields(value) ? value : {}
  const first: unknown = Array.isArray(parts) ? parts[0] : null
  if (Array.isArray(first) && first.length > 0) {
    const [year, month, day] = first.map((part) => Number(readText(part) ?? Number.NaN))
    return makeDate(year ?? Number.NaN, month, day)
  }
  return parseDate(readText(raw) ?? readText(literal) ?? readText(value))
}

function readArxivId(item: Fields): string | null {
  const isArxiv = /^arxiv$/i.test(readText(item.archive)?.trim() ?? '')
  const location = readText(item.archive_location) ?? readText(item['archive-location'])
  return (
    (isArxiv ? tidyArxivId(location) : null) ??
    findArxivId(readText(item.number)) ??
    findArxivId(readText(item.DOI)) ??
    findArxivId(readText(item.URL)) ??
    findArxivId(readText(item['container-title']))
  )
}

/** Particles belong to the family name; a suffix follows the given name. */
function readNames(value: unknown): PersonName[] {
  return (Array.isArray(value) ? value : []).flatMap((name: unknown): PersonName[] => {
    const part = (key: string): string =>
      (isFields(name) ? tidyLine(readText(name[key])) : null) ?? ''
    const particles = `${part('dropping-particle')} ${part('non-dropping-particle')}`
    const given = [part('given'), part('suffix')].filter((text) => text !== '').join(', ')
    const family = tidyLine(`${particles} ${part('family')}`)
    if (family !== null) return [{ family, given: given || null }]
    const whole = part('literal') || part('name') || given
    return whole === '' ? [] : [{ family: whole, given: null }]
  })
}

export function writeCsl(works: readonly Work[]): string {
  const keys = assignKeys(works)
  const items = works.map((work, i) => writeItem(work, keys[i] ?? ''))
  return `${JSON.stringify(items, null, 2)}\n`
}

function writeItem(work: Work, key: string): Fields {
  const [main, other] = hasInstitution(work.type)
    ? [work.institution, { publisher: work.publisher }]
    : [work.publisher, { institution: work.institution }]
  const date = splitDate(work)
  // A tag with a comma would not survive `keyword`.
  const { openAlexId: openalex, tags, references } = work
  const custom = dropEmpty({ openalex, tags, references, ...other })
  return dropEmpty({
    id: key,
    'citation-key': key,
    type: TYPES.write(work.type),
    title: work.title,
    author: work.authors.map(writeName),
    editor: work.editors.map(writeName),
    'container-title': work.venue,
    issued: date.length === 0 ? null : { 'date-parts': [date] },
    volume: work.volume,
    issue: work.issue,
    page: work.pages,
    publisher: main,
    'publisher-place': work.place,
    'collection-title': work.series,
    edition: work.edition,
    DOI: work.doi,
    archive: work.arxivId === null ? null : 'arXiv',
    archive_location: work.arxivId,
    ISBN: work.isbn,
    ISSN: work.issn,
    URL: work.url,
    language: work.language,
    keyword: tags.join(', '),
    note: work.note,
    abstract: work.abstract,
    custom: Object.keys(custom).length === 0 ? null : custom,
  })
}

function dropEmpty(item: Fields): Fields {
  const isEmpty = (value: unknown): boolean =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(item).filter(([, value]) => !isEmpty(value)))
}

/** A group, or a name that cannot be split, is a `literal`. */
function writeName({ family, given }: PersonName): Fields {
  if (given === null) return { literal: family }
  const cut = given.lastIndexOf(', ')
  // Splits off a suffix only if reading joins the two parts in the same way.
  if (cut <= 0 || given[cut - 1] === ' ') return { family, given }
  return { family, given: given.slice(0, cut), suffix: given.slice(cut + 2) }
}
