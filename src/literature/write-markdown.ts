/** A reading list shows each work on one line, and nothing in a title becomes markup or a script. */

import type { Work } from '../core/work.js'
import { findLink, formatWithoutLink } from './format-reference.js'

/** A reading list: one bullet a work, with its reference and its link. */
export function writeMarkdown(works: readonly Work[]): string {
  const bullets = works.map(
    (work) => `- ${[escapeMarkdown(formatWithoutLink(work)), link(work)].join(' ').trim()}\n`,
  )
  return `# Reading list\n\n${bullets.join('')}`
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~$]/g, '\\$&').replace(/&(?=[#\w]+;)/g, '\\&')
}

/** Only addresses of the web become links. */
function link(work: Work): string {
  const address = findLink(work)
  if (address === null) return ''
  if (!/^https?:\/\/\S+$/i.test(address)) return escapeMarkdown(address)
  const target = address.replace(
    /[()<>\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `[${escapeMarkdown(address.replace(/^https?:\/\//i, ''))}](${target})`
}
