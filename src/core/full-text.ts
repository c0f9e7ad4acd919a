/** The full text of a work: the texts of its PDFs follow the abstract in its body, and its metadata says where each begins. */

import { isFields } from './json-fields.js'
import type { CairnRecord, Metadata } from './record.js'
import type { AttachedText } from './work.js'

type Titled = Pick<CairnRecord, 'body' | 'metadata'>
type FileSpan = { readonly path: string; readonly start: number; readonly end: number }

const SEPARATOR = '\n\n'

/** Splits a body that `joinTexts` made; without attached texts, the whole body is the abstract. */
export function splitTexts({ body, metadata }: Titled): {
  readonly abstract: string
  readonly texts: readonly AttachedText[]
  /** Without the fields that `joinTexts` adds. */
  readonly metadata: Metadata
} {
  const { files, path: _, pages, ...rest } = metadata
  if (!Array.isArray(files) || files.length === 0 || !files.every(isFileSpan)) {
    return { abstract: body, texts: [], metadata }
  }
  const spans = Array.isArray(pages) ? pages.filter(isPageSpan) : []
  const texts = files.map(({ path, start, end }) => ({
    path,
    text: body.slice(start, end),
    pages: shift(
      spans.filter((page) => page.start >= start && page.end <= end),
      -start,
    ),
  }))
  const abstract = body.slice(0, Math.max(0, (files[0]?.start ?? 0) - SEPARATOR.length))
  return { abstract, texts, metadata: rest }
}

/** `metadata` is that of `splitTexts`. */
export function joinTexts(
  abstract: string | null,
  texts: readonly AttachedText[],
  metadata: Metadata,
): Titled {
  let body = abstract ?? ''
  const files: FileSpan[] = []
  const pages: unknown[] = []
  for (const { path, text, pages: own } of texts) {
    if (body !== '') body += SEPARATOR
    pages.push(...shift(own, body.length))
    files.push({ path, start: body.length, end: body.length + text.length })
    body += text
  }
  const [first] = files
  if (first === undefined) return { body, metadata }
  const spans = pages.length > 0 && { pages }
  return { body, metadata: { ...metadata, path: first.path, files, ...spans } }
}

/** A text with the path or the content of a known one replaces it: the file was changed or moved. */
export function mergeTexts(
  known: readonly AttachedText[],
  incoming: readonly AttachedText[],
): readonly AttachedText[] {
  const texts = [...known]
  for (const one of incoming) {
    const at = texts.findIndex(({ path, text }) => path === one.path || text === one.text)
    if (at < 0) texts.push(one)
    else texts[at] = one
  }
  return texts
}

/** The path of the file that holds a position of the body of a work; for the abstract, the first file. */
export function findPath({ files, path }: Metadata, at: number): string | null {
  const spans = Array.isArray(files) ? files.filter(isFileSpan) : []
  return (
    spans.findLast(({ start }) => start <= at)?.path ?? (typeof path === 'string' ? path : null)
  )
}

type Edited = { readonly [Field in keyof Titled]?: Titled[Field] | undefined }

/** The change of an edit by hand: a new text of a work is its abstract, and its PDFs stay. */
export function keepTexts<Change extends Edited>(before: Titled, change: Change): Change {
  const { abstract, texts, metadata } = splitTexts(before)
  if (texts.length === 0 || (change.body === undefined && change.metadata === undefined)) {
    return change
  }
  const attached = before.body.slice(abstract.length)
  const { body = abstract } = change
  const own = body.endsWith(attached) ? body.slice(0, -attached.length) : body
  return { ...change, ...joinTexts(own, texts, change.metadata ?? metadata) }
}

function shift<Span extends { readonly start: number; readonly end: number }>(
  spans: readonly Span[],
  by: number,
): Span[] {
  return spans.map((span) => ({ ...span, start: span.start + by, end: span.end + by }))
}

function isFileSpan(value: unknown): value is FileSpan {
  if (!isFields(value)) return false
  return typeof value.path === 'string' && isSpan(value)
}

export function isPageSpan(value: unknown): value is AttachedText['pages'][number] {
  return isFields(value) && Number.isInteger(value.page) && isSpan(value)
}

function isSpan({ start, end }: Readonly<Record<string, unknown>>): boolean {
  return Number.isInteger(start) && Number.isInteger(end)
}
