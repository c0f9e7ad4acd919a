/** Formats works as references, in the text and in the bibliography, by the templates of a style. */

import type { PersonName, Work, WorkType } from '../core/work.js'
import { type NameStyle, STYLES, type Style, type StyleName } from './style-data.js'
import { findLink, OTHERS, tidyLine } from './work-fields.js'

export type Reference = {
  readonly work: Work
  /** The entry of the bibliography. */
  readonly text: string
  /** The mark in the running text: `(Stone & Berg, 2019)`, `[1]`. */
  readonly inText: string
}

/** The template and the heading of each type. Works that are published by themselves have their title in italics. */
const FORMS: Readonly<Record<WorkType, readonly [keyof Style['rest'], keyof Style['headings']]>> = {
  article: ['article', 'part'],
  conference: ['conference', 'part'],
  book: ['book', 'whole'],
  chapter: ['chapter', 'part'],
  thesis: ['thesis', 'thesis'],
  report: ['book', 'whole'],
  preprint: ['article', 'part'],
  dataset: ['book', 'whole'],
  software: ['book', 'whole'],
  webpage: ['article', 'part'],
  other: ['article', 'part'],
}

/** How italics are written; nothing in a value is taken for markup. */
export type Markup = { readonly italics: string; readonly escape: (text: string) => string }
export const PLAIN: Markup = { italics: '', escape: (text) => text }

/** In the order given. Works of the same authors and year get letters: 2019a, 2019b. */
export function formatReferences(
  works: readonly Work[],
  name: StyleName,
  markup: Markup = PLAIN,
): Reference[] {
  const style: Style = STYLES[name]
  const letters = assignLetters(works, style)
  return works.map((work, i) => {
    const values = listValues(work, style, { number: i + 1, letter: letters[i] ?? '' })
    const [rest, heading] = FORMS[work.type]
    const whole = fill(style.lead, {
      ...values,
      heading: fill(style.headings[heading], values),
      rest: fill(style.rest[rest], values),
    })
    return {
      work,
      text: finish(whole, markup),
      inText: finish(fill(style.inText, values), PLAIN),
    }
  })
}

type Values = Readonly<Record<string, string>>

function listValues(
  work: Work,
  style: Style,
  { number, letter }: { readonly number: number; readonly letter: string },
): Values {
  const pages = (work.pages ?? '').replace(/-/g, style.pageRange)
  const institution = work.institution ?? work.publisher
  const publisher = work.type === 'thesis' ? institution : (work.publisher ?? work.institution)
  const isArxiv = work.venue === null && work.arxivId !== null
  const venue = isArxiv ? `arXiv:${work.arxivId}` : work.venue
  return Object.fromEntries(
    Object.entries({
      number: String(number),
      authors: formatAuthors(work, style),
      names: formatInTextNames(work, style),
      editors: formatEditors(work.editors, style),
      year: `${work.year ?? 'n.d.'}${letter}`,
      title: endTitle(tidyLine(work.title) ?? '[untitled]'),
      venue: venue === null ? '' : endTitle(venue),
      volume: work.volume,
      issue: work.issue,
      pages,
      pp: pages === '' ? '' : `${/[-–,]/.test(pages) ? 'pp.' : 'p.'} ${pages}`,
      publisher,
      place: work.place,
      imprint: [work.place, publisher].filter(Boolean).join(': '),
      edition: formatEdition(work.edition),
      doi: work.doi,
      link: findLink(work),
    }).map(([key, value]) => [key, value ?? '']),
  )
}

function formatAuthors(work: Work, style: Style): string {
  if (work.authors.length > 0) return formatNames(work.authors, style.names, 'authors')
  // A book without authors is listed under its editors.
  return FORMS[work.type][0] === 'book' ? formatEditors(work.editors, style) : ''
}

function formatEditors(editors: readonly PersonName[], style: Style): string {
  const names = formatNames(editors, style.names, 'editors')
  const label = style.editorLabels[editors.length === 1 ? 0 : 1]
  if (names === '' || label === '') return names
  return `${names}${label.startsWith('(') ? ' ' : ', '}${label}`
}

export function formatNames(
  people: readonly PersonName[],
  style: NameStyle,
  role: 'authors' | 'editors',
): string {
  const isInverted = (i: number): boolean =>
    role === 'editors'
      ? style.editors === 'inverted'
      : style.inverted === 'all' || (style.inverted === 'first' && i === 0)
  const named = people.filter(({ family }) => family !== OTHERS)
  const names = named.map((person, i) => formatName(person, style, isInverted(i)))
  const last = names.at(-1)
  if (last === undefined) return ''
  if (names.length < people.length || names.length > style.max) {
    const shown = names.slice(0, names.length > style.max ? style.shown : names.length)
    const isCut = style.etAl.includes('{last}') && names.length === people.length
    return shown.join(style.separator) + (isCut ? style.etAl.replace('{last}', last) : ET_AL(style))
  }
  if (names.length === 1) return last
  // Only after an inverted name does a comma stand between two.
  const two = isInverted(0) ? style.betweenTwo : style.betweenTwo.replace(',', '')
  const between = names.length === 2 ? two : style.beforeLast
  return names.slice(0, -1).join(style.separator) + between + last
}

const ET_AL = ({ etAl }: NameStyle): string => (etAl.includes('{last}') ? ', et al.' : etAl)

