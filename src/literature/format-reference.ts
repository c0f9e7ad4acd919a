/** A work is one plain line that a person can read and find it by, whatever is missing. */

import type { PersonName, Work } from '../core/work.js'
import { OTHERS } from './bibtex/names.js'
import { tidyLine } from './tidy.js'

/** With more authors than this the first ones stand for all. */
const MOST_AUTHORS = 6
const SHOWN_AUTHORS = 3

/**
 * People (year). Title. Venue, volume(issue), pages. Publisher. Link
 * @example
 * 'Vaswani, A., Shazeer, N., & Parmar, N. (2017). Attention is all you need. NeurIPS, 30(2), 5998-6008. https://doi.org/…'
 */
export function formatReference(work: Work): string {
  const link = findLink(work)
  return [formatWithoutLink(work), link ?? ''].filter((part) => part !== '').join(' ')
}

export function formatWithoutLink(work: Work): string {
  const people = work.authors.length > 0 ? peopleOf(work.authors) : editorsOf(work)
  const date = `(${work.year ?? 'n.d.'}).`
  const title = tidyLine(work.title) ?? '[untitled]'
  const lead = people === null ? `${ended(title)} ${date}` : `${people} ${date} ${ended(title)}`
  const rest = [placeIn(work), makerOf(work)].flatMap((part) => (part === null ? [] : ended(part)))
  return [lead, ...rest].join(' ')
}

/** Where the work can be had; the most lasting address first. */
export function findLink(work: Work): string | null {
  if (work.doi !== null) return `https://doi.org/${work.doi}`
  if (work.url !== null) return work.url
  if (work.arxivId !== null) return `https://arxiv.org/abs/${work.arxivId}`
  return work.openAlexId === null ? null : `https://openalex.org/${work.openAlexId}`
}

function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function peopleOf(names: readonly PersonName[]): string | null {
  const named = names.filter(({ family }) => family !== OTHERS).map(shortName)
  const isCut = named.length < names.length || named.length > MOST_AUTHORS
  const shown = named.length > MOST_AUTHORS ? named.slice(0, SHOWN_AUTHORS) : named
  const last = shown.at(-1)
  if (last === undefined) return null
  if (isCut) return `${shown.join(', ')}, et al.`
  return shown.length === 1 ? last : `${shown.slice(0, -1).join(', ')}, & ${last}`
}

function editorsOf(work: Work): string | null {
  const people = peopleOf(work.editors)
  return people === null ? null : `${people} (${work.editors.length === 1 ? 'Ed.' : 'Eds.'})`
}

/** `Jean-Paul Marie, Jr.` → `Sartre, J.-P. M., Jr.` */
function shortName({ family, given }: PersonName): string {
  if (given === null) return family
  const [names = '', ...suffix] = given.split(', ')
  const initials = names
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => name.split('-').map(initialOf).join('-'))
  return [family, initials.join(' '), ...suffix].filter((part) => part !== '').join(', ')
}

function initialOf(name: string): string {
  const [letter = ''] = name
  return /\p{L}/u.test(letter) ? `${letter.toUpperCase()}.` : name
}

/** `Journal, 30(2), 5998-6008` */
function placeIn(work: Work): string | null {
  const issue = work.issue === null ? '' : `(${work.issue})`
  const number = `${work.volume ?? ''}${issue}`
  const venue = work.type === 'chapter' && work.venue !== null ? `In ${work.venue}` : work.venue
  return tidyLine([venue, number, work.pages].filter(Boolean).join(', '))
}

function makerOf(work: Work): string | null {
  return tidyLine(work.type === 'thesis' ? work.institution : (work.publisher ?? work.institution))
}
