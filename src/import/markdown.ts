/** Imports Markdown notes: documents with titles, tags and aliases, linked to each other. */

import { posix } from 'node:path'
import { type Fields, isFields } from '../core/json-fields.js'
import { parseTime } from '../core/time.js'
import { type FoundFile, readFiles, readText, skipped } from './files.js'
import type { EntryLink, ImportEntry, Importer, ReadOptions } from './importer.js'
import { readFrontMatter } from './markdown/front-matter.js'
import { type Link, readOutline } from './markdown/outline.js'
import { cleanLabel, cleanLabels, hashValue, parseTimestamp, titleFromPath } from './values.js'

export const markdown: Importer = {
  name: 'markdown',
  isMirror: true,
  detect: isNote,
  read: readFiles(isNote, readNote),
}

export function isNote(name: string): boolean {
  return /\.(?:md|markdown|mdx|mdown|mkd)$/i.test(name)
}

async function* readNote(file: FoundFile, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const { name } = file
  const text = await readText(file, options)
  const { data: written, body, problem } = await readFrontMatter(text)
  const data = lowerNames(written)
  // Where the text begins in the file, so that a passage can be opened at its line.
  const bodyLine = text.slice(0, text.length - body.length).split('\n').length
  if (problem !== null) yield skipped(`${name} (front matter)`, problem)
  if (body.trim() === '') {
    yield skipped(name, 'It has no text.')
    return
  }
  const outline = readOutline(body)
  const unused = Object.entries(written).filter(([field]) => !USED_FIELDS.has(field.toLowerCase()))
  const record = {
    body,
    title: cleanLabel(readLabel(data.title)) ?? cleanLabel(outline.title) ?? titleFromPath(name),
    kind: 'document' as const,
    source: cleanLabel(name.slice(-500)),
    tags: cleanLabels([...readTags(data), ...outline.tags].flatMap(listParents)),
    people: cleanLabels([data.author, data.authors, data.people].flatMap(readPeople)),
    metadata: {
      ...Object.fromEntries(unused),
      path: name,
      ...(bodyLine > 1 && { bodyLine }),
    },
    ...readDate(data),
  }
  const links = [...outline.links, ...findPropertyLinks(data)].flatMap((link) => toLink(link, name))
  const aliases = [...listNames(name), ...readLabels(data.aliases), ...readLabels(data.alias)]
  yield {
    kind: 'record',
    key: name,
    hash: hashValue([record, links, aliases]),
    record,
    links: [...new Map(links.map((link) => [link.to, link])).values()],
    aliases: [...new Set(aliases)],
  }
}

/** These are fields of the record; all others stay in the metadata, where `meta.author.name` finds them. */
const USED_FIELDS = new Set('title tags tag'.split(' '))

function lowerNames(data: Fields): Fields {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** `Mara Lind`, `{ name: Mara Lind }`, or a list of either. */
function readPeople(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((one) => readLabels(isFields(one) ? one.name : one))
}

function readLabel(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

function readLabels(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map(readLabel).filter((text) => text !== null && text.trim() !== '') as string[]
}

/** A list, or one text with commas or spaces between; with or without `#`. */
function readTags(data: Fields): string[] {
  return [data.tags, data.tag].flatMap((value) => {
    const words = typeof value === 'string' ? value.split(/[\s,]+/) : readLabels(value)
    return words.map((tag) => tag.trim().replace(/^#/, ''))
  })
}

/** `project/garden/beans` is also found as `project/garden` and as `project`. */
function listParents(tag: string): string[] {
  const parts = tag.split('/').filter((part) => part !== '')
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('/'))
}

/** `up: "[[Note]]"`, also in a list; without quotes YAML reads it as a list in a list. */
function findPropertyLinks(data: Fields): Link[] {
  return Object.values(data).flatMap((value): Link[] => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    return list.flatMap((one) => {
      if (typeof one === 'string') return readOutline(one).links
      const isWiki = Array.isArray(one) && one.length === 1 && typeof one[0] === 'string'
      return isWiki ? readOutline(`[[${one[0]}]]`).links : []
    })
  })
}

/** A date without a time is a day in the local time zone. Other texts remain in the metadata. */
function readDate(data: Fields): { occurredAt?: string } {
  for (const field of ['created', 'date', 'created_at', 'creation_date']) {
    const text = readLabel(data[field])?.trim() ?? ''
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(text, 0) !== null
    if (isDay) return { occurredAt: text }
    const time = /^\d{4}-\d{2}-\d{2}[T ]/.test(text) ? parseTimestamp(text) : null
    if (time !== null) return { occurredAt: time }
  }
  return {}
}

/** Links may call `a/b/Note.md` `a/b/Note`, `b/Note`, `Note` and `Note.md`. */
function listNames(name: string): string[] {
  const bare = name.replace(/\.[^./]*$/, '')
  const parts = bare.split('/')
  const ends = parts.map((_, i) => parts.slice(i).join('/'))
  return [...ends, posix.basename(name)]
}

/** Pictures and the like are not imported, so a link to one leads nowhere. */
const ATTACHMENT = /\.(?!(?:md|markdown|mdx|mdown|mkd|pdf|docx|epub|html?|txt)$)[a-z][a-z\d]{1,4}$/i

function toLink({ target, isEmbed }: Link, from: string): EntryLink[] {
  if (ATTACHMENT.test(target) && (isEmbed || !target.includes(' '))) return []
  const isPath = isNote(target) || target.startsWith('.')
  const to = isPath && !target.startsWith('/') ? posix.join(posix.dirname(from), target) : target
  return [{ type: 'RELATED_TO', to: to.replace(/^\/+/, '') }]
}