/** `Jean-Paul Marie, Jr.` → `Sartre, J.-P. M., Jr.`, `Sartre JPM Jr.`, `J.-P. M. Sartre, Jr.` */
function formatName({ family, given }: PersonName, style: NameStyle, isInverted: boolean): string {
  if (given === null) return family
  const [names = '', ...suffixes] = given.split(', ')
  const suffix = suffixes.join(', ')
  const first = style.given === 'full' ? names : formatInitials(names, style.given)
  if (style.given === 'bare') return [family, first, suffix].filter(Boolean).join(' ')
  const parts = isInverted ? [family, first] : [[first, family].filter(Boolean).join(' ')]
  return [...parts, suffix].filter(Boolean).join(', ')
}

function formatInitials(names: string, form: 'dotted' | 'bare'): string {
  const initial = (name: string): string => {
    const [letter = ''] = name
    if (!/\p{L}/u.test(letter)) return name
    return form === 'dotted' ? `${letter.toUpperCase()}.` : letter.toUpperCase()
  }
  const words = names.split(/\s+/).filter((name) => name !== '')
  const hyphen = form === 'dotted' ? '-' : ''
  return words
    .map((word) => word.split('-').map(initial).join(hyphen))
    .join(form === 'dotted' ? ' ' : '')
}

/** Without authors, the first words of the title. */
function formatInTextNames({ authors, editors, title }: Work, { inTextNames }: Style): string {
  const people = authors.length > 0 ? authors : editors
  const families = people.map(({ family }) => family).filter((family) => family !== OTHERS)
  const [first] = families
  if (first === undefined) return `“${title.split(/\s+/).slice(0, 4).join(' ')}”`
  if (families.length < people.length || families.length > inTextNames.max) return `${first} et al.`
  if (families.length < 3) return families.join(inTextNames.and.replace(',', ''))
  return `${families.slice(0, -1).join(', ')}${inTextNames.and}${families.at(-1)}`
}

/** `2`, `Second edition`, `2nd ed.` → `2nd`, `Second`, `2nd` */
function formatEdition(edition: string | null): string {
  const bare = (edition ?? '').replace(/\s*\b(?:edition|edn|ed)\b\.?$/i, '').trim()
  if (!/^\d+$/.test(bare)) return bare
  const teens = /1[123]$/.test(bare)
  const ending = teens ? 'th' : (['th', 'st', 'nd', 'rd'][Number(bare.at(-1))] ?? 'th')
  return `${bare}${ending}`
}

function assignLetters(works: readonly Work[], style: Style): string[] {
  if (!style.inText.includes('{year}')) return works.map(() => '')
  const marks = works.map((work) => `${formatInTextNames(work, style)} ${work.year ?? ''}`)
  const seen = new Map<string, number>()
  return marks.map((mark, i) => {
    const before = seen.get(mark) ?? 0
    seen.set(mark, before + 1)
    const isShared = marks.indexOf(mark) !== marks.lastIndexOf(mark)
    const letter = String.fromCharCode(97 + (before % 26))
    return isShared ? (works[i]?.year === null ? `-${letter}` : letter) : ''
  })
}

// Marks inside a text that is being formatted; a value cannot contain them.
const [ITALIC_ON, ITALIC_OFF, FULL_STOP, MARKS] = ['\uE000', '\uE001', '\uE002', /[\uE000-\uE002]/g]

/** A title that ends with a mark of its own takes no full stop and no comma after it. */
function endTitle(text: string): string {
  return /[.!?…]$/.test(text) ? text + FULL_STOP : text
}

const BRACKETS: Readonly<Record<string, string>> = { '<': '[', '>': ']' }

/** Fills a template. */
function fill(template: string, values: Values): string {
  let at = 0
  let isItalic = false
  const readGroup = (): string | null => {
    let text = ''
    let isComplete = true
    let chosen: string | null = null
    for (; at < template.length; at++) {
      const char = template.charAt(at)
      if (char === '[') {
        at += 1
        text += readGroup() ?? ''
      } else if (char === ']') break
      else if (char === '|') {
        chosen ??= isComplete ? text : null
        text = ''
        isComplete = true
      } else if (char === '{') {
        const end = template.indexOf('}', at)
        const name = template.slice(at + 1, end)
        const value = values[name] ?? ''
        if (value === '' && name !== 'rest') isComplete = false
        text += value
        at = end
      } else if (char === '_') {
        isItalic = !isItalic
        text += isItalic ? ITALIC_ON : ITALIC_OFF
      } else text += BRACKETS[char] ?? char
    }
    return chosen ?? (isComplete ? text : null)
  }
  return readGroup() ?? ''
}

/** Removes doubled punctuation and writes italics. */
function finish(text: string, { italics, escape: protect }: Markup): string {
  const tidy = text
    .replace(/\uE002([\uE001]?)[.,]/g, '$1')
    .replace(/\.(\uE001?)\.(?!\.)/g, '.$1')
    .replace(/([.,]”)[.,]/g, '$1')
    .replace(/ {2,}/g, ' ')
    .replace(/\uE002/g, '')
    .trim()
  return tidy
    .split(/(?=[\uE000\uE001])/)
    .map((part) => (/^[\uE000\uE001]/.test(part) ? italics : '') + protect(part.replace(MARKS, '')))
    .join('')
}
