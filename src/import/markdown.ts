/** Notes become documents with their titles, tags and other names, and their links lead to each other. */

import { posix } from 'node:path'
import { parseTime } from '../core/time.js'
import { cleanLabel, cleanLabels, type Fields, hashValue, parseTimestamp } from './fields.js'
import { type FoundFile, findFiles, readText, skipped } from './files.js'
import {
  type EntryLink,
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'
import { readFrontMatter } from './markdown/front-matter.js'
import type { Link } from './markdown/links.js'
import { readOutline } from './markdown/markdown-outline.js'
import { maskCode } from './markdown/mask-code.js'
import { titleFromPath } from './text.js'

export const markdown: Importer = {
  name: 'markdown',
  sentence: FORMAT_DESCRIPTIONS.markdown,
  isMirror: true,
  detect: (path, { files }) => (files === null ? isNote(path) : files.some(isNote)),
  read,
}

function isNote(name: string): boolean {
  return /\.(?:md|markdown|mdx|mdown|mkd)$/i.test(name)
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  for await (const file of findFiles(path, isNote, options)) {
    if (file.kind === 'skipped') yield file
    else yield* readNote(file, options)
  }
}

async function* readNote(file: FoundFile, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const found = await readText(file, options)
  if (found.kind === 'none') {
    yield skipped(file.name, found.reason)
    return
  }
  const { data, body, problem } = await readFrontMatter(found.text)
  if (problem !== null) yield skipped(`${file.name} (front matter)`, problem)
  if (body.trim() === '') {
    yield skipped(file.name, 'It has no text.')
    return
  }
  const outline = readOutline(body)
  const firstHeading = outline.headings.find(({ text }) => text !== '')?.text ?? null
  const heading = outline.title ?? firstHeading
  const record = {
    body,
    title: cleanLabel(textOf(data.title)) ?? cleanLabel(heading) ?? titleFromPath(file.name),
    kind: 'document' as const,
    source: cleanLabel(file.name.slice(-500)),
    tags: cleanLabels([...tagsIn(data), ...tagsOf(body)]),
    people: cleanLabels([
      ...textsOf(data.author),
      ...textsOf(data.authors),
      ...textsOf(data.people),
    ]),
    metadata: { ...restOf(data), path: file.name },
    ...occurredAt(data),
  }
  const links = outline.links.flatMap((link) => toLink(link, file.name))
  const aliases = [...namesOf(file.name), ...textsOf(data.aliases), ...textsOf(data.alias)]
  yield {
    kind: 'record',
    key: file.name,
    hash: hashValue([record, links, aliases]),
    record,
    links: distinct(links),
    aliases: [...new Set(aliases)],
  }
}

/** These became parts of the record. */
const TAKEN = new Set(['title', 'tags', 'tag', 'aliases', 'alias', 'author', 'authors', 'people'])

function restOf(data: Fields): Fields {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !TAKEN.has(name)))
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

/** A list, or one text. */
function textsOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map(textOf).flatMap((text) => (text === null || text.trim() === '' ? [] : [text]))
}

/** A list, or one text with commas or spaces between; with or without `#`. */
function tagsIn(data: Fields): string[] {
  return [data.tags, data.tag].flatMap((value) => {
    const words = typeof value === 'string' ? value.split(/[\s,]+/) : textsOf(value)
    return words.map((tag) => tag.trim().replace(/^#/, ''))
  })
}

const TAG = /(?<![^\s(])#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu

/** `#tag` at the beginning of a word, outside of code; a number alone is none. */
function tagsOf(body: string): string[] {
  return [...maskCode(body).matchAll(TAG)]
    .map(([, tag = '']) => tag.replace(/[/-]+$/, ''))
    .filter((tag) => /[^\p{N}_/-]/u.test(tag))
}

const DATES = ['created', 'date', 'created_at', 'creation_date'] as const

/** A day is the day of the reader, a time is a moment; whatever else is written stays in the metadata. */
function occurredAt(data: Fields): { occurredAt?: string } {
  for (const name of DATES) {
    const written = textOf(data[name])?.trim()
    if (written === undefined) continue
    if (/^\d{4}-\d{2}-\d{2}$/.test(written)) {
      if (parseTime(written, 0) !== null) return { occurredAt: written }
      continue
    }
    const moment = /^\d{4}-\d{2}-\d{2}[T ]/.test(written) ? parseTimestamp(written) : null
    if (moment !== null) return { occurredAt: moment }
  }
  return {}
}

/** `a/b/Note.md` may be called `a/b/Note`, `b/Note` and `Note`, with its ending or without. */
function namesOf(name: string): string[] {
  const bare = name.replace(/\.[^./]*$/, '')
  const parts = bare.split('/')
  const ends = parts.map((_, i) => parts.slice(i).join('/'))
  return [...ends, posix.basename(name)]
}

/** Pictures, sounds and other files that are shown in a note are no notes. */
const ATTACHMENT = /\.(?!md$|markdown$|mdx$|mdown$|mkd$)[a-z][a-z\d]{1,4}$/i

function toLink({ target, isEmbed }: Link, from: string): EntryLink[] {
  if (target === '' || (ATTACHMENT.test(target) && (isEmbed || !target.includes(' ')))) return []
  const isPath = isNote(target) || target.startsWith('.')
  const to = isPath && !target.startsWith('/') ? posix.join(posix.dirname(from), target) : target
  return [{ type: 'RELATED_TO', to: to.replace(/^\/+/, '') }]
}

function distinct(links: readonly EntryLink[]): EntryLink[] {
  return [...new Map(links.map((link) => [link.to, link])).values()]
}
