/** Each variable of CSL finds its place in a work, whatever its value turns out to be. */

import type { PersonName, Work } from '../../core/work.js'
import { type Published, publishedOn, readDate, UNDATED } from '../dates.js'
import {
  arxivIdWithin,
  tidyArxivId,
  tidyDoi,
  tidyLine,
  tidyLines,
  tidyOpenAlexId,
  tidyPages,
  tidyTags,
} from '../tidy.js'
import { typeOfCsl } from './csl-types.js'

export type Item = Readonly<Record<string, unknown>>

export function toWork(item: Item): Work {
  const type = typeOfCsl(item.type)
  const custom = asItem(item.custom)
  const line = (name: string): string | null => tidyLine(asText(item[name]))
  const isInstitution = type === 'thesis' || type === 'report'
  const other = tidyLine(asText(isInstitution ? custom.publisher : custom.institution))
  const url = line('URL')
  return {
    type,
    title: tidyLine(withoutMarkup(asText(item.title))) ?? '',
    authors: names(item.author),
    editors: names(item.editor),
    venue: tidyLine(withoutMarkup(asText(item['container-title']))),
    ...readIssued(item.issued),
    doi: tidyDoi(asText(item.DOI)),
    openAlexId: tidyOpenAlexId(asText(custom.openalex)),
    arxivId: readArxivId(item, url),
    isbn: line('ISBN'),
    issn: line('ISSN'),
    url,
    citationKey: line('citation-key') ?? keyOf(line('id')),
    volume: line('volume'),
    issue: line('issue'),
    pages: tidyPages(asText(item.page)),
    publisher: isInstitution ? other : line('publisher'),
    institution: isInstitution ? line('publisher') : other,
    place: line('publisher-place'),
    series: line('collection-title'),
    edition: line('edition'),
    language: line('language'),
    note: tidyLines(asText(item.note)),
    abstract: tidyLines(asText(item.abstract)),
    tags: readTags(asText(item.keyword), textsOf(custom.tags)),
    references: textsOf(custom.references) ?? [],
  }
}

/** `keyword` is what other programs change; our own list is exact as long as it still says the same. */
function readTags(keyword: string | null, exact: readonly string[] | null): string[] {
  if (exact !== null && exact.join(', ') === (keyword ?? '')) return tidyTags(exact)
  return tidyTags(keyword?.split(/[,;]/) ?? [])
}

function asItem(value: unknown): Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}

/** Numbers stand for themselves, and Crossref has lists where CSL has one text. */
function asText(value: unknown): string | null {
  const single = Array.isArray(value) ? value[0] : value
  return typeof single === 'string' ? single : typeof single === 'number' ? String(single) : null
}

function textsOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : null
}

/** Zotero's ids are addresses, which nobody cites by. */
function keyOf(id: string | null): string | null {
  return id === null || /^https?:/.test(id) ? null : id
}

/** CSL marks up titles with these few tags; only pairs of them are taken away. */
function withoutMarkup(text: string | null): string | null {
  const pair = /<(i|b|sup|sub|sc|span)(?: [^<>]*)?>([^<>]*)<\/\1>/g
  let plain = text ?? ''
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replace(pair, '$2')
  }
  return plain
}

function readIssued(value: unknown): Published {
  const { 'date-parts': parts, raw, literal } = asItem(value)
  const first: unknown = Array.isArray(parts) ? parts[0] : null
  if (Array.isArray(first) && first.length > 0) {
    const [year, month, day] = first.map((part) => Number(asText(part) ?? Number.NaN))
    return publishedOn(year ?? Number.NaN, month ?? null, day ?? null)
  }
  const text = asText(raw) ?? asText(literal) ?? asText(value)
  return text === null ? UNDATED : readDate(text)
}

function readArxivId(item: Item, url: string | null): string | null {
  const isArxiv = /^arxiv$/i.test(asText(item.archive)?.trim() ?? '')
  const location = asText(item.archive_location) ?? asText(item['archive-location'])
  return (
    (isArxiv ? tidyArxivId(location) : null) ??
    arxivIdWithin(asText(item.number)) ??
    arxivIdWithin(asText(item.DOI)) ??
    arxivIdWithin(url) ??
    arxivIdWithin(asText(item['container-title']))
  )
}

function names(value: unknown): PersonName[] {
  return (Array.isArray(value) ? value : []).flatMap((name) => nameOf(asItem(name)) ?? [])
}

/** Particles are part of the family name as it is shown; a suffix follows the given name. */
function nameOf(name: Item): PersonName | null {
  const part = (key: string): string => tidyLine(asText(name[key])) ?? ''
  const particles = `${part('dropping-particle')} ${part('non-dropping-particle')}`
  const given = [part('given'), part('suffix')].filter((text) => text !== '').join(', ')
  const family = tidyLine(`${particles} ${part('family')}`)
  if (family !== null) return { family, given: given || null }
  const whole = part('literal') || part('name') || given
  return whole === '' ? null : { family: whole, given: null }
}
