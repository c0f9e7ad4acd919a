/** Prints works for people: as one-line references, as a Markdown reading list and as a CSV table. */

import type { PersonName, Work } from '../core/work.js'
import { type NameStyle, STYLES } from './style-data.js'
import { formatNames } from './styles.js'
import { findLink, printInvertedName, tidyLine } from './work-fields.js'
import { assignKeys } from './works-file.js'

/** Longer lists of authors are shortened to the first three. */
const NAMES: NameStyle = { ...STYLES.apa.names, max: 6, shown: 3, etAl: ', et al.' }

/**
 * People (year). Title. Venue, volume(issue), pages. Publisher. Link
 * @example
 * 'Vaswani, A., Shazeer, N., & Parmar, N. (2017). Attention is all you need. NeurIPS, 30(2), 5998-6008. https://doi.org/…'
 */
export function formatReference(work: Work): string {
  return [formatWithoutLink(work), findLink(work)].filter((part) => part !== null).join(' ')
}

function formatWithoutLink(work: Work): string {
  const people = work.authors.length > 0 ? formatPeople(work.authors) : formatEditors(work.editors)
  const date = `(${work.year ?? 'n.d.'}).`
  const title = endSentence(tidyLine(work.title) ?? '[untitled]')
  const publisher = work.type === 'thesis' ? null : work.publisher
  const rest = [formatVenue(work), tidyLine(publisher ?? work.institution)]
  return [
    ...(people === null ? [title, date] : [people, date, title]),
    ...rest.flatMap((part) => (part === null ? [] : endSentence(part))),
  ].join(' ')
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function formatPeople(names: readonly PersonName[]): string | null {
  return formatNames(names, NAMES, 'authors') || null
}

function formatEditors(editors: readonly PersonName[]): string | null {
  const people = formatPeople(editors)
  return people === null ? null : `${people} (${editors.length === 1 ? 'Ed.' : 'Eds.'})`
}

function formatVenue(work: Work): string | null {
  const issue = work.issue === null ? '' : `(${work.issue})`
  const venue = work.type === 'chapter' && work.venue !== null ? `In ${work.venue}` : work.venue
  const parts = [venue, `${work.volume ?? ''}${issue}`, work.pages]
  return tidyLine(parts.filter(Boolean).join(', '))
}

/** One bullet per work; nothing in a work becomes markup or a script. */
export function writeMarkdown(works: readonly Work[]): string {
  const bullets = works.map((work) =>
    `- ${escapeMarkdown(formatWithoutLink(work))} ${formatLink(findLink(work) ?? '')}`.trim(),
  )
  return `# Reading list\n\n${bullets.map((bullet) => `${bullet}\n`).join('')}`
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~$]/g, '\\$&').replace(/&(?=[#\w]+;)/g, '\\&')
}

function formatLink(address: string): string {
  if (!/^https?:\/\/\S+$/i.test(address)) return escapeMarkdown(address)
  const encode = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  const target = address.replace(/[()<>\\]/g, encode)
  return `[${escapeMarkdown(address.replace(/^https?:\/\//i, ''))}](${target})`
}

const COLUMNS =
  `type title authors editors year published venue volume issue pages publisher place series edition institution doi
  arxivId openAlexId isbn issn url language tags note abstract`.split(/\s+/) as (keyof Work)[]

/** RFC 4180: a header, then one line per work. */
export function writeCsv(works: readonly Work[]): string {
  const keys = assignKeys(works)
  const rows = works.map((work, i) => [keys[i] ?? '', ...COLUMNS.map((field) => work[field])])
  const header = ['key', ...COLUMNS.map((field) => field.replace(/Id$/, '').toLowerCase())]
  return [header, ...rows].map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')
}

/** An apostrophe keeps a spreadsheet from running a text as a formula. */
function formatCell(value: Work[keyof Work]): string {
  const list: readonly (string | PersonName)[] = Array.isArray(value) ? value : [`${value ?? ''}`]
  const texts = list.map((one) => (typeof one === 'string' ? one : printInvertedName(one)))
  const text = texts.join('; ')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
