/** Title, headings and links of a Markdown text, of which nothing within code or comments is one. */

import { findHeadings, type Heading } from './headings.js'
import { findLinks, type Link } from './links.js'
import { maskCode } from './mask-code.js'

export type Outline = {
  /** The first heading of level 1, without marks of its own such as stars and brackets. */
  readonly title: string | null
  readonly headings: readonly Heading[]
  readonly links: readonly Link[]
}

/**
 * Reads the text behind the front matter, which would look like a heading: places count from there.
 * @example
 * readOutline('# Notes\nSee [[Plan#Goals|the plan]].')
 * // title 'Notes', links: [{ target: 'Plan', heading: 'Goals', alias: 'the plan', start: 12, … }]
 */
export function readOutline(markdown: string): Outline {
  const masked = maskCode(markdown)
  const headings = findHeadings(markdown, masked)
  const first = headings.find(({ level, text }) => level === 1 && text !== '')
  const title = first === undefined ? '' : plainOf(first.text)
  return {
    title: title === '' ? null : title,
    headings,
    links: findLinks(markdown, masked),
  }
}

/** Longer than this it is no title that marks are taken off from. */
const MAX_TITLE = 500

function plainOf(text: string): string {
  if (text.length > MAX_TITLE) return text
  return text
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]+)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__|~~|==)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\d])([*_])(?=\S)(.+?)(?<=\S)\1(?![\p{L}\d])/gu, '$2')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
}
