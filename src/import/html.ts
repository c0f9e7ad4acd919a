/** Imports saved web pages: the text of the page, without menus and scripts. */

import { readFiles, readText, skipped } from './files.js'
import { readHtml } from './html-text.js'
import type { Importer } from './importer.js'
import {
  cleanLabel,
  cleanLabels,
  dropEmpty,
  hashValue,
  parseTimestamp,
  titleFromPath,
} from './values.js'

export const html: Importer = {
  name: 'html',
  isMirror: true,
  detect: (path, { text }) => isPage(path) || /^\uFEFF?\s*(?:<!doctype html|<html)\b/i.test(text),
  read: readFiles(isPage, async function* (file, options) {
    const { name } = file
    const written = await readText(file, options)
    const { text: body, title, meta } = await readHtml(written)
    if (body === '') {
      yield skipped(name, 'It has no text.')
      return
    }
    const find = (...names: string[]): string | null =>
      names.map((one) => meta.get(one)).find((value) => value !== undefined) ?? null
    const url = find('canonical', 'og:url') ?? findSavedUrl(written)
    const record = {
      body,
      title: cleanLabel(title) ?? titleFromPath(name),
      kind: 'document' as const,
      source: cleanLabel((url ?? name).slice(-500)),
      people: cleanLabels([find('author', 'article:author', 'dc.creator')]),
      metadata: dropEmpty({ path: name, url, description: find('description') }),
      occurredAt: parseTimestamp(find('article:published_time', 'date', 'dc.date')),
    }
    yield { kind: 'record', key: name, hash: hashValue(record), record }
  }),
}

function isPage(name: string): boolean {
  return /\.(?:html?|xhtml)$/i.test(name)
}

/** Browsers write the address of a page into a comment when they save it. */
function findSavedUrl(written: string): string | null {
  const found = /<!-- saved from url=\(\d+\)(\S+) -->|\n url: (\S+)/.exec(written.slice(0, 5000))
  return found?.[1] ?? found?.[2] ?? null
}
