/** Finds works that are probably one: a preprint and its published version, and titles that nearly agree. */

import type { Work } from '../core/work.js'
import { editDistance } from '../text/edit-distance.js'
import { foldText, makeTitleKey } from './identities.js'
import { type Conflict, mergeWorks } from './merge-works.js'

export type DuplicatePair = {
  readonly reason: 'preprint' | 'title'
  /** The one to keep, which is the published one, and its double. */
  readonly keep: Work
  readonly other: Work
  /** The fields that both have and that disagree. */
  readonly differs: readonly Conflict[]
}

type Described = {
  readonly work: Work
  readonly author: string
  /** Of the title, folded and without stop words. */
  readonly words: readonly string[]
}

/** Compares works whose titles share a key and that have the same first author, or of which one has no author. */
export function findDuplicates(works: readonly Work[]): DuplicatePair[] {
  const pairs: DuplicatePair[] = []
  const seen = new Map<string, Described[]>()
  for (const work of works) {
    const one = describe(work)
    const { asked, own } = listTitleKeys(one)
    const authors = one.author === '' ? [ANYONE] : [one.author, '']
    const near = authors.flatMap((name) => asked.flatMap((key) => seen.get(`${name} ${key}`) ?? []))
    for (const other of new Set(near)) {
      if (areAlike(other, one)) pairs.push(describePair(other.work, work))
    }
    for (const name of [one.author, ANYONE]) {
      for (const key of own) addTo(seen, `${name} ${key}`, one)
    }
  }
  return pairs
}

/** Stands for every author. */
const ANYONE = '*'

function addTo(map: Map<string, Described[]>, key: string, one: Described): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [one])
  else list.push(one)
}

const STOP_WORDS = new Set(
  'a an and as at by for from in into of on or the to toward towards using via with'.split(' '),
)

function describe(work: Work): Described {
  const author = makeTitleKey({ ...work, title: 'x', year: 0 })?.split('|')[2] ?? ''
  return { work, author, words: splitWords(work.title) }
}

function splitWords(title: string): string[] {
  const words = title.split(/[^\p{L}\p{N}\p{M}\\]+/u).map(foldText)
  return words.filter((word) => word !== '' && !STOP_WORDS.has(word))
}

/** A title of fewer words, such as "Preface", is that of many works. */
const MIN_WORDS = 3
const SUBTITLE = /[:?!–—(]| - /g

/** The whole title, the title without one word that may be misspelt, and the title before each subtitle. */
function listTitleKeys({ work: { title }, words }: Described) {
  if (words.length === 0) return { asked: [], own: [] }
  const whole = words.join('')
  const gaps = words.flatMap((word, i) =>
    /\d/.test(word) ? [] : `${words.slice(0, i).join('')}_${words.slice(i + 1).join('')}`,
  )
  const starts = [...title.matchAll(SUBTITLE)].map(({ index }) => splitWords(title.slice(0, index)))
  const telling = starts.filter((start) => start.length >= MIN_WORDS).map((start) => start.join(''))
  return {
    asked: [whole, ...gaps, `${whole}…`, ...telling],
    own: [whole, ...gaps, ...telling.map((start) => `${start}…`)],
  }
}

function areAlike(a: Described, b: Described): boolean {
  const isWhole = a.words.join('') === b.words.join('')
  if (isWhole) return a.words.length >= MIN_WORDS || haveSameOrigin(a.work, b.work)
  if (isWithoutSubtitle(a, b) || isWithoutSubtitle(b, a)) return true
  const at = a.words.findIndex((word, i) => word !== b.words[i])
  const isRestSame = a.words.slice(at + 1).join(' ') === b.words.slice(at + 1).join(' ')
  return isRestSame && a.words.length > 1 && isMisspelt(a.words[at] ?? '', b.words[at] ?? '')
}

function isWithoutSubtitle({ words }: Described, long: Described): boolean {
  return listTitleKeys(long).own.includes(`${words.join('')}…`)
}

const MIN_MISSPELT = 5

/** One letter of a long word; numbers, also Roman ones, are other parts or other years. */
function isMisspelt(one: string, other: string): boolean {
  const isLong = Math.max(one.length, other.length) >= MIN_MISSPELT
  return isLong && editDistance(one, other, 1) <= 1
}

/** In one year, at one venue; a preprint has none. */
function haveSameOrigin(one: Work, other: Work): boolean {
  const venues = [one, other].flatMap(({ venue }) => (venue === null ? [] : foldText(venue)))
  return one.year === other.year && new Set(venues).size < 2
}

function describePair(one: Work, other: Work): DuplicatePair {
  const isPreprint = (work: Work): boolean => work.type === 'preprint'
  const reason = isPreprint(one) === isPreprint(other) ? 'title' : 'preprint'
  const [keep, double] = isPreprint(one) && !isPreprint(other) ? [other, one] : [one, other]
  return { reason, keep, other: double, differs: mergeWorks(keep, double).conflicts }
}
